"""Calibration: measures levels against anchors, opponents whose strength is known."""
