"""The knowledge: one record per operation. Importing this package registers all of them."""

from . import arithmetic, arrays, elementary, logic

__all__ = ["arithmetic", "arrays", "elementary", "logic"]
