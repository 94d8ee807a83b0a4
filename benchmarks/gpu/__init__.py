"""What has to be measured on a GPU; see ``__main__.py``."""
