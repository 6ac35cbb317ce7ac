// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs' processes: starts one, reads what it prints, says why it has ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

/* Rights that root of this machine does not have: no program mounts, traces init, sets the clock or ends the machine. */
static const int refused_rights[] = {
	CAP_SYS_ADMIN, CAP_SYS_BOOT,   CAP_SYS_MODULE, CAP_SYS_RAWIO,	       CAP_SYS_TIME,
	CAP_SYS_PTRACE, CAP_MAC_ADMIN, CAP_SYSLOG,     CAP_CHECKPOINT_RESTORE, CAP_PERFMON,
};

/* How many processes the machine has ended for want of memory. */
static int64_t oom_kills(void)
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

void start(struct program *own)
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

void reap(const char *reason)
{
	int status, i;
	pid_t pid;

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

void read_outputs(void)
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
