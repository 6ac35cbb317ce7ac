/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process 1 of the simulated machine: what its parts share. */
#ifndef CLIFT_INIT_H
#define CLIFT_INIT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { NEAR, FAR, ENDS };
enum { FIRST, SECOND }; /* paths */
enum { MOST_PROGRAMS = 64, MOST_LINES = 256 };

#define OUT "/out"
#define FILES "/files"

struct stream {
	int fd; /* -1: closed */
	const char *suffix;
	int64_t bytes; /* printed in all */
};

struct program {
	const char *name, *command;
	int end;
	const char *env[MOST_LINES];
	int env_count;

	pid_t pid; /* 0: not started, or ended */
	bool is_started;
	struct stream streams[2];
	int64_t start_ns, end_ns;
	int status, signal; /* status -1: none */
	const char *reason; /* NULL: it has not ended */
	int64_t oom_kills; /* of the machine, when it started */
};

/* programs.txt and settings.txt */
struct run {
	const char *root, *files;
	const char *hidden[MOST_LINES], *sysctl[MOST_LINES], *ready[MOST_LINES];
	int hidden_count, sysctl_count, ready_count;
	int64_t processor_s, output_bytes, duration_ns, seed;
	int paths;
	struct program programs[MOST_PROGRAMS];
	int program_count;
};

extern struct run run;

/* init.c: the device of the driver */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void add_to_file(const char *name, const void *data, size_t bytes);
int command_driver(unsigned int command, unsigned long argument);

/* settings.c */
void read_run(ssize_t (*read_some)(char *to, size_t most));

/* root.c */
void make_root(void);
void write_text(const char *path, const char *text);

/* ends.c */
void make_networks(void);
struct in_addr address_of(int path, int end);
struct in6_addr address6_of(int path, int end);
void enter_end(int end); /* its namespaces */
bool is_bound(const char *port); /* `tcp:N` or `udp:N`, at the near end */

/* mptcp.c */
void manage_paths(int end); /* in its namespaces, with a second path */

/* processes.c */
void start(struct program *own);
void reap(const char *reason); /* collects the processes that have ended; NULL: each has its own reason */
void read_outputs(void);

/* course.c */
void run_programs(void);
int64_t now_ns(void); /* on the clock of the records */

/* out.c */
void collect_out(void);

#endif
