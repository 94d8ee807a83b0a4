"""Sheets of levels as pictures and PDF files, and worksheets with answers. Private."""
