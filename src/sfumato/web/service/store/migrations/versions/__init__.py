"""One file for each step. What a released version has written stays as it is: a change is a step of its own."""
