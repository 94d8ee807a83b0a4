"""Two-sided IDA* on boards of up to 25 squares, with a pattern database for each goal of a tile partition. Private."""
