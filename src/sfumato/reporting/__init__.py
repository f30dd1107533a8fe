"""Results as pictures and documents."""
