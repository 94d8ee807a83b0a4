"""The models behind the screens; they need no window and draw nothing."""
