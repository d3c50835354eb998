"""Write files that stay whole, check what is read, and keep paths and runs apart."""
