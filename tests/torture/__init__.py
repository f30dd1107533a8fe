"""What a crash, a full disk, a race or bad input must not break. The long loops run under `make torture`."""
