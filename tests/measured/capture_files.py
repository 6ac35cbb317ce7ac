"""Builders of packet captures, from the published formats and from no code of the importers."""

import struct

MS = 1_000_000


def ipv4(
    payload: bytes, *, ports: tuple[int, int] = (1000, 2000), protocol: int = 17, fragment: int = 0
) -> bytes:
    udp = struct.pack(">4H", *ports, 8 + len(payload), 0) + payload
    header = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 7, fragment, 64, protocol, 0, b"\n\0\0\1", b"\n\0\0\2"
    )
    return header + udp


def ipv6(payload: bytes) -> bytes:
    udp = struct.pack(">4H", 1000, 2000, 8 + len(payload), 0) + payload
    return struct.pack(">IHBB", 6 << 28, len(udp), 17, 64) + bytes(32) + udp


def pcap(
    packets: list[tuple[int, bytes]], link_type: int = 101, order: str = "<", nanoseconds: bool = False
) -> bytes:
    magic, unit = (0xA1B23C4D, 1) if nanoseconds else (0xA1B2C3D4, 1000)
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link_type)
    for time_ns, data in packets:
        seconds, rest = divmod(time_ns, 10**9)
        out += struct.pack(order + "4I", seconds, rest // unit, len(data), len(data)) + data
    return out


def pcapng(
    packets: list[tuple[int, bytes]], order: str = "<", fcs_bytes: int = 0, reserved: int = 0
) -> bytes:
    """A section, an interface with time stamps of 10**-9 s, and enhanced packet blocks."""

    def block(kind: int, body: bytes) -> bytes:
        length = 12 + len(body)
        return struct.pack(order + "2I", kind, length) + body + struct.pack(order + "I", length)

    out = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    options = struct.pack(order + "HHB3x", 13, 1, fcs_bytes) if fcs_bytes else b""
    options += struct.pack(order + "HHB3x", 9, 1, 9) + struct.pack(order + "2H", 0, 0)
    out += block(1, struct.pack(order + "HHI", 1, reserved, 65535) + options)
    for time_ns, data in packets:
        frame = bytes(12) + b"\x08\x00" + data
        padded = frame + bytes(-len(frame) % 4)
        head = struct.pack(order + "5I", 0, time_ns >> 32, time_ns & 0xFFFFFFFF, len(frame), len(frame))
        out += block(6, head + padded)
    return out


def tcp(
    sequence: int,
    acknowledged: int,
    size: int = 0,
    *,
    back: bool = False,
    flags: int = 16,
    options: bytes = b"",
    captured: int | None = None,
) -> bytes:
    """An IPv4 packet with `size` bytes of TCP payload from 10.0.0.1:1000 to 10.0.0.2:2000, or `back`."""
    ends = [(b"\n\0\0\1", 1000), (b"\n\0\0\2", 2000)]
    (source, port), (target, target_port) = reversed(ends) if back else ends
    options += bytes(-len(options) % 4)
    header = struct.pack(
        ">2H2IBB3H", port, target_port, sequence % 2**32, acknowledged % 2**32, 0, flags, 9, 0, 0
    )
    header = header[:12] + bytes([(20 + len(options)) // 4 << 4]) + header[13:] + options
    total = 20 + len(header) + size
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, total, 7, 0, 64, 6, 0, source, target)
    return (ip + header + bytes(size))[:captured]


def stamps(value: int, echo: int) -> bytes:
    """The timestamps option of RFC 7323, behind two bytes without meaning."""
    return struct.pack(">4B2I", 1, 1, 8, 10, value, echo)
