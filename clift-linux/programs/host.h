/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between the kernel's part of program runs (programs.c) and its part outside (files.cc). */
#ifndef CLIFT_PROGRAMS_HOST_H
#define CLIFT_PROGRAMS_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reads programs.txt from an offset; returns the bytes read, or a negative error number. */
long clift_read_programs(char *to, unsigned long most, long long offset);
/* Adds data to a file of the run's folder and makes its folders; returns 0, or a negative error number. */
int clift_add_to_file(const char *name, const void *data, unsigned long bytes);
/* Remembers that a file of the host has been opened. */
void clift_used(const char *path);
/* Writes used.txt and flows.txt. */
void clift_write_lists(void);
struct clift_packet;
/* Puts a packet into the queue of its direction, with its number from its bytes; they are all of an IP packet. */
void clift_take_bytes(long long now_ns, struct clift_packet *packet, const void *bytes);
/* Whether a packet is a message of the kernel about the link, not of a program. */
int clift_is_housekeeping(const void *bytes, unsigned long count);

#ifdef __cplusplus
}
#endif

#endif
