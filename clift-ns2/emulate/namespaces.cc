#include "emulate/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "emulate/settings.h"

namespace clift {

namespace {

constexpr int own = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID;
constexpr char network_of_thread[] = "/proc/thread-self/ns/net";

void write_file(const std::string& path, const std::string& text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const bool good = file.get() >= 0 && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!good) throw SystemError(path);
}

// Maps only this process's user and group, to root of the new namespace.
void become_root_inside(uid_t user, gid_t group) {
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
  write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
}

}  // namespace

void enter_own_namespaces() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  const std::string help = "emulation needs network namespaces: run it as root, or allow unprivileged user namespaces";
  if (unshare(own) != 0) {
    if (errno != EPERM) throw SystemError("making a network namespace", help);
    if (unshare(CLONE_NEWUSER | own) != 0) throw SystemError("making a user namespace", help);
    become_root_inside(user, group);
  }
  // Keeps mounts of this namespace from spreading to others.
  mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
}

void enter_new_network() { checked(unshare(CLONE_NEWNET), "making a network namespace"); }

Descriptor current_network() {
  return Descriptor(checked(open(network_of_thread, O_RDONLY | O_CLOEXEC), "opening a network namespace"));
}

void enter_network(const Descriptor& network) {
  checked(setns(network.get(), CLONE_NEWNET), "entering a network namespace");
}

void mount_own_proc() { mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr); }

void set_sysctls(const std::vector<std::string>& sysctls) {
  for (const std::string& sysctl : sysctls) {
    const std::size_t equals = sysctl.find('=');
    if (equals == std::string::npos || sysctl.compare(0, 4, "net.") != 0) {
      throw SettingError("sysctl is " + sysctl + "; allowed is net.NAME=VALUE");
    }
    std::string path = sysctl.substr(0, equals);
    std::replace(path.begin(), path.end(), '.', '/');
    try {
      write_file("/proc/sys/" + path, sysctl.substr(equals + 1));
    } catch (const SystemError& error) {
      throw SettingError("sysctl " + sysctl + " cannot be set: " + error.what());
    }
  }
}

}  // namespace clift
