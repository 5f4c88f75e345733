"""What everything stands on: configuration, storage, workers, lazy names, provenance."""
