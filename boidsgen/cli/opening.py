"""Opening: `--open` shows a result in whatever the system has for files of its kind."""

from pathlib import Path


def opened(path: str) -> bool:
    """Show a file or folder; gives whether there was a program to show it with."""
    import webbrowser

    return webbrowser.open(Path(path).absolute().as_uri())
