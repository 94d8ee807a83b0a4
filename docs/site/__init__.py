"""What the documentation is made with: pages from records, films, links, and the check of the built site."""
