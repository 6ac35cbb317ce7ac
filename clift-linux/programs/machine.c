// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine that programs see: root, network namespaces of the two ends, addresses, names. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "control.h"
#include "init.h"

enum { MOST_PATH = 4096 };

/* The upper folder of the root's overlay, in memory. */
#define UPPER "/upper/root"

static int namespaces[ENDS][2]; /* network, host name */

static void make_folder(const char *path, mode_t mode)
{
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		fail("the folder %s cannot be made: %s", path, strerror(errno));
	chmod(path, mode);
}

static void mount_on(const char *kind, const char *path, const char *options, unsigned long flags)
{
	if (mount(kind, path, kind, flags, options) < 0)
		fail("%s cannot be mounted on %s: %s", kind, path, strerror(errno));
}

void write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		fail("%s cannot be written: %s", path, strerror(errno));
	close(file);
}

/* Shows a folder of the host as empty, if it lies below the root. */
static void hide(const char *path)
{
	char lower[MOST_PATH + 8], upper[MOST_PATH + 16];
	size_t root_bytes = strlen(run.root);
	const char *inside, *slash;
	struct stat found;

	while (root_bytes && run.root[root_bytes - 1] == '/')
		--root_bytes;
	inside = path + root_bytes;
	if (strlen(path) >= MOST_PATH || strncmp(path, run.root, root_bytes) != 0 || *inside != '/')
		return;
	for (slash = inside; *slash;) {
		const char *next = strchrnul(slash + 1, '/');

		snprintf(lower, sizeof(lower), "/lower%.*s", (int)(next - inside), inside);
		snprintf(upper, sizeof(upper), UPPER "%.*s", (int)(next - inside), inside);
		if (next > slash + 1) {
			if (lstat(lower, &found) < 0 || !S_ISDIR(found.st_mode))
				return;
			make_folder(upper, found.st_mode & 07777);
			if (lchown(upper, found.st_uid, found.st_gid) < 0)
				return;
		}
		slash = next;
	}
	if (setxattr(upper, "trusted.overlay.opaque", "y", 1, 0) < 0)
		fail("%s cannot be hidden: %s", path, strerror(errno));
}

/* The folder of the run on the host, from the host's own `/proc`. */
static void hide_own_folder(void)
{
	char path[MOST_PATH];
	ssize_t count;

	make_folder("/self", 0755);
	mount_on("hostfs", "/self", "/proc/self", MS_RDONLY);
	count = readlink("/self/cwd", path, sizeof(path) - 1);
	umount2("/self", MNT_DETACH);
	if (count <= 0)
		fail("the host's /proc does not name the run's folder");
	path[count] = '\0';
	hide(path);
}

static void make_files(void)
{
	make_folder("/root" FILES, 0755);
	if (run.files)
		mount_on("hostfs", "/root" FILES, run.files, MS_RDONLY | MS_NODEV | MS_NOSUID);
}

static void name_hosts(void)
{
	make_folder("/root/etc", 0755);
	unlink("/root/etc/hosts");
	unlink("/root/etc/resolv.conf");
	unlink("/root/etc/hostname");
	write_text("/root/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n10.0.0.1 server\n10.0.0.2 client\n"
				      "fd00::1 server6\nfd00::2 client6\n");
	write_text("/root/etc/resolv.conf", "");
	write_text("/root/etc/hostname", "server\n");
}

