// SPDX-License-Identifier: GPL-2.0-or-later
/* One experiment: this kernel boots, runs the flows that its settings ask for between two network namespaces, and
 * powers off. Senders and receivers are kernel threads, so that no system call is simulated. */
#include <linux/bvec.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/in.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/net.h>
#include <linux/nsproxy.h>
#include <linux/reboot.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <net/snmp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "run.h"

enum { CHUNK_BYTES = 1 << 16 };

struct window {
	u32 cwnd, ssthresh, srtt_us;
	u64 pacing_bytes_per_s; /* 0: the sender does not space its packets */
	u8 state;
};

struct flow {
	struct socket *sender, *listener;
	u32 end_sequence; /* of what is written of a transfer */
	bool is_written, is_paused, is_done;
	struct completion first_half; /* of a transfer with a pause is acknowledged */
	struct window last;
};

static struct clift_settings settings;
static struct flow *flows;
static struct net *networks[CLIFT_DIRECTIONS];
static atomic_t unfinished;
static DECLARE_WAIT_QUEUE_HEAD(finished);
static struct page *zeros; /* CHUNK_BYTES of data: every segment refers to them */

int clift_flows(void)
{
	return settings.flows;
}

/* Gives both ends the settings of a flow: the kernel keeps them for a whole network, and reads them when the flow's
 * sockets are made, connect, and take packets and data. None of these waits, so that no other flow comes between. */
void clift_adopt(int flow)
{
	const struct clift_flow *own = clift_flow_of(flow);
	static const int usual_bytes = 131072;
	int end;

	for (end = 0; end < CLIFT_DIRECTIONS; ++end) {
		struct netns_ipv4 *ipv4 = &networks[end]->ipv4;

		ipv4->sysctl_tcp_rmem[1] = min_t(s64, usual_bytes, own->receive_buffer_bytes);
		ipv4->sysctl_tcp_rmem[2] = own->receive_buffer_bytes; /* largest, when it has grown */
		ipv4->sysctl_tcp_ecn = own->ecn;
	}
}

static bool is_same(const struct window *a, const struct window *b)
{
	return a->cwnd == b->cwnd && a->ssthresh == b->ssthresh && a->srtt_us == b->srtt_us &&
	       a->pacing_bytes_per_s == b->pacing_bytes_per_s && a->state == b->state;
}

/* Ends the run with the last transfer whose data are acknowledged; begins the pause of a transfer. */
static void look_for_end(struct flow *flow, const struct tcp_sock *tcp)
{
	if (!flow->is_written || flow->is_done || before(tcp->snd_una, flow->end_sequence))
		return;
	if (flow->is_paused) {
		flow->is_written = flow->is_paused = false;
		complete(&flow->first_half);
		return;
	}
	flow->is_done = true;
	if (atomic_dec_and_test(&unfinished))
		wake_up(&finished);
}

/* Records a sender's window where it has changed. */
void clift_watch(int flow)
{
	struct flow *own = &flows[flow];
	const struct tcp_sock *tcp;
	const struct sock *sk;
	struct window now;

	if (!own->sender)
		return;
	sk = own->sender->sk;
	tcp = tcp_sk(sk);
	look_for_end(own, tcp);
	now = (struct window){ tcp_snd_cwnd(tcp), tcp->snd_ssthresh, tcp->srtt_us >> 3,
			       sk->sk_pacing_status == SK_PACING_NONE ? 0 : sk->sk_pacing_rate,
			       inet_csk(sk)->icsk_ca_state };
	if (is_same(&now, &own->last))
		return;
	own->last = now;
	clift_record_window(clift_now_ns(), flow, now.cwnd, now.ssthresh, 1000LL * now.srtt_us, now.state,
			    now.pacing_bytes_per_s);
}

static struct socket *bound_socket(struct net *net, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct socket *sock;

	if (sock_create_kern(net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &sock))
		return NULL;
	if (kernel_bind(sock, (void *)&address, sizeof(address))) {
		sock_release(sock);
		return NULL;
	}
	return sock;
}

/* Whether reading would not wait. */
static bool has_news(const struct sock *sk)
{
	return !skb_queue_empty_lockless(&sk->sk_receive_queue) || sk->sk_shutdown || sk->sk_err;
}

