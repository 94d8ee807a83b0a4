"""From scenes to pixels: sprites, layout, side panels, and the canvas or window they are drawn on."""

__all__ = ["drawing", "painting", "panel", "picture", "placement", "status"]
