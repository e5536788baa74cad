"""Who sends a request: the peer of the connection, or the client that a trusted proxy names.

clients = trusted_proxies(["10.0.0.0/8"], "X-Forwarded-For")
clients.address(peer="10.0.0.2", headers=headers)   # what the proxy added last
"""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers

from crosstalk.errors import InputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
DEFAULT_HEADER: Final = "X-Forwarded-For"
HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,60}")
SAME_CLIENT: Final = 64
"""Bits of an IPv6 address that one client usually owns all of."""
UNKNOWN: Final = ""


@dataclass(frozen=True, slots=True)
class Clients:
    """How clients are told apart."""

    proxies: tuple[Network, ...] = ()
    """Peers whose header is believed."""
    header: str = DEFAULT_HEADER
    """`X-Forwarded-For`, `Forwarded` (RFC 7239), or a header with one address such as X-Real-IP."""

    def address(self, peer: str, headers: Headers) -> str:
        """The client's address (of IPv6: its network); UNKNOWN if it cannot be told.

        The header is read from the right, past trusted proxies: a client can write what it likes to
        the left of what the proxy adds. Without trusted proxies, a peer on this machine or in a
        private network may be a proxy nobody has declared, so it is nobody in particular.
        """
        here = _address(peer)
        if here is None:
            return UNKNOWN
        if not self.proxies:
            return UNKNOWN if here.is_loopback or here.is_private else _key(here)
        if not self._trusted(here):
            return _key(here)
        for text in reversed(_named(self.header, headers)):
            named = _address(text)
            if named is None:
                return UNKNOWN
            here = named
            if not self._trusted(here):
                break
        return _key(here)

    def _trusted(self, address: Address) -> bool:
        return any(address in network for network in self.proxies)


def trusted_proxies(networks: Sequence[str], header: str = DEFAULT_HEADER) -> Clients:
    """Raises InputError if a network or the header's name cannot be read."""
    if not HEADER.fullmatch(header):
        raise InputError(
            f"--client-header: {header!r} is no name of a header",
            remedy="Give the one that your proxy sets, such as X-Forwarded-For or X-Real-IP.",
        )
    return Clients(tuple(map(_network, networks)), header)


def _network(text: str) -> Network:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InputError(
            f"--trusted-proxy: {text!r} is no address and no network",
            remedy="Give such as 127.0.0.1, 10.0.0.0/8 or fd00::/8.",
        ) from None
    if not network.prefixlen:
        raise InputError(
            f"--trusted-proxy: {text} would trust everybody",
            remedy="Give the address of the proxy, or the network that only proxies are in.",
        )
    return network


def _named(header: str, headers: Headers) -> list[str]:
    """The addresses of a header, in the order in which proxies have added them."""
    parts = [part.strip() for line in headers.getlist(header) for part in line.split(",")]
    if header.lower() != "forwarded":
        return parts
    found = [re.search(r'(?:^|;)\s*for="?([^";]*)', part, re.IGNORECASE) for part in parts]
    return [each[1] if each else "" for each in found]


def _address(text: str) -> Address | None:
    """An address, which may come with a port or in brackets."""
    plain = text.strip().strip('"')
    bracketed = re.fullmatch(r"\[([^\]]+)\](?::\d+)?", plain)
    with_port = re.fullmatch(r"([\d.]+):\d+", plain)
    if found := bracketed or with_port:
        plain = found[1]
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def _key(address: Address) -> str:
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, SAME_CLIENT), strict=False))
