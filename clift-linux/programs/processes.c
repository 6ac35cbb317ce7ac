// SPDX-License-Identifier: GPL-2.0-or-later
/* Starts the programs, reads what they print, and ends the run with the last client. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "init.h"

static const int64_t ns_per_s = 1000000000, ready_step_ns = 100000000, grace_ns = 1000000000;

/* Rights that root of this machine does not have: no program mounts, traces init, sets the clock or ends the machine. */
static const int refused_rights[] = {
	CAP_SYS_ADMIN, CAP_SYS_BOOT,   CAP_SYS_MODULE, CAP_SYS_RAWIO,	       CAP_SYS_TIME,
	CAP_SYS_PTRACE, CAP_MAC_ADMIN, CAP_SYSLOG,     CAP_CHECKPOINT_RESTORE, CAP_PERFMON,
};

static int timer, children;
static bool clients_run;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * ns_per_s + now.tv_nsec - CLIFT_BEGIN_NS;
}

static bool is_server(const struct program *own)
{
	return !strncmp(own->name, "server", 6);
}

static void set_environment(const struct program *own)
{
	static char seed[32];
	int i;

	clearenv();
	snprintf(seed, sizeof(seed), "SEED=%lld", (long long)run.seed);
	putenv("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	putenv("HOME=/tmp");
	putenv("TMPDIR=/tmp");
	putenv("FILES=" FILES);
	putenv("OUT=" OUT);
	putenv(seed);
	putenv("LC_ALL=C.UTF-8");
	putenv("TZ=UTC");
	for (i = 0; i < own->env_count; ++i)
		putenv((char *)own->env[i]);
}

static void execute(const struct program *own, const int outputs[2])
{
	const struct rlimit no_core = {};
	sigset_t none;
	int input = open("/dev/null", O_RDONLY);
	size_t i;

	setsid();
	enter_end(own->end);
	if (dup2(input, 0) < 0 || dup2(outputs[0], 1) < 0 || dup2(outputs[1], 2) < 0)
		_exit(126);
	close(input);
	for (i = 0; i < sizeof(refused_rights) / sizeof(*refused_rights); ++i)
		prctl(PR_CAPBSET_DROP, refused_rights[i], 0, 0, 0);
	write_text("/proc/self/oom_score_adj", "0");
	setrlimit(RLIMIT_CORE, &no_core);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	set_environment(own);
	if (chdir("/tmp") < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", own->command, NULL);
	_exit(127);
}

static void end(struct program *own, const char *reason)
{
	own->pid = 0;
	own->end_ns = now_ns();
	own->reason = reason;
}

static void start(struct program *own)
{
	int outputs[2][2], i;

	own->start_ns = now_ns();
	own->is_started = true;
	own->oom_kills = oom_kills();
	if (access("/bin/sh", X_OK) < 0) {
		end(own, "absent");
		return;
	}
	for (i = 0; i < 2; ++i) {
		char name[512];

		if (pipe2(outputs[i], O_CLOEXEC) < 0)
			fail("%s gets no pipe: %s", own->name, strerror(errno));
		own->streams[i].fd = outputs[i][0];
		fcntl(own->streams[i].fd, F_SETFL, O_NONBLOCK);
		snprintf(name, sizeof(name), "out/%s.%s", own->name, own->streams[i].suffix);
		add_to_file(name, "", 0);
	}
	own->pid = fork();
	if (own->pid < 0)
		fail("%s cannot be started: %s", own->name, strerror(errno));
	if (own->pid == 0)
		execute(own, (const int[]){ outputs[0][1], outputs[1][1] });
	for (i = 0; i < 2; ++i)
		close(outputs[i][1]);
}

static bool is_out_full(void)
{
	struct statvfs found;

	return statvfs(OUT, &found) == 0 && (found.f_bavail == 0 || found.f_favail == 0);
}

static const char *reason_of(const struct program *own)
{
	bool is_killed = own->signal == SIGKILL || own->status == 128 + SIGKILL;

	if (own->signal == SIGXCPU || own->status == 128 + SIGXCPU)
		return "processor";
	if (is_killed && oom_kills() > own->oom_kills)
		return "memory";
	if (own->status != 0 && is_out_full())
		return "output";
	return "exited";
}

/* Collects the processes that have ended. */
static void reap(const char *reason)
{
	struct signalfd_siginfo news;
	int status, i;
	pid_t pid;

	while (read(children, &news, sizeof(news)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < run.program_count; ++i) {
			struct program *own = &run.programs[i];

			if (own->pid != pid)
				continue;
			own->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
			own->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
			end(own, reason ? reason : reason_of(own));
		}
	}
}

static void print(struct program *own, struct stream *stream, const char *data, int64_t bytes)
{
	int64_t before = stream->bytes, room = run.output_bytes - before;
	char name[512], mark[64];

	stream->bytes += bytes;
	snprintf(name, sizeof(name), "out/%s.%s", own->name, stream->suffix);
	if (room > 0)
		add_to_file(name, data, bytes < room ? bytes : room);
	if (room >= 0 && bytes > room) {
		snprintf(mark, sizeof(mark), "\n[cut after %lld bytes]\n", (long long)run.output_bytes);
		add_to_file(name, mark, strlen(mark));
	}
}

static void read_outputs(void)
{
	static char data[1 << 16];
	int i, k;

	for (i = 0; i < run.program_count; ++i) {
		for (k = 0; k < 2; ++k) {
			struct stream *stream = &run.programs[i].streams[k];
			ssize_t count = 0;

			while (stream->fd >= 0 && (count = read(stream->fd, data, sizeof(data))) > 0)
				print(&run.programs[i], stream, data, count);
			if (stream->fd >= 0 && count == 0) {
				close(stream->fd);
				stream->fd = -1;
			}
		}
	}
}

/* Waits until something happens, at most until a moment of the records' clock. */
static void wait_until(int64_t until_ns)
{
	const int64_t at_ns = until_ns + CLIFT_BEGIN_NS;
	const struct itimerspec when = { .it_value = { at_ns / ns_per_s, at_ns % ns_per_s } };
	struct pollfd waited[2 + 2 * MOST_PROGRAMS] = { { timer, POLLIN, 0 }, { children, POLLIN, 0 } };
	int count = 2, i, k;

	timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
	for (i = 0; i < run.program_count; ++i)
		for (k = 0; k < 2; ++k)
			if (run.programs[i].streams[k].fd >= 0)
				waited[count++] = (struct pollfd){ run.programs[i].streams[k].fd, POLLIN, 0 };
	poll(waited, count, -1);
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
