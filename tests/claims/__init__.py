"""Every claim of the five documents against our presets: its own loop's numbers, ours, a verdict."""
