"""The output of a training run: its curve, its reports, TensorBoard's events. Private."""
