"""Monte-Carlo tree search."""

__all__ = ["score_mcts", "uct"]
