#include "emulate/settings.h"

#include <limits>

namespace clift {

namespace {

SettingTable table_of(Settings& s) {
  SettingTable table;
  s.declare(table);
  table.add_flag("record", s.record);
  table.add_whole("mtu_bytes", s.mtu_bytes, 68, 65'535);
  table.add_whole("server_wait_ns", s.server_wait_ns, 0, most_setting);
  table.add_text("folder", s.folder);
  table.add_text("server", s.server);
  table.add("sysctl", [&s](const std::string& value) { s.sysctls.push_back(value); });
  table.add("port", [&s](const std::string& value) {
    std::int64_t port = 0;
    SettingTable one;
    one.add_whole("port", port, 1, 65'535);
    one.set("port", value);
    s.ports.push_back(port);
  });
  table.add_whole("lifeline", s.lifeline, 0, std::numeric_limits<int>::max());
  return table;
}

}  // namespace

Settings settings_of(int argc, char** argv) {
  Settings settings;
  const SettingTable table = table_of(settings);
  int at = 1;
  for (; at < argc && std::string(argv[at]) != "--"; at += 2) {
    const std::string key = argv[at];
    if (at + 1 == argc) throw SettingError("the last key, " + key + ", has no value");
    table.set(key, argv[at + 1]);
  }
  settings.complete();
  if (at + 1 >= argc) throw SettingError("there is no command; it follows `--`");
  settings.command.assign(argv + at + 1, argv + argc);
  return settings;
}

}  // namespace clift
