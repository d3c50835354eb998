"""Models that wrap another model: preparation and calibration."""
