"""The emulator as a backend of experiments: the kernel's TCP, measured as a simulation is."""

from pathlib import Path

import pytest
from experiments import asker

from tmt import CoDel, Path as LinkPath, PlainLink
from tmt.core.errors import EmulatorError
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.run.emulate.emulation import Emulation, read_result
from tmt.run.setup import ready_path
from tmt.spec.columns import RUN_RESULTS

S = 1_000_000_000


experiment = asker(
    tcp="cubic", stack="linux", backend="emulate", forward=PlainLink(2e6), rtt_ns=S // 10, duration_ns=4 * S
)


@pytest.mark.parametrize("text", [None, "flows\t1\ncommand_sta", "flows\t1\n"])
def test_read_result__of_a_killed_emulator_is_refused_in_one_line(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "counters.tsv").write_text(text)
    emulation = Emulation(command=("true",), forward=PlainLink(2e6), path=LinkPath(1))
    links = ready_path(emulation.forward, None, emulation.path, emulation.mtu_bytes)
    with pytest.raises(
        EmulatorError, match=r"the emulator was killed \(status 137\): .*counters\.tsv: "
    ) as refusal:
        read_result(tmp_path, emulation, links, 137, record=False)
    assert "\n" not in str(refusal.value)


@pytest.mark.usefixtures("emulator")
def test_flows__fill_a_plain_link_and_leave_the_records_of_a_simulation() -> None:
    result = experiment(flows=2, start_spread_ns=S // 2).run()
    row = result.row
    assert list(row) == [column.name for column in RUN_RESULTS]
    assert (row["backend"], row["stack"], row["flows"], row["window_packets"]) == (
        "emulate",
        "linux",
        2,
        None,
    )
    # 2 Mbit/s in packets of 1500 bytes with 1448 bytes of payload; slow start takes a part of the 4 s.
    assert 0.6 * 2e6 < float(row["goodput_bps"] or 0) <= 2.2e6
    # Half of the RTT and 6 ms for a full packet, less for the first, small ones.
    assert 0.050 <= float(row["delay_min_s"] or 0) < 0.060
    assert result.packets.dtype == PACKET_RECORDS.dtype
    assert result.windows.dtype == WINDOW_RECORDS.dtype
    assert set(result.windows["flow"]) == {0, 1}


@pytest.mark.usefixtures("emulator")
def test_transfer__ends_when_the_receiver_has_it() -> None:
    row = experiment(tcp="newreno", transfer_bytes=200_000, duration_ns=20 * S).run().row
    assert row["flows_completed"] == 1
    # 200,000 bytes take 0.83 s at 2 Mbit/s with headers, and slow start some round trips.
    assert 0.83 < float(row["completion_s"] or 0) < 6
    assert float(row["simulated_s"] or 0) < 15


@pytest.mark.usefixtures("emulator")
@pytest.mark.parametrize("ecn", ["off", "classic"])
def test_ecn__marks_take_the_place_of_drops(ecn: str) -> None:
    row = experiment(forward=PlainLink(10e6), queue=CoDel(), queue_packets=1000, ecn=ecn).run().row
    assert (int(row["forward_marked"] or 0) > 0) == (ecn == "classic")
    assert (int(row["forward_aqm_dropped"] or 0) > 0) == (ecn == "off")
