// Settings of an emulation, as alternating keys and values of a command line.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/packing.h"
#include "core/playback.h"
#include "core/time.h"

namespace clift {

// A wrong command line; the message names the key, the value and the allowed values.
class SettingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LinkSettings {
  std::string trace;  // `.npy` file; empty: a plain link
  double rate_bps = 2e6;
  std::int64_t lldu_bytes = 1500;
  Packing packing = Packing::padded;
  Playback playback;  // without `loop`, which both links share
};

struct Settings {
  LinkSettings links[2];  // forward, return
  bool loop = true;
  bool in_order = true;
  Nanoseconds hold_ns = 0;  // 0: no bound
  Nanoseconds rtt_ns = 500'000'000;
  std::int64_t queue_packets = 100;
  std::int64_t mtu_bytes = 1500;
  bool record = false;               // write packets.npy
  std::string folder = ".";          // folder for records, counters and the reason of a failure
  std::string server;                // shell command at the far end; empty: none
  Nanoseconds server_wait_ns = 30'000'000'000;
  std::vector<std::string> sysctls;  // KEY=VALUE, in both namespaces
  std::vector<std::int64_t> ports;   // TCP ports of the receiver on which the starting process listens
  int lifeline = -1;                 // socket to the starting process; its end ends the emulation; -1: none
  std::vector<std::string> command;  // after `--`
};

// Reads `KEY VALUE ... -- COMMAND ARGUMENT ...`.
Settings settings_of(int argc, char** argv);

}  // namespace clift
