"""What a person has achieved: solutions, snapshots, statistics, and the levels of a pack with the results on them."""
