// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own queueing discipline in front of each link: that of a second device, the modem, which the link holds
 * back. While the link sends a packet the others wait in the discipline, which drops and marks them by its own rule. */
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/limits.h>
#include <linux/netdevice.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/inet_ecn.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "run.h"

static struct net_device *modems[CLIFT_MOST_DIRECTIONS]; /* NULL: the link core's queue */
static struct sk_buff *joining; /* the packet that is being put into a queue */
static bool joining_has_left, others_have_left; /* during this */

/* Disciplines that mark only when they are told to, and the attribute that tells them. */
static const struct {
	const char *name;
	int attribute;
} told_to_mark[] = { { "codel", TCA_CODEL_ECN }, { "pie", TCA_PIE_ECN }, { "fq_pie", TCA_FQ_PIE_ECN } };

static struct Qdisc *qdisc_of(int direction)
{
	return rcu_dereference_raw(netdev_get_tx_queue(modems[direction], 0)->qdisc);
}

/* The destructor of a packet in a queue, which calls it when it drops the packet. fq also calls it when it takes one. */
static void left_queue(struct sk_buff *skb)
{
	if (skb == joining) {
		joining_has_left = true;
	} else {
		others_have_left = true;
		clift_queue_dropped(clift_now_ns(), skb, joining != NULL);
	}
}

static void join(struct sk_buff *skb, int direction)
{
	const struct Qdisc *qdisc = qdisc_of(direction);
	int result;

	/* As a packet that another host has sent. */
	skb_scrub_packet(skb, true);
	skb_clear_tstamp(skb);
	skb_clear_hash(skb);
	skb->dev = modems[direction];
	skb->destructor = left_queue;
	joining = skb;
	joining_has_left = others_have_left = false;
	result = dev_queue_xmit(skb);
	joining = NULL;
	if (joining_has_left && result != NET_XMIT_SUCCESS)
		clift_queue_dropped(clift_now_ns(), skb, others_have_left || qdisc->q.qlen >= qdisc->limit);
}

/* Puts the packets that have come to the queue of a direction into it. */
void clift_fill_queue(int direction)
{
	void *skb;

	while ((skb = clift_offered(direction)) != NULL)
		join(skb, direction);
}

static netdev_tx_t carry(struct sk_buff *skb, struct net_device *modem)
{
	int direction = *(int *)netdev_priv(modem);

	skb->destructor = NULL;
	netif_stop_queue(modem);
	clift_carry(clift_now_ns(), skb, ip_hdr(skb)->tos & INET_ECN_MASK);
	clift_rearm(direction);
	return NETDEV_TX_OK;
}

/* When the link takes the next packet that waits. */
s64 clift_queue_due_ns(int direction)
{
	struct net_device *modem = modems[direction];

	return modem && netif_queue_stopped(modem) ? clift_ready_ns(direction) : S64_MAX;
}

/* Lets the queue send if the link is ready. */
void clift_serve_queue(int direction)
{
	if (clift_queue_due_ns(direction) <= clift_now_ns())
		netif_wake_queue(modems[direction]);
}

s64 clift_queue_drops(int direction)
{
	return modems[direction] ? qdisc_of(direction)->qstats.drops : 0;
}

static const struct net_device_ops operations = { .ndo_start_xmit = carry };

static void set_up(struct net_device *device)
{
	clift_set_up(device);
	device->netdev_ops = &operations;
	device->tx_queue_len = DEFAULT_TX_QUEUE_LEN; /* without it, the device would have no queue */
}

/* `tc qdisc change ... ecn` */
static int let_it_mark(struct Qdisc *qdisc)
{
	struct {
		struct nlattr head, own;
		u32 value;
	} options = { { sizeof(options), TCA_OPTIONS | NLA_F_NESTED }, { NLA_HDRLEN + sizeof(u32) }, 1 };
	int i;

	for (i = 0; i < ARRAY_SIZE(told_to_mark); ++i) {
		if (strcmp(qdisc->ops->id, told_to_mark[i].name) != 0)
			continue;
		options.own.nla_type = told_to_mark[i].attribute;
		return qdisc->ops->change(qdisc, &options.head, NULL);
	}
	return 0;
}

/* Makes a discipline that of new devices. */
const char *clift_choose_discipline(const char *name)
{
	static char reason[128];

	if (!qdisc_set_default(name))
		return NULL;
	snprintf(reason, sizeof(reason), "this kernel has no queueing discipline %s", name);
	return reason;
}

const char *clift_add_queue(struct net *net, int direction, const struct clift_settings *settings)
{
	struct net_device *modem;
	struct Qdisc *qdisc;
	const char *wrong = clift_choose_discipline(settings->qdisc);
	int error;

	if (wrong)
		return wrong;
	modem = alloc_netdev(sizeof(int), "modem", NET_NAME_PREDICTABLE, set_up);
	if (!modem)
		return "no memory for the queue";
	*(int *)netdev_priv(modem) = direction;
	modem->mtu = settings->packet_bytes;
	modem->min_mtu = 68;
	modem->max_mtu = 65535;
	if (settings->qdisc_packets)
		modem->tx_queue_len = settings->qdisc_packets;
	dev_net_set(modem, net);
	if (register_netdev(modem))
		return "the queue's device could not be registered";
	modems[direction] = modem;
	rtnl_lock();
	error = dev_change_flags(modem, modem->flags | IFF_UP, NULL);
	qdisc = qdisc_of(direction);
	if (!error)
		error = strcmp(qdisc->ops->id, settings->qdisc) ? -EINVAL : let_it_mark(qdisc);
	if (settings->qdisc_packets)
		qdisc->limit = settings->qdisc_packets;
	rtnl_unlock();
	return error ? "the queueing discipline could not be set up" : NULL;
}
