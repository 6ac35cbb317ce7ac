"""The schemes, one event after the other, written from the definitions in `docs/schemes.md`.

Each twin takes lists of integers (nanoseconds) and returns `Converted`: one `Row` per data LLDU, with the
delay -1 while unsettled, the slot of its first transmission, and the use of each slot.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

UNSETTLED = -1


class Row(NamedTuple):
    tx_time_ns: int
    delay_ns: int
    delivered: bool
    transmissions: int


@dataclass
class Converted:
    rows: list[Row] = field(default_factory=list)
    first_slots: list[int] = field(default_factory=list)
    """For each row: the slot of its first transmission."""
    uses: list[str] = field(default_factory=list)
    """For each slot: "data", "repair", "retransmission", "stall" or "dropped"."""


def none(tx: Sequence[int], decode: Sequence[int], detection_delay: int = 0) -> Converted:
    rows = [
        Row(t, d, True, 1) if d else Row(t, detection_delay, False, 1)
        for t, d in zip(tx, decode, strict=True)
    ]
    return Converted(rows, list(range(len(tx))), ["data"] * len(rows))


def fec(
    tx: Sequence[int],
    decode: Sequence[int],
    n_data: int,
    n_repair: int,
    depth: int = 1,
    detection_delay: int = 0,
) -> Converted:
    result = Converted()
    run_length = depth * (n_data + n_repair)
    for start in range(0, len(tx), run_length):
        run = range(start, start + run_length)
        if run.stop > len(tx):
            result.uses += ["dropped"] * (len(tx) - start)
            break
        fates: dict[int, Row] = {}
        for block in range(depth):
            slots = [s for s in run if (s - start) % depth == block]
            arrivals = sorted(tx[s] + decode[s] for s in slots if decode[s])
            for s in slots[:n_data]:
                if decode[s]:
                    fates[s] = Row(tx[s], decode[s], True, 1)
                elif len(arrivals) >= n_data:
                    fates[s] = Row(tx[s], arrivals[n_data - 1] - tx[s], True, 1)
                else:
                    fates[s] = Row(tx[s], tx[run[-1]] + detection_delay - tx[s], False, 1)
        result.rows += [fates[s] for s in sorted(fates)]
        result.first_slots += sorted(fates)
        result.uses += ["data" if s in fates else "repair" for s in run]
    return result


def arq(
    tx: Sequence[int],
    decode: Sequence[int],
    rtt: int,
    max_transmissions: int | None = None,
    detection_delay: int = 0,
) -> Converted:
    """Every LLDU keeps the slots that carried it; NACKs travel in a heap in order of arrival."""
    uses: list[str] = []
    carriers: list[list[int]] = []
    travelling: list[tuple[int, int, int]] = []  # (arrival at the sender, slot, LLDU)
    for s, now in enumerate(tx):
        if travelling and travelling[0][0] <= now:
            _, _, lldu = heapq.heappop(travelling)
            carriers[lldu].append(s)
            uses.append("retransmission")
        else:
            lldu = len(carriers)
            carriers.append([s])
            uses.append("data")
        if decode[s] == 0 and len(carriers[lldu]) != max_transmissions:
            heapq.heappush(travelling, (now + detection_delay + rtt, s, lldu))
    rows = []
    for slots in carriers:
        first, last = slots[0], slots[-1]
        if decode[last]:
            delay, delivered = tx[last] + decode[last] - tx[first], True
        elif len(slots) == max_transmissions:
            delay, delivered = tx[last] + detection_delay - tx[first], False
        else:
            delay, delivered = UNSETTLED, False
        rows.append(Row(tx[first], delay, delivered, min(len(slots), 255)))
    return Converted(rows, [slots[0] for slots in carriers], uses)


@dataclass
class Block:
    data_slots: list[int] = field(default_factory=list)
    first_repair_slots: list[int] = field(default_factory=list)
    later_slots: list[int] = field(default_factory=list)
    to_send: int = 0
    """LLDUs of the current round that have not been sent."""
    requests: int = 0
    given_up_ns: int | None = None

    @property
    def slots(self) -> list[int]:
        return self.data_slots + self.first_repair_slots + self.later_slots


def harq(
    tx: Sequence[int],
    decode: Sequence[int],
    n_data: int,
    n_repair: int,
    extra: int,
    rounds: int,
    rtt: int,
    detection_delay: int = 0,
) -> Converted:
    """Every block keeps the slots that carried it; the first request in the list is served once it is due.

    A round ends when its last LLDU has been sent. All of its LLDUs count, also those sent after the N_D-th
    has arrived. A block that the trace cuts short, in its first round or in a later one, keeps its decoded
    LLDUs; its erased LLDUs are unsettled, however many have arrived.
    """
    blocks: list[Block] = []
    waiting: list[tuple[int, Block]] = []  # (arrival of the request at the sender, block)
    uses: list[str] = []

    def judge(block: Block, now: int) -> None:
        arrived = sum(decode[s] > 0 for s in block.slots)
        if arrived >= n_data:
            return
        if block.requests < rounds:
            block.requests += 1
            block.to_send = n_data - arrived + extra
            waiting.append((now + detection_delay + rtt, block))
            waiting.sort(key=lambda item: item[0])
        else:
            block.given_up_ns = now + detection_delay

    for s, now in enumerate(tx):
        if waiting and waiting[0][0] <= now:
            block = waiting[0][1]
            block.later_slots.append(s)
            uses.append("repair")
        else:
            if not blocks or len(blocks[-1].data_slots + blocks[-1].first_repair_slots) == n_data + n_repair:
                blocks.append(Block(to_send=n_data + n_repair))
            block = blocks[-1]
            is_data = len(block.data_slots) < n_data
            (block.data_slots if is_data else block.first_repair_slots).append(s)
            uses.append("data" if is_data else "repair")
        block.to_send -= 1
        if block.to_send == 0:
            waiting = [item for item in waiting if item[1] is not block]
            judge(block, now)

    rows = []
    for block in blocks:
        arrivals = sorted(tx[s] + decode[s] for s in block.slots if decode[s])
        judged_recovered = block.to_send == 0 and len(arrivals) >= n_data
        transmissions = min(1 + block.requests, 255)
        for s in block.data_slots:
            if decode[s]:
                rows.append(Row(tx[s], decode[s], True, transmissions))
            elif judged_recovered:
                rows.append(Row(tx[s], arrivals[n_data - 1] - tx[s], True, transmissions))
            elif block.given_up_ns is not None:
                rows.append(Row(tx[s], block.given_up_ns - tx[s], False, transmissions))
            else:
                rows.append(Row(tx[s], UNSETTLED, False, transmissions))
    return Converted(rows, [s for block in blocks for s in block.data_slots], uses)


@dataclass(frozen=True)
class Combining:
    """Soft combining of transmissions, by the Es/N0 of each slot in thousandths of a dB."""

    kind: str
    threshold_db: float
    es_n0_mdb: Sequence[int]

    def reaches(self, slots: Sequence[int]) -> bool:
        snrs = [10 ** (self.es_n0_mdb[s] / 10_000) for s in slots]
        if self.kind == "chase":  # the SNR after maximum-ratio combining, in dB
            return 10 * math.log10(math.fsum(snrs)) >= self.threshold_db
        nats = math.fsum(math.log1p(snr) for snr in snrs)
        return math.expm1(nats) >= 10 ** (self.threshold_db / 10)


def arrivals_of(
    tx: Sequence[int],
    decode: Sequence[int],
    slots: Sequence[int],
    detection_delay: int,
    combining: Combining | None,
) -> list[int]:
    """Return all times at which the receiver decodes an LLDU that these slots carry."""
    arrivals: list[int] = []
    for number, s in enumerate(slots):
        if decode[s]:
            arrivals.append(tx[s] + decode[s])
        elif number and combining and not arrivals and combining.reaches(slots[: number + 1]):
            arrivals.append(tx[s] + detection_delay)
    return arrivals


@dataclass
class Process:
    """A stop-and-wait process with the LLDU that occupies it."""

    lldu: int | None = None
    feedback_ns: int = 0
    is_nack: bool = False


def harq_processes(
    tx: Sequence[int],
    decode: Sequence[int],
    n_processes: int,
    rtt: int,
    max_transmissions: int | None,
    slot_time: int | None,
    faults: Sequence[str],
    detection_delay: int = 0,
    combining: Combining | None = None,
) -> Converted:
    """Every LLDU keeps the slots that carried it; processes are asked one after the other at every slot.

    Retransmission is asynchronous with `slot_time` None, else synchronous; 0: slots are numbered. A fault is
    "missed", "false" or "" for each slot.
    """
    processes = [Process() for _ in range(n_processes)]
    carriers: list[list[int]] = []
    uses: list[str] = []
    for s, now in enumerate(tx):
        for process in processes:
            if process.lldu is None or process.feedback_ns > now:
                continue
            if not process.is_nack or len(carriers[process.lldu]) == max_transmissions:
                process.lldu = None
        allowed = processes
        if slot_time is not None:
            number = s if slot_time == 0 else (now - tx[0] + slot_time // 2) // slot_time
            allowed = [processes[number % n_processes]]
        due = [p for p in allowed if p.lldu is not None and p.feedback_ns <= now]
        idle = [p for p in allowed if p.lldu is None]
        if due:
            process = min(due, key=lambda p: (p.feedback_ns, carriers[p.lldu or 0][-1]))
            uses.append("retransmission")
        elif idle:
            process = idle[0]
            process.lldu = len(carriers)
            carriers.append([])
            uses.append("data")
        else:
            uses.append("stall")
            continue
        assert process.lldu is not None
        carriers[process.lldu].append(s)
        process.feedback_ns = now + rtt + (decode[s] or detection_delay)
        has_it = bool(arrivals_of(tx, decode, carriers[process.lldu], detection_delay, combining))
        process.is_nack = True if faults[s] == "missed" else has_it == (faults[s] == "false")

    repeated = {p.lldu for p in processes if p.lldu is not None and p.is_nack}
    rows = []
    for lldu, slots in enumerate(carriers):
        arrivals = arrivals_of(tx, decode, slots, detection_delay, combining)
        transmissions = min(len(slots), 255)
        if arrivals:
            rows.append(Row(tx[slots[0]], min(arrivals) - tx[slots[0]], True, transmissions))
        elif lldu in repeated and len(slots) != max_transmissions:
            rows.append(Row(tx[slots[0]], UNSETTLED, False, transmissions))
        else:
            rows.append(
                Row(tx[slots[0]], tx[slots[-1]] + detection_delay - tx[slots[0]], False, transmissions)
            )
    return Converted(rows, [slots[0] for slots in carriers], uses)


def repetition(
    tx: Sequence[int],
    decode: Sequence[int],
    k: int,
    detection_delay: int = 0,
    combining: Combining | None = None,
) -> Converted:
    rows = []
    for first in range(0, len(tx), k):
        group = range(first, min(first + k, len(tx)))
        arrivals = arrivals_of(tx, decode, group, detection_delay, combining)
        if arrivals:
            rows.append(Row(tx[first], min(arrivals) - tx[first], True, min(len(group), 255)))
        elif len(group) == k:
            rows.append(Row(tx[first], tx[group[-1]] + detection_delay - tx[first], False, min(k, 255)))
        else:
            rows.append(Row(tx[first], UNSETTLED, False, len(group)))
    uses = ["data" if s % k == 0 else "retransmission" for s in range(len(tx))]
    return Converted(rows, list(range(0, len(tx), k)), uses)
