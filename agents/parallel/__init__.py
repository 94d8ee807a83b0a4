"""One executor for long jobs: processes on this machine."""