static int receive(void *argument)
{
	struct flow *flow = argument;
	int number = flow - flows;
	struct socket *sock;

	if (kernel_accept(flow->listener, &sock, 0))
		return 0;
	for (;;) {
		struct msghdr message = { .msg_flags = MSG_TRUNC };
		struct kvec nowhere = { NULL, CHUNK_BYTES };

		if (wait_event_interruptible(*sk_sleep(sock->sk), has_news(sock->sk)))
			return 0;
		clift_adopt(number);
		if (kernel_recvmsg(sock, &message, &nowhere, 1, CHUNK_BYTES, MSG_TRUNC | MSG_DONTWAIT) <= 0)
			return 0;
	}
}

static void sleep_until(s64 time_ns)
{
	ktime_t at = ns_to_ktime(ktime_get_ns() + max_t(s64, time_ns - clift_now_ns(), 0));

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&at, HRTIMER_MODE_ABS);
}

/* Writes bytes, which may be more than any transfer. Returns false if the connection has failed. */
static bool write(struct flow *flow, s64 left)
{
	while (left > 0) {
		size_t bytes = min_t(s64, left, CHUNK_BYTES);
		struct msghdr message = { .msg_flags = MSG_SPLICE_PAGES };
		struct bio_vec data;
		int count;

		bvec_set_page(&data, zeros, bytes, 0);
		iov_iter_bvec(&message.msg_iter, ITER_SOURCE, &data, 1, bytes);
		count = sock_sendmsg(flow->sender, &message);
		if (count <= 0)
			return false;
		left -= count;
	}
	flow->end_sequence = tcp_sk(flow->sender->sk)->write_seq;
	flow->is_written = true;
	return true;
}

static int send(void *argument)
{
	struct flow *flow = argument;
	int number = flow - flows;
	const struct clift_flow *own = clift_flow_of(number);
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(CLIFT_RECEIVER_PORT + number),
				  .sin_addr.s_addr = htonl(clift_address(!own->direction, own->delayed_acks)) };
	s64 left = own->transfer_bytes ?: S64_MAX;

	sleep_until(own->start_ns);
	clift_adopt(number);
	if (kernel_connect(flow->sender, (void *)&to, sizeof(to), 0))
		return 0;
	/* Hybla sets a bound of its own when the connection is established. */
	tcp_sk(flow->sender->sk)->snd_cwnd_clamp = settings.window_packets;
	if (own->first_half_bytes) {
		flow->is_paused = true;
		if (!write(flow, own->first_half_bytes))
			return 0;
		wait_for_completion(&flow->first_half);
		sleep_until(clift_now_ns() + own->pause_ns);
		left -= own->first_half_bytes;
	}
	write(flow, left);
	return 0;
}

static const char *prepare_network(int end)
{
	struct net *net;

	if (end == 0) {
		net = &init_net;
	} else {
		net = copy_net_ns(CLONE_NEWNET, &init_user_ns, &init_net);
		if (IS_ERR(net))
			return "no second network namespace";
	}
	networks[end] = net;
	net->ipv4.sysctl_tcp_wmem[1] = net->ipv4.sysctl_tcp_wmem[2] = settings.send_buffer_bytes;
	if (clift_add_end(net, end, settings.packet_bytes))
		return "the link's end could not be set up";
	return settings.qdisc[0] ? clift_add_queue(net, end, &settings) : NULL;
}

/* Takes back what the application has written and the sender has not sent yet. */
static int stop(void *argument)
{
	struct flow *flow = argument;
	struct sock *sk = flow->sender->sk;
	struct tcp_sock *tcp = tcp_sk(sk);
	struct sk_buff *unsent;

	sleep_until(clift_flow_of(flow - flows)->end_ns);
	lock_sock(sk);
	sk->sk_shutdown |= SEND_SHUTDOWN; /* a write that waits for room fails; no FIN is sent */
	while ((unsent = tcp_send_head(sk)) != NULL) {
		tcp_unlink_write_queue(unsent, sk);
		tcp_wmem_free_skb(sk, unsent);
	}
	WRITE_ONCE(tcp->write_seq, tcp->snd_nxt);
	tcp->pushed_seq = tcp->snd_nxt;
	flow->end_sequence = tcp->snd_nxt;
	flow->is_written = clift_flow_of(flow - flows)->transfer_bytes != 0;
	sk->sk_state_change(sk);
	release_sock(sk);
	return 0;
}

static const char *controls(void)
{
	static char names[TCP_CA_BUF_MAX];

	tcp_get_available_congestion_control(names, sizeof(names));
	return names;
}

static const char *no_control(const char *name)
{
	static char reason[TCP_CA_BUF_MAX + 128];

	snprintf(reason, sizeof(reason), "this kernel has no congestion control %s; it has %s", name, controls());
	return reason;
}

