/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between the link's ends (net.c) and the flows (run.c). */
#ifndef CLIFT_RUN_H
#define CLIFT_RUN_H

#include <linux/types.h>

#include "clift.h"

struct net;
struct net_device;

enum { CLIFT_SENDER_PORT = 10000, CLIFT_RECEIVER_PORT = 5000 };

/* 10.0.0.1 and 10.0.0.2 of flows whose receivers acknowledge at once, 10.0.1.1 and 10.0.1.2 of others. */
static inline u32 clift_address(int end, bool delayed_acks)
{
	return 0x0a000001 + end + (delayed_acks ? 0x100 : 0);
}

/* net.c */
int clift_add_end(struct net *net, int direction, int mtu); /* the end at which a direction begins */
void clift_set_up(struct net_device *device);
void clift_rearm(int direction);
/* From which moment on the clock of links and records counts. */
void clift_begin(u64 at_ns);
s64 clift_now_ns(void);

/* queue.c: the kernel's own discipline in front of each link */
const char *clift_choose_discipline(const char *name);
const char *clift_add_queue(struct net *net, int direction, const struct clift_settings *settings);
void clift_fill_queue(int direction);
void clift_serve_queue(int direction);
s64 clift_queue_due_ns(int direction);
s64 clift_queue_drops(int direction);

/* with programs at the ends: programs.c, and outside the kernel */
struct clift_packet;
struct sk_buff;
bool clift_is_closed(void);
bool clift_describe_any(struct sk_buff *skb, int direction, struct clift_packet *packet);
void clift_take_bytes(long long now_ns, struct clift_packet *packet, const void *bytes);

/* run.c */
int clift_flows(void);
void clift_watch(int flow);
void clift_adopt(int flow);

#endif
