"""The models behind the screens, without windows and pixels."""
