"""Models around another model: preparation, calibration."""
