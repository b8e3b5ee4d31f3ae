"""The wire between app and runners: stdlib and pydantic only."""
