"""What only Sokoban's agents need: the push search, its lower bounds and deadlocks, and the seed's heuristic."""
