"""The printed formulas by hand arithmetic: they are kept exactly as printed, wrong ones included."""

import math

from tmt.theory import RegularLink, TwoStateChannel, arq, harq, printed

LINK = RegularLink(500_000_000, 1_000_000, 36_000_000)
ERROR_FREE = TwoStateChannel(1.0, 0.5)


def test_printed_arq__counts_one_round_trip_too_many() -> None:
    # RTT/2 + RTT at p = 0, where every LLDU arrives at once.
    assert printed.arq_delay_s(ERROR_FREE, LINK) == 0.75
    channel = TwoStateChannel(0.99, 0.98)
    excess = printed.arq_delay_s(channel, LINK) - (arq(channel, LINK).recovery_delay_s - 0.036)
    assert math.isclose(excess, 0.5)
    assert printed.arq_delay_s(TwoStateChannel(0.5, 0.5, 1.0, 1.0), LINK) == math.inf


def test_printed_fec_efficiency__is_nothing_on_an_error_free_channel() -> None:
    assert printed.fec_efficiency(ERROR_FREE, 10, 12) == 0.0


def test_printed_fec_efficiency__sums_erasures_as_if_they_were_arrivals() -> None:
    # N_D = 2, N_R = 1, independent erasures with p = 0.1: (1 * 0.243 + 2 * 0.027) / 3.
    assert math.isclose(printed.fec_efficiency(TwoStateChannel(0.9, 0.1), 2, 1), 0.099)


def test_printed_fec_delay__waits_for_half_a_block() -> None:
    # N_D = 2, N_R = 1, p = 0.1: recovery unless one of the other two is erased, 0.81; half a block is 1.5 ms.
    found = printed.fec_delay_s(TwoStateChannel(0.9, 0.1), LINK, 2, 1)
    assert math.isclose(found, 0.25 + 0.1 * 0.81 * 0.0015)


def test_printed_interleaving__swaps_alpha_and_beta() -> None:
    # With I = 1 nothing is interleaved, and eq. 4 should give back alpha = 0.9 and beta = 0.6.
    swapped = printed.interleaved_channel(TwoStateChannel(0.9, 0.6), 1)
    assert math.isclose(swapped.alpha, 0.6)
    assert math.isclose(swapped.beta, 0.9)


def test_printed_harq__leaves_out_blocks_that_the_last_round_completes() -> None:
    # N_D = 1, N_R = N_S = 0, p = 0.2: R_0 = 0.8, R_1 = 0.16; slots 1 + 0.2 + 0.04. The exact form adds 0.032.
    channel = TwoStateChannel(0.8, 0.2)
    assert math.isclose(printed.harq_efficiency(channel, 1, 0, 0), 0.96 / 1.24)
    assert math.isclose(harq(channel, LINK, 1, 0, 0, 2).efficiency, 0.992 / 1.24)


def test_printed_harq_delay__charges_the_whole_block_to_every_lldu() -> None:
    # As above: 1 ms + RTT/2 + 0.16 (RTT + 1 ms) + 0.032 * 2 (RTT + 1 ms).
    found = printed.harq_delay_s(TwoStateChannel(0.8, 0.2), LINK, 1, 0, 0)
    assert math.isclose(found, 0.001 + 0.25 + 0.224 * 0.501)
    assert math.isclose(printed.harq_delay_s(ERROR_FREE, LINK, 5, 7, 1), 0.262)


def test_printed_harq__sums_failed_blocks_with_its_delta() -> None:
    # N_D = 2, N_R = 1, N_S = 0, p = 0.5, i = 1 of 2 data LLDUs received: N_D - i = N_R, so delta = 1, l1 = 1.
    # P(1, 2) P(1, 1) times, for l2 = 1 = l3, P(1, 1) P(1, 1): 0.5 * 0.5 * 0.5 * 0.5 = 1/16 LLDU.
    # R_0 = P(0, 3) + P(1, 3) = 1/2; two erased of three, 3/8, request one; three erased, 1/8, request two;
    # R_1 = 3/8 * 1/2 + 1/8 * 1/4 = 7/32. Slots: 3 + 3/8 + 2/8 + (3/8 * 1/2 + 1/8 * (1/2 * 1 + 1/4 * 2)).
    channel = TwoStateChannel(0.5, 0.5)
    slots = 3 + 3 / 8 + 2 / 8 + 3 / 16 + 1 / 8
    assert math.isclose(printed.harq_efficiency(channel, 2, 1, 0), (2 * (1 / 2 + 7 / 32) + 1 / 16) / slots)


def test_printed__states_no_residual_loss_for_blocks() -> None:
    assert math.isnan(printed.fec(ERROR_FREE, LINK, 10, 12, depth=2).residual_loss)
    assert math.isnan(printed.harq(ERROR_FREE, LINK, 5, 7, 1, 2).residual_loss)
    assert printed.arq(ERROR_FREE, LINK).residual_loss == 0.0
