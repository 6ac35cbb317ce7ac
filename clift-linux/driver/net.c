// SPDX-License-Identifier: GPL-2.0-or-later
/* The two ends of a link as network devices. A packet that one end sends is handed to the link core, which says
 * when the other end has it; one timer per direction waits for the next such moment. */
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/limits.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <linux/version.h>
#include <net/inet_ecn.h>
#include <net/ip_fib.h>
#include <net/net_namespace.h>
#include <net/tcp.h>

#include "run.h"

struct clift_end {
	struct hrtimer timer; /* of the direction that begins here */
	int direction;
};

static struct net_device *ends[CLIFT_MOST_DIRECTIONS]; /* at which each direction begins */
static u64 begin_ns;

s64 clift_now_ns(void)
{
	return ktime_get_ns() - begin_ns;
}

void clift_begin(u64 at_ns)
{
	begin_ns = at_ns;
}

void clift_rearm(int direction)
{
	struct clift_end *end = netdev_priv(ends[direction]);
	s64 due_ns = min(clift_next_due_ns(direction), clift_queue_due_ns(direction));

	if (due_ns != S64_MAX)
		hrtimer_start(&end->timer, ns_to_ktime(due_ns + begin_ns), HRTIMER_MODE_ABS_SOFT);
}

/* The flow of a packet with TCP: the sender's port is its number. */
static int flow_of(const struct tcphdr *tcp)
{
	int port = ntohs(tcp->source);

	return (port >= CLIFT_SENDER_PORT ? port : ntohs(tcp->dest)) - CLIFT_SENDER_PORT;
}

/* Whether this is a packet of one of our flows. */
static bool describe(struct sk_buff *skb, int direction, struct clift_packet *packet)
{
	const struct iphdr *ip = ip_hdr(skb);
	const struct tcphdr *tcp = tcp_hdr(skb);

	if (IS_ENABLED(CONFIG_CLIFT_PROGRAMS))
		return clift_describe_any(skb, direction, packet);
	if (skb->protocol != htons(ETH_P_IP) || ip->protocol != IPPROTO_TCP)
		return false;
	*packet = (struct clift_packet){
		.handle = skb,
		.direction = direction,
		.flow = flow_of(tcp),
		.size_bytes = skb->len,
		.payload_bytes = skb->len - skb_tcp_all_headers(skb),
		.sequence = ntohl(tcp->seq),
		.acknowledged = ntohl(tcp->ack_seq),
		.syn = tcp->syn,
		.is_plain_ack = tcp->ack && !tcp->syn && !tcp->fin && !tcp->rst && !tcp->urg &&
				skb->len == sizeof(*ip) + sizeof(*tcp) + TCPOLEN_TSTAMP_ALIGNED,
		.ecn_flags = tcp_flag_word(tcp) & (TCP_FLAG_ECE | TCP_FLAG_CWR | TCP_RESERVED_BITS),
		.ecn = ip->tos & INET_ECN_MASK,
	};
	return packet->flow >= 0 && packet->flow < clift_flows();
}

static void free_dropped(void)
{
	void *skb;

	while ((skb = clift_dropped()) != NULL)
		dev_kfree_skb_any(skb);
}

