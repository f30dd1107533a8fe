"""A mechanism as an information channel: how likely each output is for each input, and what somebody who sees an output can guess.

The extra `channel` installs scipy, which is loaded when a matrix is made.
"""
