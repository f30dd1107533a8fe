"""Every table and figure of the sources that rests on public data, made again: what they print beside what we compute.

An exhibit is a function of the bundled data alone. Whatever is called ours is computed by the library when it is asked for.
"""