static netdev_tx_t send(struct sk_buff *skb, struct net_device *device)
{
	struct clift_end *end = netdev_priv(device);
	struct clift_packet packet;

	/* The queue may hold it for long: its bytes must not count for the sending socket any more. */
	skb_orphan(skb);
	if (!describe(skb, end->direction, &packet)) {
		dev_kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	if (IS_ENABLED(CONFIG_CLIFT_PROGRAMS))
		clift_take_bytes(clift_now_ns(), &packet, skb->data);
	else
		clift_take(clift_now_ns(), &packet);
	free_dropped();
	clift_fill_queue(end->direction);
	clift_rearm(end->direction);
	return NETDEV_TX_OK;
}

void clift_mark(void *handle)
{
	INET_ECN_set_ce(handle);
}

static void deliver(struct sk_buff *skb, struct net_device *to)
{
	int flow = ntohs(tcp_hdr(skb)->dest) - CLIFT_SENDER_PORT;

	skb->dev = to;
	skb_scrub_packet(skb, true);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	if (IS_ENABLED(CONFIG_CLIFT_PROGRAMS)) {
		netif_receive_skb(skb);
		return;
	}
	clift_adopt(flow_of(tcp_hdr(skb)));
	netif_receive_skb(skb);
	if (flow >= 0)
		clift_watch(flow);
}

static enum hrtimer_restart settle(struct hrtimer *timer)
{
	struct clift_end *end = container_of(timer, struct clift_end, timer);
	struct sk_buff_head arrived;
	enum clift_fate fate;
	struct sk_buff *next;
	void *skb;

	if (IS_ENABLED(CONFIG_CLIFT_PROGRAMS) && clift_is_closed())
		return HRTIMER_NORESTART;
	/* All that is due comes off the link before the first answer is sent. */
	__skb_queue_head_init(&arrived);
	while ((fate = clift_due(clift_now_ns(), end->direction, &skb)) != CLIFT_NOTHING_DUE) {
		if (fate == CLIFT_DELIVERED)
			__skb_queue_tail(&arrived, skb);
		else
			kfree_skb(skb);
	}
	free_dropped();
	clift_fill_queue(end->direction);
	clift_serve_queue(end->direction);
	while ((next = __skb_dequeue(&arrived)) != NULL)
		deliver(next, ends[end->direction ^ 1]);
	clift_rearm(end->direction);
	return HRTIMER_NORESTART;
}

static void begin_timer(struct hrtimer *timer)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer->function = settle;
#else
	hrtimer_setup(timer, settle, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#endif
}

static const struct net_device_ops operations = { .ndo_start_xmit = send };

void clift_set_up(struct net_device *device)
{
	device->type = ARPHRD_NONE;
	device->flags = IFF_POINTOPOINT | IFF_NOARP;
	device->needs_free_netdev = true;
	/* Nothing is copied and no checksum computed; segmentation stays with TCP. */
	device->features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
	device->hw_features = device->features;
}

static void set_up(struct net_device *device)
{
	clift_set_up(device);
	device->netdev_ops = &operations;
	device->priv_flags |= IFF_NO_QUEUE;
	device->lltx = true;
}

static int give_address(struct net_device *device, int end, bool delayed_acks)
{
	struct ifreq request = {};
	struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;
	int error;

	snprintf(request.ifr_name, IFNAMSIZ, "%s%s", device->name, delayed_acks ? ":1" : "");
	*address = (struct sockaddr_in){ .sin_family = AF_INET,
					 .sin_addr.s_addr = htonl(clift_address(end, delayed_acks)) };
	error = devinet_ioctl(dev_net(device), SIOCSIFADDR, &request);
	if (error)
		return error;
	address->sin_addr.s_addr = htonl(0xffffff00);
	return devinet_ioctl(dev_net(device), SIOCSIFNETMASK, &request);
}

/* The route to the other end, with which every segment is acknowledged at once (`ip route add ... quickack 1`). */
static int add_quick_route(struct net_device *device, int end)
{
	struct {
		struct nlattr head;
		u32 value;
	} metric = { { .nla_len = NLA_HDRLEN + sizeof(u32), .nla_type = RTAX_QUICKACK }, 1 };
	struct fib_config route = {
		.fc_dst = htonl(clift_address(!end, false)),
		.fc_dst_len = 32,
		.fc_type = RTN_UNICAST,
		.fc_scope = RT_SCOPE_LINK,
		.fc_protocol = RTPROT_STATIC,
		.fc_table = RT_TABLE_MAIN,
		.fc_oif = device->ifindex,
		.fc_nlflags = NLM_F_CREATE,
		.fc_mx = &metric.head,
		.fc_mx_len = sizeof(metric),
		.fc_nlinfo = { .nl_net = dev_net(device) },
	};
	struct fib_table *table;
	int error = -ENOBUFS;

	rtnl_lock();
	table = fib_new_table(dev_net(device), RT_TABLE_MAIN);
	if (table)
		error = fib_table_insert(dev_net(device), table, &route, NULL);
	rtnl_unlock();
	return error;
}

int clift_add_end(struct net *net, int direction, int mtu)
{
	const char *name = direction < CLIFT_DIRECTIONS ? "link" : "link2";
	struct net_device *device = alloc_netdev(sizeof(struct clift_end), name, NET_NAME_PREDICTABLE, set_up);
	struct clift_end *own;
	int error;

	if (!device)
		return -ENOMEM;
	own = netdev_priv(device);
	own->direction = direction;
	begin_timer(&own->timer);
	device->mtu = mtu;
	device->min_mtu = 68;
	device->max_mtu = 65535;
	dev_net_set(device, net);
	error = register_netdev(device);
	if (error)
		return error;
	ends[direction] = device;
	if (IS_ENABLED(CONFIG_CLIFT_PROGRAMS))
		return 0; /* init configures it */
	rtnl_lock();
	error = dev_change_flags(device, device->flags | IFF_UP, NULL);
	rtnl_unlock();
	if (!error)
		error = give_address(device, direction, false) ?: give_address(device, direction, true);
	return error ?: add_quick_route(device, direction);
}
