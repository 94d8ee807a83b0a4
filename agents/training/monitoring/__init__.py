"""What a person sees of a training run: its curve, its report, TensorBoard's events."""
