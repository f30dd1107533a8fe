"""`sfumato demo --all`: a tour of everything, made of the commands that anybody can run."""
