"""Every table and figure of the sources that shows data, reproduced: their printed values beside ours.

An exhibit is a function of the bundled data alone, or of a log that a seed decides where the source's data are private. Every
value called ours is computed by the library on demand.
"""
