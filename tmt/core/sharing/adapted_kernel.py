"""Users of a link adapt their modes: all report, and the user who gets the slot sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.kernels import BoolArray, Float64Array, Int64Array, Records, kernel
from tmt.core.modes.kernel import (
    IDEAL,
    OLLA,
    UNKNOWN,
    choose,
    choose_by_report,
    hear,
    is_erased,
    learn,
    quantised,
    report,
)
from tmt.core.sharing.kernel import relative

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@kernel
def adapt_users(
    time_ns: Int64Array,
    es_n0_mdb: npt.NDArray[np.int32],
    uniform: Float64Array,
    lost: Float64Array,
    rule: int,
    needed_mdb: Float64Array,
    modes: Int64Array,
    size_bytes: Int64Array,
    half_mdb: Float64Array,
    width_mdb: Float64Array,
    levels_mdb: Float64Array,
    numbers: Float64Array,
    every_ns: int,
    delay_ns: int,
    is_idle: bool,
    states: Records,
    reports: Records,
    feedback: Records,
    given: Int64Array,
    means: Float64Array,
    part: float,
    user: Int64Array,
    mode: npt.NDArray[np.uint8],
    erased: BoolArray,
) -> None:
    """Give slots to users, and send each in the mode that its user's sender chooses.

    Every user's receiver reports on every slot of the link; OLLA learns only from the user's own slots.

    Parameters
    ----------
    time_ns : [slots], when slots are sent
    es_n0_mdb, uniform, lost : [users, slots], as for one user in `tmt.core.modes.kernel.adapt`
    rule, needed_mdb, modes, half_mdb, width_mdb, levels_mdb, numbers, every_ns, delay_ns : as there
    size_bytes : [n_modes], what a slot carries
    is_idle : whether nothing is sent where no mode meets the need; else the lowest mode is
    states, reports, feedback : [users], [users, ring], [users, ring], updated
    given : [slots], each slot's user, -1 for one that is not here; [0]: proportional fairness gives them
    means, part : [users], mean rates, updated, and what the newest slot counts in them; 0 where given
    user, mode, erased : [slots], filled in; the user is -1 where nobody sends
    """
    margin_mdb, up_mdb, down_mdb, loss = numbers[0], numbers[1], numbers[2], numbers[3]
    users, is_given = len(states), len(given) > 0
    for slot in range(len(time_ns)):
        now_ns = time_ns[slot]
        best, best_choice, largest = -1, -1, -1.0
        for one in range(users):
            state = states[one : one + 1]
            if now_ns >= state[0]["next_report_ns"]:
                is_lost = lost.shape[1] > 0 and lost[one, slot] < loss
                value = UNKNOWN if is_lost else quantised(es_n0_mdb[one, slot], levels_mdb)
                report(now_ns + delay_ns, value, state, reports[one])
                if every_ns > 0:
                    state[0]["next_report_ns"] = (now_ns // every_ns + 1) * every_ns
            hear(now_ns, state, reports[one], feedback[one])
            if is_given and given[slot] != one:
                continue
            if rule == IDEAL:
                choice = choose(es_n0_mdb[one, slot], needed_mdb, state)
            else:
                choice = choose_by_report(margin_mdb, needed_mdb, state)
            sends = choice >= 0 or not is_idle
            own = relative(float(size_bytes[modes[max(choice, 0)]]), means[one])
            means[one] *= 1.0 - part
            if sends and own > largest:
                best, best_choice, largest = one, choice, own
        user[slot] = best
        if best < 0:
            continue
        chosen = modes[max(best_choice, 0)]
        means[best] += part * size_bytes[chosen]
        fate = is_erased(es_n0_mdb[best, slot], half_mdb[chosen], width_mdb[chosen], uniform[best, slot])
        if rule == OLLA:
            sender = states[best : best + 1]
            learn(now_ns + delay_ns, fate, best_choice, len(modes), up_mdb, down_mdb, sender, feedback[best])
        mode[slot], erased[slot] = chosen, fate
