"""Models of mechanisms, which are judged on a channel and cannot be seen in a file."""
