"""The GPU side: launches real engines and measures them. Knows of `app` only `app.protocol`."""