/* Builds the root: the host's folder, read-only, below memory; then enters it. */
void make_root(void)
{
	char options[64];

	make_folder("/lower", 0755);
	make_folder("/upper", 0755);
	make_folder("/root", 0755);
	if (run.root[0] != '/')
		fail("programs.txt: root is %s, not an absolute path", run.root);
	mount_on("hostfs", "/lower", run.root, MS_RDONLY | MS_NODEV);
	mount_on("tmpfs", "/upper", "mode=755,size=25%", 0);
	make_folder(UPPER, 0755);
	make_folder("/upper/work", 0755);
	hide_own_folder();
	for (int i = 0; i < run.hidden_count; ++i)
		hide(run.hidden[i]);
	if (mount("overlay", "/root", "overlay", MS_NODEV,
		  "lowerdir=/lower,upperdir=" UPPER ",workdir=/upper/work") < 0)
		fail("the root cannot be laid over %s: %s", run.root, strerror(errno));
	if (access("/root/bin/sh", X_OK) < 0 && errno == EACCES)
		fail("the folder %s cannot be read by this user", run.root);
	umount2("/lower", MNT_DETACH);
	umount2("/upper", MNT_DETACH);
	for (const char *const *path = (const char *const[]){ "/root/dev", "/root/proc", "/root/sys", "/root/run",
							       "/root/var", NULL };
	     *path; ++path)
		make_folder(*path, 0755);
	make_folder("/root/tmp", 01777);
	make_folder("/root/var/tmp", 01777);
	make_folder("/root" OUT, 0777);
	make_files();
	name_hosts();
	if (mount("/dev", "/root/dev", NULL, MS_MOVE, NULL) < 0)
		fail("/dev cannot be moved: %s", strerror(errno));
	mount_on("proc", "/root/proc", NULL, MS_NOSUID | MS_NODEV);
	mount_on("sysfs", "/root/sys", NULL, MS_NOSUID | MS_NODEV | MS_RDONLY);
	mount_on("tmpfs", "/root/tmp", "mode=1777,size=25%", MS_NODEV);
	mount_on("tmpfs", "/root/run", "mode=755,size=5%", MS_NODEV);
	mount_on("tmpfs", "/root/var/tmp", "mode=1777,size=5%", MS_NODEV);
	snprintf(options, sizeof(options), "mode=777,nr_inodes=4096,size=%lld",
		 (long long)(run.output_bytes ? run.output_bytes : 4096));
	mount_on("tmpfs", "/root" OUT, options, MS_NODEV);
	make_folder("/root/dev/pts", 0755);
	mount_on("devpts", "/root/dev/pts", "mode=620,ptmxmode=666", 0);
	make_folder("/root/dev/shm", 01777);
	mount_on("tmpfs", "/root/dev/shm", "mode=1777,size=5%", MS_NODEV);
	for (const char *const *link = (const char *const[]){ "fd", "stdin", "stdout", "stderr", NULL }; *link; ++link) {
		char from[32], to[32];

		snprintf(from, sizeof(from), "/root/dev/%s", *link);
		snprintf(to, sizeof(to), link[0][0] == 'f' ? "/proc/self/fd" : "/proc/self/fd/%d",
			 !strcmp(*link, "stdin") ? 0 : !strcmp(*link, "stdout") ? 1 : 2);
		if (symlink(to, from) < 0)
			fail("%s cannot be made: %s", from, strerror(errno));
	}
	if (chdir("/root") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		fail("the root cannot be entered: %s", strerror(errno));
	write_text("/proc/sys/kernel/threads-max", "500");
	write_text("/proc/self/oom_score_adj", "-1000");
}

/* Sets `KEY=VALUE` in the caller's network namespace; returns 0, or the error number. */
static int try_sysctl(const char *line)
{
	char path[MOST_PATH];
	const char *equals = strchr(line, '=');
	int file, error;

	if (!equals)
		fail("programs.txt: sysctl %s has no value", line);
	snprintf(path, sizeof(path), "/proc/sys/%.*s", (int)(equals - line), line);
	for (char *at = path + strlen("/proc/sys/"); *at; ++at)
		if (*at == '.')
			*at = '/';
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return errno;
	error = write(file, equals + 1, strlen(equals + 1)) < 0 ? errno : 0;
	close(file);
	return error;
}

static void set_sysctl(const char *line, bool is_set_elsewhere)
{
	int error = try_sysctl(line);

	if (error && !(is_set_elsewhere && error == ENOENT))
		fail("the setting %s cannot be made: %s", line, strerror(error));
}

static void set_up_device(int sock, const char *name)
{
	struct ifreq request = {};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(sock, SIOCGIFFLAGS, &request) < 0)
		fail("the network device %s is missing: %s", name, strerror(errno));
	request.ifr_flags |= IFF_UP;
	if (ioctl(sock, SIOCSIFFLAGS, &request) < 0)
		fail("the network device %s cannot be set up: %s", name, strerror(errno));
}

