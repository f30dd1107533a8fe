"""The command line: parse the arguments, call one library function, print the result."""
