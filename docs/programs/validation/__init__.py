"""Published models and exact theory against boidsgen: docs/validation.md."""
