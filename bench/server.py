"""Our server as `benchcard serve` runs it, on the generated claims: no catalogue is loaded over them."""

from __future__ import annotations

from app.serve import run_server
from app.settings import Settings

if __name__ == "__main__":
    run_server(Settings())
