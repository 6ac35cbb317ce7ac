/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between the kernel's part of the driver (C) and its part outside (C++, host.cc, path.cc): the link core of
 * clift-ns2, packet records, settings. Times are nanoseconds of simulated time. */
#ifndef CLIFT_H
#define CLIFT_H

#ifdef __cplusplus
extern "C" {
#endif

enum { CLIFT_FORWARD, CLIFT_RETURN, CLIFT_DIRECTIONS };

/* A run of programs can have a second path. Directions of path p are 2p + CLIFT_FORWARD and 2p + CLIFT_RETURN. */
enum { CLIFT_MOST_PATHS = 2, CLIFT_MOST_DIRECTIONS = CLIFT_MOST_PATHS * CLIFT_DIRECTIONS };

enum clift_fate { CLIFT_NOTHING_DUE, CLIFT_DELIVERED, CLIFT_GIVEN_UP };

enum { CLIFT_CONTROL_BYTES = 16, CLIFT_QDISC_BYTES = 16 };

struct clift_settings {
	long long flows;
	long long duration_ns;
	long long packet_bytes; /* MTU of the link: IP size of a full packet */
	long long send_buffer_bytes;
	long long window_packets; /* upper bound on each sender's congestion window */
	long long list_controls; /* instead of a run: write controls.txt */
	long long seed;
	char qdisc[CLIFT_QDISC_BYTES]; /* the kernel's own discipline in front of each link; empty: the link core's */
	long long qdisc_packets; /* its limit; 0: the usual one of the kernel */
};

struct clift_flow {
	char control[CLIFT_CONTROL_BYTES]; /* name of the congestion control */
	int direction; /* in which the flow's data travels */
	long long start_ns;
	long long end_ns; /* from then on it sends nothing new; 0: the end of the run */
	long long transfer_bytes; /* 0: until the end */
	long long first_half_bytes, pause_ns; /* of a transfer that pauses in the middle; 0 bytes: it does not */
	long long access_ns; /* one-way delay between its end of the path and the link */
	long long delayed_acks; /* 0: every segment is acknowledged at once */
	long long ecn; /* the value of tcp_ecn at both ends: 0 or 1 */
	long long receive_buffer_bytes; /* the largest, of both ends */
};

/* The fields of a packet that records need. */
struct clift_packet {
	void *handle; /* the kernel's own */
	int direction;
	int flow;
	unsigned int size_bytes; /* IP packet */
	unsigned int payload_bytes;
	unsigned int sequence, acknowledged;
	int syn;
	int is_plain_ack; /* no data, no flag of a connection, no option but timestamps */
	unsigned int ecn_flags; /* of the TCP header */
	unsigned char ecn; /* codepoint of the IP header */
	/* Of a datagram of QUIC's sender, from 1: no number comes twice, its data may. 0: TCP's sequence numbers tell. */
	long long number;
};

/* Reads settings.txt of the current folder and opens the traces. It ends the run when it cannot. */
void clift_open(struct clift_settings *settings);
/* Opens the second path if second.txt has its settings; returns whether there is one. */
int clift_open_second_path(void);
/* The settings of a flow; 0 <= flow < flows. */
const struct clift_flow *clift_flow_of(int flow);

/* Puts a packet into the queue of its direction. */
void clift_take(long long now_ns, const struct clift_packet *packet);
/* The same for a packet of no flow of the settings, which is numbered already. */
void clift_take_numbered(long long now_ns, const struct clift_packet *packet, long long sequence, int transmission);
/* The handle of a packet that has been dropped, the caller's to free; NULL if there is none. Asked after each call of
 * clift_take and clift_due. */
void *clift_dropped(void);
/* Time at which the next packet is due at the far end; the largest number if there is none. */
long long clift_next_due_ns(int direction);
/* Takes out the next packet that is due by now. */
enum clift_fate clift_due(long long now_ns, int direction, void **handle);

/* With the kernel's own discipline. The next packet that is to join the queue of a direction; NULL if there is none.
 * Asked after each call of clift_take and clift_due. */
void *clift_offered(int direction);
/* The queue hands a packet to the link, with the codepoint of its IP header; then the queue waits until clift_ready_ns. */
void clift_carry(long long now_ns, void *handle, unsigned char ecn);
/* When the link takes the next packet. */
long long clift_ready_ns(int direction);
/* The queue has dropped a packet, whose handle is gone: for want of room, or by its rule. */
void clift_queue_dropped(long long now_ns, void *handle, int is_for_want_of_room);

/* In the kernel: marks a packet, congestion experienced. */
void clift_mark(void *handle);

/* Records that data in order are handed to a flow's application, which TCP's segments tell by themselves. */
void clift_hand_over(long long now_ns, int flow, long long bytes);
void clift_record_window(long long now_ns, int flow, unsigned int cwnd_packets, unsigned int ssthresh_packets,
			 long long srtt_ns, int state, unsigned long long pacing_bytes_per_s);
/* Writes the names of the kernel's congestion controls. */
void clift_write_controls(const char *names);
void clift_count(const char *name, int flow, long long value); /* flow < 0: of the whole run */
/* Prints the reason and ends the run at once. */
void clift_fail(const char *reason) __attribute__((noreturn));
/* Completes the records and writes the counters. */
void clift_close(long long now_ns);

#ifdef __cplusplus
}
#endif

#endif
