"""What differs between training on a CPU and on a GPU: where environments are, CUDA graphs, memory. Private."""
