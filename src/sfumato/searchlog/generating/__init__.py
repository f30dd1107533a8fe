"""Search logs with a known truth: people with a name, a town, an age, interests and, some of them, an illness, who search as people do.

Everybody and everything is invented. Names and towns are put together from syllables, addresses of sites end in `.example`, and numbers are
such as nobody is given; where one is that of somebody real, it is by chance. Parameters and their reasons: docs/decisions/0051.
"""
