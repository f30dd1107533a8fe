"""The whole way in one folder: from a log to a report, in steps that are done once.

    log ──▶ features ──▶ reputation ──▶ train ──▶ detect ──▶ timeline ──▶ report

Every step has files that take their places together, and a record of what they were made from. A run that was stopped goes on at the
first step whose record does not fit.
"""
