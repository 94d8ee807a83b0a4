"""The board that a person draws in the editor, its faults, and what can be undone. Private."""
