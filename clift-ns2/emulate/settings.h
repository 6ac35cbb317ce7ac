// Settings of an emulation, as alternating keys and values of a command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/path_settings.h"
#include "core/time.h"

namespace clift {

struct Settings : PathSettings {
  std::int64_t mtu_bytes = 1500;
  bool record = false;               // write packets.npy
  std::string folder = ".";          // folder for records, counters and the reason of a failure
  std::string server;                // shell command at the far end; empty: none
  Nanoseconds server_wait_ns = 30'000'000'000;
  std::vector<std::string> sysctls;  // KEY=VALUE, in both namespaces
  std::vector<std::int64_t> ports;   // TCP ports of the receiver on which the starting process listens
  std::int64_t lifeline = -1;        // socket to the starting process; its end ends the emulation; -1: none
  std::vector<std::string> command;  // after `--`
};

// Reads `KEY VALUE ... -- COMMAND ARGUMENT ...`. Throws SettingError.
Settings settings_of(int argc, char** argv);

}  // namespace clift
