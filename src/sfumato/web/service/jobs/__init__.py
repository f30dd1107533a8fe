"""Work that takes long, in processes of its own: whatever happens to one, the service goes on."""
