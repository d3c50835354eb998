"""The networks behind the encoders, one file each."""
