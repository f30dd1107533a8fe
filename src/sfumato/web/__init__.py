"""The pages: a person's workbench on this computer, and a team's service. Routes are thin, templates hold no logic, the library does the
work."""
