// SPDX-License-Identifier: GPL-2.0-or-later
/* The course of a run: servers, then clients; it ends with the last client or with its time. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "init.h"

static const int64_t ns_per_s = 1000000000, ready_step_ns = 100000000, grace_ns = 1000000000;

static int timer, children;

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * ns_per_s + now.tv_nsec - CLIFT_BEGIN_NS;
}

static bool is_server(const struct program *own)
{
	return !strncmp(own->name, "server", 6);
}

/* Waits until something happens, at most until a moment of the records' clock. */
static void wait_until(int64_t until_ns)
{
	const int64_t at_ns = until_ns + CLIFT_BEGIN_NS;
	const struct itimerspec when = { .it_value = { at_ns / ns_per_s, at_ns % ns_per_s } };
	struct pollfd waited[2 + 2 * MOST_PROGRAMS] = { { timer, POLLIN, 0 }, { children, POLLIN, 0 } };
	struct signalfd_siginfo news;
	int count = 2, i, k;

	timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
	for (i = 0; i < run.program_count; ++i)
		for (k = 0; k < 2; ++k)
			if (run.programs[i].streams[k].fd >= 0)
				waited[count++] = (struct pollfd){ run.programs[i].streams[k].fd, POLLIN, 0 };
	poll(waited, count, -1);
	while (read(children, &news, sizeof(news)) > 0)
		;
	read_outputs();
}

static bool are_ready(void)
{
	int i;

	for (i = 0; i < run.ready_count; ++i)
		if (!is_bound(run.ready[i]))
			return false;
	return true;
}

static void start_all(bool servers)
{
	int i;

	for (i = 0; i < run.program_count; ++i)
		if (is_server(&run.programs[i]) == servers)
			start(&run.programs[i]);
}

/* Whether a program runs; with `also_servers` false, a client that runs or has not been started. */
static bool is_any_left(bool also_servers)
{
	int i;

	for (i = 0; i < run.program_count; ++i) {
		const struct program *own = &run.programs[i];

		if (also_servers ? own->pid != 0 : !is_server(own) && !own->reason)
			return true;
	}
	return false;
}

static void signal_all(int number)
{
	int i;

	for (i = 0; i < run.program_count; ++i)
		if (run.programs[i].pid)
			kill(-run.programs[i].pid, number);
}

/* Ends what still runs: with a second to write its last words, then by force. */
static void stop_all(bool is_over)
{
	int64_t until_ns = now_ns() + grace_ns;
	int i;

	for (i = 0; i < run.program_count; ++i) {
		struct program *own = &run.programs[i];

		if (!own->is_started)
			own->reason = is_server(own) ? "absent" : "unready";
	}
	signal_all(SIGTERM);
	while (is_any_left(true) && now_ns() < until_ns) {
		wait_until(until_ns);
		reap(is_over ? "duration" : "stopped");
	}
	kill(-1, SIGKILL);
	while (is_any_left(true)) {
		wait_until(now_ns() + grace_ns);
		reap(is_over ? "duration" : "stopped");
	}
	read_outputs();
}

static void write_ended(void)
{
	char line[512];
	int i;

	add_to_file("ended.txt", "", 0);
	for (i = 0; i < run.program_count; ++i) {
		const struct program *own = &run.programs[i];

		snprintf(line, sizeof(line), "%s\t%lld\t%lld\t%d\t%d\t%s\t%lld\t%lld\n", own->name,
			 (long long)own->start_ns, (long long)own->end_ns, own->status, own->signal, own->reason,
			 (long long)own->streams[0].bytes, (long long)own->streams[1].bytes);
		add_to_file("ended.txt", line, strlen(line));
	}
}

void run_programs(void)
{
	int64_t check_ns = 0, now;
	bool clients_run = false;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (now_ns() > 0)
		fail("the start-up took longer than %lld ns of simulated time", CLIFT_BEGIN_NS);
	wait_until(0);
	start_all(true);
	while ((now = now_ns()) < run.duration_ns && is_any_left(false)) {
		if (!clients_run && now >= check_ns) {
			clients_run = are_ready();
			check_ns = (now / ready_step_ns + 1) * ready_step_ns;
			if (clients_run)
				start_all(false);
		}
		wait_until(clients_run || check_ns > run.duration_ns ? run.duration_ns : check_ns);
		reap(NULL);
	}
	now = now_ns();
	command_driver(CLIFT_CLOSE, 0);
	stop_all(now >= run.duration_ns);
	collect_out();
	write_ended();
}
