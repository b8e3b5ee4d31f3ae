"""An address of a server has one spelling, and leads to that server."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.protocol.address import problem
from app.protocol.policy.local import LocalPolicy

GOOD = [
    "127.0.0.1:8000",
    "10.0.0.7:1",
    "bench.test:9000",
    "localhost:65535",
    "gpu-1:80",
    "[::1]:8000",
    "[fd00::7]:8000",
]
BAD = [
    "bench.test.:80", "BENCH.test:80", "bench..test:80", "-a:80", "a_b:80", "user@host:80", "host#x:80", "host/x:80",
    "127.1:80", "2130706433:80", "0x7f.1:80", "0x7f000001:80", "0177.0.0.1:80", "127.0.0.01:80", "1.2.3.4.5:80",
    "host.0x7f:80", "host.7:80", "[::1%lo]:80", "[fe80::1%eth0]:80", "[0:0::1]:80", "[FD00::7]:80", "[::1:80", "::1:80",
    "host:0", "host:080", "host:65536", "host:", ":80", "host", "unix:/run/x.sock:80", "http://host:80", "bücher.de:80",
    "0.0.0.0:80", "[::]:80", "169.254.169.254:80", "169.254.1.1:80", "[fe80::1]:80", "224.0.0.1:80", "[ff02::1]:80",
    "[::ffff:127.0.0.1]:80", "[::ffff:7f00:1]:80", "[64:ff9b::7f00:1]:80", "[2002:7f00:1::]:80", "100.100.100.200:80",
    "192.0.0.192:80", "[fd00:ec2::254]:80", "metadata.google.internal:80", "metadata:80", "host:80\n", " host:80",
]  # fmt: skip


@pytest.mark.parametrize("address", GOOD)
def test_a_plain_address_is_taken(address: str) -> None:
    assert problem(address) is None
    assert LocalPolicy(attach=(address,)).attach == (address,)


@pytest.mark.parametrize("address", BAD)
def test_another_spelling_or_another_place_is_refused(address: str) -> None:
    assert problem(address) is not None
    with pytest.raises(ValidationError):
        LocalPolicy(attach=(address,))
