"""The pages: a person's workbench on this computer. Routes are thin, templates hold no logic, the library does the work."""