static bool set_control(struct socket *sock, const char *control)
{
	return !sock->ops->setsockopt(sock, SOL_TCP, TCP_CONGESTION, KERNEL_SOCKPTR((void *)control), strlen(control));
}

static const char *prepare_flow(int number)
{
	struct flow *flow = &flows[number];
	const struct clift_flow *own = clift_flow_of(number);
	int from = own->direction;

	clift_adopt(number);
	flow->listener = bound_socket(networks[!from], CLIFT_RECEIVER_PORT + number);
	flow->sender = bound_socket(networks[from], CLIFT_SENDER_PORT + number);
	if (!flow->listener || !flow->sender)
		return "no socket could be made";
	/* The receiver of a control that counts marks echoes each of them. */
	if (!set_control(flow->sender, own->control) || (own->ecn && !set_control(flow->listener, own->control)))
		return no_control(own->control);
	if (kernel_listen(flow->listener, 1))
		return "no socket could listen";
	init_completion(&flow->first_half);
	kthread_run(receive, flow, "receive%d", number);
	kthread_run(send, flow, "send%d", number);
	if (own->end_ns)
		kthread_run(stop, flow, "stop%d", number);
	return NULL;
}

static void count_flow(int number)
{
	struct tcp_info info;

	tcp_get_info(flows[number].sender->sk, &info);
	clift_count("timeouts", number, info.tcpi_total_rto);
	clift_count("rwnd_limited_us", number, info.tcpi_rwnd_limited);
	clift_count("sndbuf_limited_us", number, info.tcpi_sndbuf_limited);
}

static s64 mib(int entry)
{
	s64 sum = 0;
	int end;

	for (end = 0; end < CLIFT_DIRECTIONS; ++end)
		sum += snmp_fold_field((void __percpu *)networks[end]->mib.net_statistics, entry);
	return sum;
}

/* Counts the transfers, and one more that never ends if a forward flow sends until the end. */
static int count_transfers(void)
{
	int transfers = 0, i;
	bool is_endless = false;

	for (i = 0; i < settings.flows; ++i) {
		transfers += clift_flow_of(i)->transfer_bytes != 0;
		is_endless |= !clift_flow_of(i)->transfer_bytes && clift_flow_of(i)->direction == CLIFT_FORWARD;
	}
	return transfers + is_endless;
}

static const char *run(void)
{
	const char *wrong = NULL;
	int i;

	flows = kcalloc(settings.flows, sizeof(*flows), GFP_KERNEL);
	zeros = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_COMP, get_order(CHUNK_BYTES));
	if (!flows || !zeros)
		return "no memory for the flows";
	/* Little memory must not mean memory pressure for TCP. */
	sysctl_tcp_mem[0] = sysctl_tcp_mem[1] = sysctl_tcp_mem[2] = LONG_MAX / PAGE_SIZE / 4;
	atomic_set(&unfinished, count_transfers());
	for (i = 0; i < CLIFT_DIRECTIONS && !wrong; ++i)
		wrong = prepare_network(i);
	current->timer_slack_ns = 1;
	clift_begin(ktime_get_ns());
	for (i = 0; i < settings.flows && !wrong; ++i)
		wrong = prepare_flow(i);
	if (wrong)
		return wrong;
	wait_event_hrtimeout(finished, atomic_read(&unfinished) == 0, ns_to_ktime(settings.duration_ns));
	for (i = 0; i < settings.flows; ++i)
		count_flow(i);
	clift_count("memory_pressures", -1, mib(LINUX_MIB_TCPMEMORYPRESSURES));
	clift_count("receive_queue_drops", -1, mib(LINUX_MIB_TCPRCVQDROP) + mib(LINUX_MIB_TCPBACKLOGDROP));
	clift_count("receive_queue_prunes", -1, mib(LINUX_MIB_PRUNECALLED));
	clift_count("qdisc_drops", -1, clift_queue_drops(CLIFT_FORWARD) + clift_queue_drops(CLIFT_RETURN));
	return NULL;
}

static int __init clift_run(void)
{
	const char *wrong;

	clift_open(&settings);
	if (settings.list_controls) {
		wrong = settings.qdisc[0] ? clift_choose_discipline(settings.qdisc) : NULL;
		if (wrong)
			clift_fail(wrong);
		clift_write_controls(controls());
		kernel_power_off();
		return 0;
	}
	wrong = run();
	if (wrong)
		clift_fail(wrong);
	clift_close(clift_now_ns());
	kernel_power_off();
	return 0;
}
late_initcall(clift_run);
