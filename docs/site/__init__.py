"""The tools of the documentation: pages from records, films, links, and the check of the built site."""
