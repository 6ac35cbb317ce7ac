/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between init (init.c) and the driver: the device /dev/clift, which only process 1 may open.
 * read() gives programs.txt. write() takes a name, a zero byte and data, which are added to that file of the run's
 * folder. */
#ifndef CLIFT_CONTROL_H
#define CLIFT_CONTROL_H

#define CLIFT_CONTROL_DEVICE "/dev/clift"

/* Simulated time since boot at which the clock of links and records is 0. */
#define CLIFT_BEGIN_NS 1000000000LL

enum {
	CLIFT_MOST_WRITTEN_BYTES = 1 << 15, /* in one call */

	CLIFT_ADD_END = 0xc100, /* puts the end at which this direction begins into the caller's network namespace */
	CLIFT_BOUND_PROCESSOR, /* most processor time of all programs together, in s; 0: none */
	CLIFT_SETTINGS, /* fills the struct clift_run_settings at this address */
	CLIFT_CLOSE, /* cuts the link and completes its records */
	CLIFT_END, /* writes the lists of flows and of the host's files */
	CLIFT_FAIL, /* ends the run with the reason at this address */
};

struct clift_run_settings {
	long long duration_ns;
	long long seed;
	long long paths;
};

#endif
