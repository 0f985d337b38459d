"""Version of the package, apart from the package's own names so that every module may import it."""

__version__ = "0.3.0"
