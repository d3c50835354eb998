"""Read requests: rows, pictures, candidates and options from the bodies that the server takes."""