static void give_addresses(int sock, int end)
{
	struct in6_ifreq six = { .ifr6_prefixlen = 64, .ifr6_ifindex = if_nametoindex("link") };
	int sock6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {};
	struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "link");
	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(0x0a000001 + end);
	if (ioctl(sock, SIOCSIFADDR, &request) < 0)
		fail("the link's end gets no address: %s", strerror(errno));
	address->sin_addr.s_addr = htonl(0xffffff00);
	if (ioctl(sock, SIOCSIFNETMASK, &request) < 0)
		fail("the link's end gets no network: %s", strerror(errno));
	/* A link with packets of less than 1280 bytes has no IPv6. */
	inet_pton(AF_INET6, end == NEAR ? "fd00::1" : "fd00::2", &six.ifr6_addr);
	if (sock6 >= 0) {
		if (ioctl(sock6, SIOCSIFADDR, &six) < 0 && errno != ENODEV && errno != EINVAL && errno != ENOTSUP)
			fail("the link's end gets no IPv6 address: %s", strerror(errno));
		close(sock6);
	}
}

/* `is_machine_wide`: the settings that the whole machine has, which only its first namespace shows. */
static void make_end(int end, const bool *is_machine_wide)
{
	static const char *const usual[] = {
		/* A connection must not depend on those before it. */
		"net.ipv4.tcp_no_metrics_save=1",
		/* The kernel derives these from its memory; they are those of a large machine. */
		"net.ipv4.tcp_wmem=4096 16384 4194304",
		"net.ipv4.tcp_rmem=4096 131072 6291456",
		"net.ipv6.conf.default.accept_ra=0",
		"net.ipv6.conf.default.router_solicitations=0",
	};
	int sock, i;

	if (unshare(CLONE_NEWNET | CLONE_NEWUTS) < 0)
		fail("the namespaces of an end cannot be made: %s", strerror(errno));
	if (sethostname(end == NEAR ? "server" : "client", 6) < 0)
		fail("an end gets no name: %s", strerror(errno));
	namespaces[end][0] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	namespaces[end][1] = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < (int)(sizeof(usual) / sizeof(*usual)); ++i)
		set_sysctl(usual[i], false);
	for (i = 0; i < run.sysctl_count; ++i)
		set_sysctl(run.sysctl[i], is_machine_wide[i]);
	if (command_driver(CLIFT_ADD_END, end) < 0)
		fail("the link's end cannot be added: %s", strerror(errno));
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	set_up_device(sock, "lo");
	set_up_device(sock, "link");
	give_addresses(sock, end);
	close(sock);
}

void make_networks(void)
{
	bool is_machine_wide[MOST_LINES];
	int i;

	for (i = 0; i < run.sysctl_count; ++i)
		is_machine_wide[i] = try_sysctl(run.sysctl[i]) == 0;
	make_end(FAR, is_machine_wide);
	make_end(NEAR, is_machine_wide);
}

void enter_end(int end)
{
	if (setns(namespaces[end][0], CLONE_NEWNET) < 0 || setns(namespaces[end][1], CLONE_NEWUTS) < 0)
		fail("an end's namespaces cannot be entered: %s", strerror(errno));
}

static bool is_in_table(const char *path, unsigned int wanted_port, unsigned int wanted_state)
{
	FILE *table = fopen(path, "re");
	char line[512];
	bool is_found = false;

	if (!table)
		return false;
	while (!is_found && fgets(line, sizeof(line), table)) {
		unsigned int port, state;

		is_found = sscanf(line, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x", &port, &state) == 2 &&
			   port == wanted_port && state == wanted_state;
	}
	fclose(table);
	return is_found;
}

bool is_bound(const char *port)
{
	enum { LISTENING = 0x0a, UNCONNECTED = 0x07 };
	unsigned int number = atoi(port + 4);

	if (!strncmp(port, "tcp:", 4))
		return is_in_table("/proc/self/net/tcp", number, LISTENING) ||
		       is_in_table("/proc/self/net/tcp6", number, LISTENING);
	return is_in_table("/proc/self/net/udp", number, UNCONNECTED) ||
	       is_in_table("/proc/self/net/udp6", number, UNCONNECTED);
}

/* How many processes the machine has ended for want of memory. */
int64_t oom_kills(void)
{
	FILE *table = fopen("/proc/vmstat", "re");
	char line[128];
	long long count = 0;

	while (table && fgets(line, sizeof(line), table))
		if (sscanf(line, "oom_kill %lld", &count) == 1)
			break;
	if (table)
		fclose(table);
	return count;
}
