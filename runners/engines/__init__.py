"""The engines on this machine: installed, started, asked and ended. What they call things: app.protocol.engines."""
