"""Where a server that runs already may stand: one spelling of each address, and none that leads elsewhere. Pure.

The runner's own list says which of them it measures; that is compared letter by letter, so a second spelling of an
address would be a second entry. Nothing is fetched through redirects.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated

from pydantic import AfterValidator

from app.protocol.plan import Address

RULE = (
    "an address is HOST:PORT: a lower-case name, an IPv4 address like 10.0.0.7, or an IPv6 address like [fd00::7] in "
    "its shortest spelling; a port from 1 to 65535"
)
METADATA_NAMES = ("metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal")
METADATA = ("169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
TRANSLATED = tuple(
    map(ipaddress.IPv6Network, ("::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"))
)
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # a last part like this makes a resolver read the name as IPv4


def problem(address: str) -> str | None:
    """Why it is none, in a sentence; None where it is one."""
    host, _, port = address.rpartition(":")
    if not re.fullmatch(r"[1-9][0-9]{0,4}", port) or int(port) > 65535:
        return f"{address}: {RULE}"
    if host.startswith("[") and host.endswith("]"):
        return _of_ip(address, host[1:-1], ipaddress.IPv6Address)
    if re.fullmatch(r"[0-9.]+", host):
        return _of_ip(address, host, ipaddress.IPv4Address)
    if not _NAME.fullmatch(host) or _NUMBER.fullmatch(host.rpartition(".")[2]):
        return f"{address}: {RULE}"
    return _METADATA.format(address) if host in METADATA_NAMES else None


_METADATA = "{}: the address of a cloud's metadata, which is no server to measure"


def _of_ip(address: str, host: str, kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address]) -> str | None:
    try:
        found = kind(host)
    except ValueError:
        return f"{address}: {RULE}"
    if str(found) != host:
        return f"{address}: {RULE}; that one is written {found}" if "%" not in host else f"{address}: {RULE}"
    if host in METADATA:
        return _METADATA.format(address)
    translated = isinstance(found, ipaddress.IPv6Address) and any(found in network for network in TRANSLATED)
    if "%" in host or translated or found.is_link_local or found.is_multicast or found.is_unspecified:
        return f"{address}: not the address of one server: it is link-local, multicast, unspecified or a translated one"
    return None


def _checked(address: str) -> str:
    wrong = problem(address)
    if wrong is not None:
        raise ValueError(wrong)
    return address


Measured = Annotated[Address, AfterValidator(_checked)]
"""One that a runner may be told to measure."""
