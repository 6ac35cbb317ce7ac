"""A tiny file of every importer's format: tests damage it, and the fuzzers change it at random."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Excerpt:
    """A file in the format of an importer.

    Attributes
    ----------
    importer
        Name of the importer.
    rows
        The file, or what follows its header.
    options
        Options with which the importer reads the file.
    """

    importer: str
    rows: str
    options: dict[str, Any] = field(default_factory=dict)
    header: str = ""

    @property
    def text(self) -> str:
        """The whole file."""
        return self.header + self.rows


_TRIPS = [
    {
        "lost": lost,
        "timestamps": {"client": {"send": {"monotonic": 10_000_000 * i}}},
        "delay": {"send": 30_000_000 + i, "receive": 20_000_000 - i},
    }
    for i, lost in enumerate(("false", "true_up", "false", "true_down", "true"))
]
_SUMS = [{"sum": {"start": i, "end": i + 1, "bits_per_second": 24e3, "lost_percent": 50}} for i in range(3)]
_PACKETS = [
    {"seq-num": i, "src-ts": (3 << 62) + i * 2**30, "dst-ts": (3 << 62) + i * 2**30 + 2**27, "ip-ttl": 255}
    for i in range(3)
]
_PINGS = [
    {"fw": 5020, "af": 4, "size": 64, "sent": 3, "rcvd": 2, "msm_id": 1001, "prb_id": 6658, "type": "ping"}
    | {"timestamp": 1613779317 + 240 * i, "result": [{"rtt": 44.7}, {"x": "*"}, {"rtt": 41.5}]}
    for i in range(2)
]
_DISH = {
    "current": "4",
    **{key: [0.5, 1, 0] for key in ("downlinkThroughputBps", "popPingDropRate", "popPingLatencyMs")},
}
_FLENT = {
    "metadata": {
        "FLENT_VERSION": "1.0",
        "SERIES_META": {"TCP download": {"UNITS": "Mbits/s"}, "Ping (ms) ICMP": {"UNITS": "ms"}},
    },
    "results": {"Ping (ms) ICMP": [50.5, None, 70], "TCP download": [0.024, 0.048, None]},
    "x_values": [0.0, 1.0, 2.0],
}


def _qlog_event(time: float, name: str, number: int, frames: list[dict[str, Any]] | None = None) -> str:
    data = {"header": {"packet_type": "1RTT", "packet_number": number}, "raw": {"length": 1200}}
    return "\x1e" + json.dumps({"time": time, "name": name, "data": data | {"frames": frames or []}}) + "\n"


_QLOG_HEAD = {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {"title": "client"}}
_QLOG_ACK = [{"frame_type": "ack", "ack_delay": 2.0, "acked_ranges": [[2, 3], [0]]}]
_QLOG = (
    "".join(_qlog_event(10 * number, "transport:packet_sent", number) for number in range(5))
    + _qlog_event(62, "transport:packet_received", 0, _QLOG_ACK)
    + _qlog_event(62, "recovery:packet_lost", 1)
)
_QLOG_01 = {
    "qlog_version": "draft-01",
    "traces": [
        {
            "configuration": {"time_units": "us"},
            "event_fields": ["relative_time", "category", "event_type", "data"],
            "events": [
                ["0", "TRANSPORT", "PACKET_SENT", {"packet_type": "1RTT", "header": {"packet_number": 7}}],
                ["9", "TRANSPORT", "PACKET_SENT", {"packet_type": "1RTT", "header": {"packet_number": "8"}}],
                [
                    "40000",
                    "TRANSPORT",
                    "PACKET_RECEIVED",
                    {"frames": [{"frame_type": "ACK", "ack_delay": 9, "acked_ranges": [[8, 8]]}]},
                ],
            ],
        }
    ],
}
LOGS = {
    "lte-harq": Excerpt(
        "lte-harq",
        "0.0,1023,9,1,9\n8.1,0,7,2,9\n9.0,0,8,1,40\n",
        header="log_ms,sfn,subframe,attempt,tb_bytes\n",
    ),
    "ns3-lte": Excerpt(
        "ns3-lte",
        "23\t1\t2\t3\t0\t0\t19\t0\t1\t0\n31\t1\t2\t3\t0\t0\t19\t1\t0\t1\n32\t1\t2\t3\t0\t0\t19\t0\t1\t1\n",
        header="% time\tcellId\tIMSI\tRNTI\tlayer\tmcs\tsize\trv\tndi\tcorrect\n",
    ),
    "ns3-lte of two users": Excerpt(
        "ns3-lte",
        "23\t1\t1\t4\t0\t0\t19\t0\t1\t0\n23\t1\t2\t3\t0\t0\t19\t0\t1\t1\n"
        "31\t1\t1\t4\t0\t0\t19\t1\t0\t1\n32\t1\t1\t4\t0\t0\t19\t0\t1\t1\n",
        {"user": "1"},
        header="% time\tcellId\tIMSI\tRNTI\tlayer\tmcs\tsize\trv\tndi\tcorrect\n",
    ),
    "ns3-nr": Excerpt(
        "ns3-nr",
        "0.03\tDL\t1\t0\t2\t84\t0\t1\n0.035\tDL\t1\t0\t2\t84\t1\t0\n0.036\tDL\t1\t0\t2\t84\t0\t0\n",
        header="Time\tdirection\tcellId\tbwpId\trnti\ttbSize\trv\tcorrupt\n",
    ),
    "srsran": Excerpt(
        "srsran",
        "2024-11-25T15:08:25.001000 [PHY] [D] [1023.9] PUSCH: rnti=0x46 h_id=0 rv=0 tbs=11 crc=KO sinr=1dB\n"
        "2024-11-25T15:08:25.009000 [PHY] [D] [   0.7] PUSCH: rnti=0x46 h_id=0 rv=2 tbs=11 crc=OK sinr=1dB\n"
        "2024-11-25T15:08:25.010000 [PHY] [D] [   0.8] PUSCH: rnti=0x46 h_id=0 rv=0 tbs=12 crc=OK sinr=1dB\n",
        header="2024-11-25T15:08:25.000000 [GNB     ] [I] ready\n",
    ),
    "amarisoft": Excerpt(
        "amarisoft",
        "10:37:38.001 [PHY] UL 0001 01 003d 1023.9 PUSCH: harq=3 prb=2:4 CW0: tb_len=11 mod=2 rv_idx=0 "
        "retx=0 crc=KO snr=1.5\n"
        "10:37:38.009 [PHY] UL 0001 01 003d    0.7 PUSCH: harq=3 prb=2:4 CW0: tb_len=11 mod=2 rv_idx=2 "
        "retx=1 crc=OK snr=1.5\n"
        "10:37:38.010 [PHY] UL 0001 01 003d    0.8 PUSCH: harq=4 prb=2:4 CW0: tb_len=12 mod=2 rv_idx=0 "
        "retx=0 crc=OK snr=2\n",
        header="# lteenb version 2022-12-06\n10:37:37.000 [RRC] DL 0001 01 BCCH-NR: SIB1\n",
    ),
    "mobileinsight": Excerpt(
        "mobileinsight",
        '{"type_id": "LTE_PHY_PUSCH_Tx_Report", "timestamp": "2020-02-17 23:11:22", "Records": ['
        '{"Current SFN SF": 10239, "Re-tx Index": "First", "PUSCH TB Size": 9}]}\n'
        '{"type_id": "LTE_PHY_PUSCH_Tx_Report", "timestamp": "2020-02-17 23:11:22", "Records": ['
        '{"Current SFN SF": 7, "Re-tx Index": "Second", "PUSCH TB Size": 9}]}\n'
        '{"type_id": "LTE_PHY_PUSCH_Tx_Report", "timestamp": "2020-02-17 23:11:22", "Records": ['
        '{"Current SFN SF": 8, "Re-tx Index": "First", "PUSCH TB Size": 9}]}\n',
        header='{"type_id": "LTE_RRC_Serv_Cell_Info", "timestamp": "2020-02-17 23:11:21"}\n',
    ),
    "nr-scope": Excerpt(
        "nr-scope",
        "1727307156.0,1023,9,17,1_1,800,0,0,4\n1727307156.007,0,6,17,1_1,800,2,0,4\n"
        "1727307156.02,1,9,17,1_1,800,0,1,4\n",
        header="timestamp,system_frame_index,slot_index,rnti,dci_format,transport_block_size,"
        "redundancy_version,new_data_indicator,harq_id\n",
    ),
    "ng-scope": Excerpt(
        "ng-scope",
        "10239\t61\t100\t20\t5\t0\t800\t0\t0\t0\t3\t1727307156000000\t1\t0\t\n"
        "7\t61\t100\t20\t5\t2\t800\t0\t0\t0\t3\t1727307156008000\t1\t0\t\n"
        "8\t61\t100\t20\t5\t0\t800\t0\t0\t0\t4\t1727307156009000\t1\t0\t\n",
    ),
    "table": Excerpt(
        "table",
        "0,1,9\n0.008,0,9\n0.009,0,40\n",
        {"time": "t", "bad": "lost=1", "size": "size"},
        header="t,lost,size\n",
    ),
}
"""Logs of attempts. Each holds three, of which the first failed."""

PROBES = {
    "irtt": Excerpt(
        "irtt",
        json.dumps({"version": {"irtt": "0.9"}, "config": {"params": {"length": 60}}, "round_trips": _TRIPS}),
    ),
    "ping": Excerpt(
        "ping",
        "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n[100.02] no answer yet for icmp_seq=1\n"
        "[100.04] 64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=40.0 ms\n"
        "[100.08] 64 bytes from 10.0.0.2: icmp_seq=3 ttl=64 time=40.0 ms\n"
        "3 packets transmitted, 2 received\n",
    ),
    "lens": Excerpt("lens", "timestamp,rtt,uplink,downlink\n10,50,30,20\n20,0,-1,0\n30,51,30,21\n"),
    "lens of ping": Excerpt("lens", "timestamp,rtt\n10.5,50\n20.5,40\n"),
    "owamp": Excerpt(
        "owamp",
        "0 12884901888000000000 1 1e-06 12884901888128849019 1 1e-06 254\n"
        "2 12884901888858993459 1 1e-06 00000000000000000000 0 0 255\n"
        "1 12884901888429496730 1 1e-06 12884901888600000000 1 1e-06 254\n",
    ),
    "owamp of text": Excerpt(
        "owamp",
        "--- owping statistics from [a]:8774 to [b]:9071 ---\nSID:\tc0a8\n"
        "seq_no=0 delay=3.000000e+01 ms (sync, err=0.6 ms) sent=9.000000 recv=9.030000\n"
        "seq_no=1          *LOST*\n"
        "seq_no=2 delay=3.100000e+01 ms (sync, err=0.6 ms) sent=9.200000 recv=9.231000\n"
        "3 sent, 1 lost (33.333%), 0 duplicates\n",
    ),
    "owamp of perfSONAR": Excerpt("owamp", json.dumps({"result": {"raw-packets": _PACKETS}})),
    "twamp": Excerpt(
        "twamp",
        "0 12884901888000000000 1 1e-06 12884901888128849019 1 1e-06 254 "
        "0 12884901888128900000 1 1e-06 12884901888200000000 1 1e-06 254\n"
        "1 12884901888429496730 1 1e-06 00000000000000000000 0 0 255 "
        "0 00000000000000000000 0 0 00000000000000000000 0 0 255\n"
        "2 12884901888858993459 1 1e-06 12884901888958993459 1 1e-06 254 "
        "1 12884901888968993459 1 1e-06 12884901889058993459 1 1e-06 254\n",
    ),
    "atlas": Excerpt("atlas", json.dumps(_PINGS)),
    "atlas of lines": Excerpt(
        "atlas", "".join(json.dumps(result) + "\n" for result in _PINGS), {"probe": "6658"}
    ),
    "iperf3": Excerpt("iperf3", json.dumps({"start": {"test_start": {"reverse": 1}}, "intervals": _SUMS})),
    "iperf3 as text": Excerpt(
        "iperf3",
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-1.00   sec  2.93 KBytes  24.0 Kbits/sec  0.076 ms  1/3 (33%)  \n"
        "[  5]   1.00-2.00   sec  2.93 KBytes  24.0 Kbits/sec  0.076 ms  -1/1 (-1e+02%)  \n"
        "[  5]   2.00-2.00   sec  0.00 Bytes  0.00 bits/sec  0.076 ms  0/0 (0%)  \n"
        "[  5]   0.00-2.00   sec  5.86 KBytes  24.0 Kbits/sec  0.076 ms  0/4 (0%)  receiver\n",
    ),
    "iperf2": Excerpt(
        "iperf2",
        "Server listening on UDP port 5001\nReceiving 1470 byte datagrams\n"
        "[  3]  0.0- 1.0 sec  2.87 KBytes  23.5 Kbits/sec   0.008 ms    0/    2 (0%)\n"
        "[  3]  1.0- 2.0 sec  0.00 Bytes  0.00 bits/sec   0.008 ms    0/    0 (-nan%)\n"
        "[  3]  2.0- 3.0 sec  2.87 KBytes  23.5 Kbits/sec   0.008 ms    1/    3 (33%)\n"
        "[  3]  0.0- 3.0 sec  5.74 KBytes  15.7 Kbits/sec   0.008 ms    1/    5 (20%)\n",
    ),
    "qlog": Excerpt("qlog", _QLOG, header="\x1e" + json.dumps(_QLOG_HEAD) + "\n"),
    "qlog of draft 01": Excerpt("qlog", json.dumps(_QLOG_01)),
    "flent": Excerpt("flent", json.dumps(_FLENT), {"series": "TCP download"}),
    "flent of round trips": Excerpt(
        "flent", json.dumps(_FLENT), {"series": "Ping (ms) ICMP", "line": 24_000}
    ),
    "oai": Excerpt(
        "oai",
        "".join(
            f"[NR_MAC]   Frame.Slot {frame}.0\nUE RNTI 2460 CU-UE-ID 1 in-sync PH 48 dB\n"
            f"UE 2460: dlsch_rounds {n}00/{n}0/{n}/0, dlsch_errors {n}, pucch0_DTX {n}, BLER 0.1 MCS (0) 9\n"
            f"UE 2460: MAC:    TX  {n}000 RX  {n}000 bytes\n"
            for n, frame in ((1, 896), (2, 0), (3, 128))
        ),
        {"as_": "phy", "lldu_bytes": 100},
    ),
    "rates": Excerpt("rates", "time_s,rate_bps,loss,delay_ms\n0,24000,0,30\n1,24000,0.5,40\n2,24000,1,0\n"),
    "rates of ucc": Excerpt(
        "rates", "Timestamp,DL_bitrate,UL_bitrate\n2020.01.16_10.43.34,24,1\n2020.01.16_10.43.36,24,1\n"
    ),
    "rates of a dish": Excerpt("rates", json.dumps({"dishGetHistory": _DISH}), {"line": 24_000}),
    "outcomes": Excerpt("bler", "1 0 -1\n1 1\n", {"slot_interval": 0.001}),
    "sequence numbers": Excerpt("bler", "65534 3\n65535 4\n1 4\n", {"slot_interval": 0.001}),
    "numbers of 8 bits": Excerpt("bler", "254 3\n255 4\n1 4\n", {"slot_interval": 0.001, "wrap": "256"}),
    "mahimahi": Excerpt("mahimahi", "0\n5\n5\n9\n"),
    "table of packets": Excerpt(
        "table",
        "at\tbits\tdelay\tsent\tok\n2024-01-01T01:00:00+01:00\t800\t12.5\t1\ttrue\n"
        "2024-01-01T00:00:00.25Z\t1600\t\t3\tfalse\n2024-01-01 00:00:00.5\t801\t2e1\t300\tTrue\n",
        {
            "as_": "link",
            "time": "at:iso",
            "good": "ok=1",
            "size": "bits:bits",
            "delay": "delay:ms",
            "transmissions": "sent",
        },
    ),
    "table of HARQ processes": Excerpt(
        "table",
        "ms,cc,harq,ndi,bits,crc\n0,0,3,1,800,KO\n8,0,3,1,,OK\n8,1,3,true,1600,OK\n16,0,3,0,1600,OK\n",
        {"time": "ms:ms", "good": "crc=OK", "size": "bits:bits", "process": "cc+harq", "new_data": "ndi"},
    ),
    "table of rates": Excerpt(
        "table",
        "at;Mbit;bler;owd\n23:59:59,5;0,024;0;30,5\n00:00:00,5;0,012;50;-\n00:00:01,5;0,036;100;20\n"
        "00:01:00,5;0,024;1,5;20\n",
        {
            "time": "at:clock",
            "rate": "Mbit:Mbit/s",
            "loss": "bler:percent",
            "delay": "owd:ms",
            "decimal": "comma",
            "holes": "outage",
        },
    ),
    "table of numbers": Excerpt(
        "table",
        "t seq\n65000 p254\n100 p255\n636 p1\n700 p2\n",
        {"time": "t:ms", "sequence": "seq", "wrap": "t=65536,seq=256", "line": 24_000},
    ),
    "table of dates": Excerpt(
        "table",
        "Sat Feb 28 23:59:59.5 UTC 2026,1\nSun Mar  1 00:00:00.25 UTC 2026,0\n",
        {"time": "1:date", "bad": "2=0", "invalid": "drop", "lldu_bytes": 40},
    ),
    "table of signals": Excerpt(
        "table",
        't; "snr"; dir\n1.5; 7.25 dB; DL\n1.6; n/a; UL\n1.5; "-2"; DL\n0.25; 1e3; DL\n',
        {"time": "t:ms", "es_n0": "snr", "where": "dir=DL", "origin": "zero"},
    ),
}
"""Probes, rate series, outcomes and tables of other things than attempts."""

EXCERPTS = LOGS | PROBES
