"""Files, locks, interrupts, processors and the terminal. Private."""
