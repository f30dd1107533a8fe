"""Negotiation by files: two parties who send each other one JSON file, and what each of them keeps."""
