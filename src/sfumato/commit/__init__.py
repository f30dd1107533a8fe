"""Writing files so that nothing is lost: whatever stops a run, each place holds what it held before, or all that is new.

A file is written under a hidden name beside its place, is put on the disk, and takes its place in one step (`writing`). Files that
belong together, such as a release, its certificate and its ledger entry, take theirs together (`transaction`): a journal says where
each belongs, and one step decides. A run that is killed before this step has changed nothing; after it, the next run that looks at the
place finishes the work (`journal`). Two runs that write to one folder wait for each other (`locks`). No input of a call is
overwritten, and what a call has written is known when a later step of it fails (`call`).
"""
