"""Statistics of OpenAirInterface's gNB, in the lines that it prints; counts by hand."""

from pathlib import Path

import numpy as np
import pytest

from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError
from tmt.importers.oai import Oai

LOG = (
    "\x1b[0m[PHY]    RU 0 rf device ready\n\x1b[0m[GNB_APP]   SIB1 TDA 1\n"
    "UE 8e03: dlsch_rounds 1/0/0/0, dlsch_errors 0, pucch0_DTX 0, BLER 0.1 MCS (0) 0\n"
)


def stamp(frame: int) -> str:
    return f"\x1b[0m[NR_MAC]   Frame.Slot {frame}.0\n"


def terminal(down: str, up: str, sent: int, received: int, rnti: str = "8e03") -> str:
    """The lines of a print, as in doc/MAC/mac-usage.md."""
    return (
        f"UE RNTI {rnti} CU-UE-ID 1 in-sync PH 48 dB PCMAX 20 dBm, average RSRP -44 (16 meas)\n"
        f"UE {rnti}: CQI 15, RI 2, PMI (14,1)\n"
        f"UE {rnti}: dlsch_rounds {down}, BLER 0.00523 MCS (1) 23 CCE fail 0\n"
        f"UE {rnti}: ulsch_rounds {up}, BLER 0.0 MCS (0) 0 (Qm 2 deltaMCS 0 dB) NPRB 5  SNR 51.0 dB\n"
        f"UE {rnti}: MAC:    TX     {sent:10} RX     {received:10} bytes\n"
        f"UE {rnti}: LCID 4: TX             12 RX            216 bytes\n\n"
    )


LATER = terminal(
    "300/50/11/5, dlsch_errors 4, pucch0_DTX 5", "8/1/1/1, ulsch_errors 1, ulsch_DTX 1", 161_000, 50
)
WHOLE = (
    LOG
    + stamp(896)
    + terminal("100/10/1/0, dlsch_errors 0, pucch0_DTX 2", "7/0/0/0, ulsch_errors 0, ulsch_DTX 0", 1000, 50)
    + stamp(0)
    + LATER
    + stamp(128)
    + LATER
)


def test_print__that_is_cut_between_channels_is_left_out(tmp_path: Path) -> None:
    """Without a line of the MAC the bytes are those of all channels; the cut print has 700 of 1100."""
    rounds = "UE 8e03: dlsch_rounds 9/0/0/0, dlsch_errors 0, pucch0_DTX 0, BLER 0.1 MCS (0) 0\n"
    prints = [
        f"{stamp(frame)}{rounds}UE 8e03: LCID 1: TX {sent} RX 0 bytes\nUE 8e03: LCID 4: TX 400 RX 0 bytes\n"
        for frame, sent in ((0, 500), (128, 600), (256, 700))
    ]
    whole = Oai().rates(written(tmp_path, "".join(prints)))
    assert whole.rate_bps.tolist() == [800 / 1.28] * 2
    at_channel = written(tmp_path, "".join(prints).rpartition("UE 8e03: LCID 4")[0])
    assert Oai().rates(at_channel).rate_bps.tolist() == [800 / 1.28]


def test_prints__give_rates_and_shares_between_them(tmp_path: Path) -> None:
    """Frames 896, 0 and 128 are 1.28 s apart; 200 blocks, 55 repeats, 4 given up, 160,000 bytes down."""
    path = written(tmp_path, WHOLE)
    link = Oai().rates(path)
    assert (link.duration_ns / 1e9).tolist() == [1.28, 1.28]
    assert link.rate_bps.tolist() == [1e6, 0]
    assert link.loss.tolist() == [4 / 200, 0]
    phy = Oai(as_="phy").rates(path)
    assert phy.rate_bps.tolist() == [1e6 * 255 / 200, 0]
    assert phy.loss.tolist() == [59 / 255, 0]
    assert "4 of 200 blocks were given up, 59 of 255 attempts failed" in phy.notes
    assert "3 attempts had no answer (DTX), but may have been decoded" in phy.notes
    up = Oai(direction="up", as_="phy").rates(path)
    assert up.loss.tolist() == [1, 0]


def test_auto__recognises_the_log_and_makes_a_trace(tmp_path: Path) -> None:
    trace = import_trace("auto", written(tmp_path, WHOLE), as_="phy", line=1e7)
    assert trace.metadata["importer"] == "oai"
    assert trace.metadata["length_ns"] == 2_560_000_000
    share = float(np.mean(trace.decode_time_ns[trace.tx_time_ns < 1_280_000_000] == 0))
    assert share == pytest.approx(59 / 255, abs=0.05)


def test_prints__without_a_line_of_the_mac_sum_the_channels(tmp_path: Path) -> None:
    text = "".join(
        stamp(frame) + f"UE 2460: dlsch_rounds {n}/0/0/0, dlsch_errors 0, pucch0_DTX 0 (SNR 19.8+0.2 dB)\n"
        f"UE 2460: LCID 1: TX  {n * 100} RX 1 bytes\nUE 2460: LCID 4: TX  {n * 60} RX 1 bytes\n"
        for n, frame in ((1, 0), (2, 128))
    )
    assert Oai().rates(written(tmp_path, text)).rate_bps.tolist() == [1000]


def test_users__are_chosen_by_their_rnti(tmp_path: Path) -> None:
    counts = "1/0/0/0, dlsch_errors 0, pucch0_DTX 0", "1/0/0/0, ulsch_errors 0, ulsch_DTX 0"
    text = "".join(
        stamp(frame) + terminal(*counts, 9, 9) + terminal(*counts, frame, 9, "00b2")
        for frame in (0, 128, 256)
    )
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=r"there are 2 users; choose one by --user: 8e03 \(3 rows\), 00b2"):
        Oai().rates(path)
    assert Oai(user="00b2").rates(path).rate_bps.tolist() == [800, 800]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LOG, r"no counts of HARQ rounds .*: keep the standard output of the gNB, with nr_mac_log_level"),
        (WHOLE.partition(stamp(0))[0], r"there are 1 prints of 8e03 down; two are needed"),
        (WHOLE + WHOLE, r"a count of 8e03 falls; a file must hold one log"),
        (LOG + stamp(1024), r"the frame is 1024; allowed are 0 to 1023"),
    ],
)
def test_log__that_cannot_be_read_says_what_is_wrong(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        import_trace("auto", written(tmp_path, text))
