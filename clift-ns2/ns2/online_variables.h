// The variables of `Queue/Clift/Online`: name, kind, default and allowed values of each. A scheme uses some of them.
#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace clift::online {

enum class Kind { count, flag, time, real };

struct Variable {
  const char* name;
  Kind kind;
  double usual;
  double least = 0, most = 0;     // of counts and real numbers
  const char* allowed = nullptr;  // in words, where the bounds do not say it
};

inline constexpr double unbounded = std::numeric_limits<int>::max();
inline constexpr const char* probability = "a probability, from 0 to 1";

// By default one unit a slot, no retransmissions, no losses.
inline constexpr Variable variables[] = {
    {"unit_bytes_", Kind::count, 1500, 1, unbounded},
    {"data_", Kind::count, 1, 1, unbounded},
    {"repair_", Kind::count, 0, 0, unbounded},
    {"depth_", Kind::count, 1, 1, unbounded},
    {"extra_", Kind::count, 1, 0, 65535},
    {"rounds_", Kind::count, 2, 0, unbounded},
    {"max_transmissions_", Kind::count, 0, 0, unbounded, "1 or more, or 0 (unlimited)"},
    {"persistency_", Kind::count, -1, -1, unbounded, "0 or more, or -1 (unlimited)"},
    {"window_", Kind::count, 1, 1, unbounded},
    {"timeout_", Kind::time, 0, 0, 0, "0 (the feedback's time) or a time in seconds"},
    {"coding_window_", Kind::count, 32, 1, 1024},
    {"repair_interval_", Kind::count, 8, 1, 65535},
    {"acknowledged_", Kind::flag, 1},
    {"segments_in_order_", Kind::flag, 1},
    {"max_retransmissions_", Kind::count, 8, 0, unbounded},
    {"rlc_window_", Kind::count, 2048, 1, 131072},
    {"poll_pdus_", Kind::count, 16, 1, unbounded},
    {"poll_retransmit_", Kind::time, 0, 0, 0, "0 (twice the RTT and the other timers) or a time in seconds"},
    {"reassembly_", Kind::time, 0.035},
    {"status_prohibit_", Kind::time, 0},
    {"detection_delay_", Kind::time, 0},
    {"processing_", Kind::time, 0},
    {"alpha_", Kind::real, 1, 0, 1, probability},
    {"beta_", Kind::real, 0, 0, 1, probability},
    {"error_good_", Kind::real, 0, 0, 1, probability},
    {"error_bad_", Kind::real, 1, 0, 1, probability},
    {"processes_", Kind::count, 16, 1, 65535},
    {"synchronous_", Kind::flag, 0},
    {"slot_time_", Kind::time, 0, 0, 0, "0 (no gaps) or a time in seconds"},
    {"repetitions_", Kind::count, 0, 0, 65535, "1 to 65535, or 0 (feedback on)"},
    {"combining_", Kind::count, 0, 0, 2, "0 (none), 1 (chase) or 2 (incremental)"},
    // The default is not allowed: a script that sets `combining_` sets it, too.
    {"combining_threshold_db_", Kind::real, -1000, -100, 100,
     "-100 to 100, in dB, which combining_ needs (-1000: not set)"},
    {"missed_feedback_", Kind::real, 0, 0, 1, probability},
    {"false_feedback_", Kind::real, 0, 0, 1, probability},
};

// The place of a variable; an unknown name does not compile as a template's argument.
constexpr std::size_t at(std::string_view name) {
  for (std::size_t index = 0; index < std::size(variables); ++index) {
    if (name == variables[index].name) return index;
  }
  throw std::logic_error("there is no such variable");
}

}  // namespace clift::online
