// SPDX-License-Identifier: GPL-2.0-or-later
/* The two ends of the links: network namespaces, addresses, names; what the machine's kernel says about them. */
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
#include <unistd.h>

#include "control.h"
#include "init.h"

enum { MOST_PATH = 4096 };

static int namespaces[ENDS][2]; /* network, host name */

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

	if (error && !is_set_elsewhere)
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

struct in_addr address_of(int path, int end)
{
	return (struct in_addr){ htonl(0x0a000001 + (path << 8) + end) };
}

struct in6_addr address6_of(int path, int end)
{
	return (struct in6_addr){ { { [0] = 0xfd, [1] = path, [15] = 1 + end } } };
}

static void give_addresses(int sock, const char *name, int path, int end)
{
	struct in6_ifreq six = {
		.ifr6_addr = address6_of(path, end),
		.ifr6_prefixlen = 64,
		.ifr6_ifindex = if_nametoindex(name),
	};
	int sock6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {};
	struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	address->sin_family = AF_INET;
	address->sin_addr = address_of(path, end);
	if (ioctl(sock, SIOCSIFADDR, &request) < 0)
		fail("the link's end gets no address: %s", strerror(errno));
	address->sin_addr.s_addr = htonl(0xffffff00);
	if (ioctl(sock, SIOCSIFNETMASK, &request) < 0)
		fail("the link's end gets no network: %s", strerror(errno));
	/* A link with packets of less than 1280 bytes has no IPv6. */
	if (sock6 >= 0) {
		if (ioctl(sock6, SIOCSIFADDR, &six) < 0 && errno != ENODEV && errno != EINVAL && errno != ENOTSUP)
			fail("the link's end gets no IPv6 address: %s", strerror(errno));
		close(sock6);
	}
}

static void add_devices(int end)
{
	int path;

	for (path = FIRST; path < run.paths; ++path)
		if (command_driver(CLIFT_ADD_END, ENDS * path + end) < 0)
			fail("the link's end cannot be added: %s", strerror(errno));
}

static void set_up_devices(int sock, int end)
{
	static const char *const names[] = { "link", "link2" };
	int path;

	set_up_device(sock, "lo");
	for (path = FIRST; path < run.paths; ++path) {
		set_up_device(sock, names[path]);
		give_addresses(sock, names[path], path, end);
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
	add_devices(end);
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	set_up_devices(sock, end);
	close(sock);
	if (run.paths > 1)
		manage_paths(end);
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
