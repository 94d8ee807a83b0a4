"""One executor for long jobs: processes of this machine."""
