//! The two links of a path, records and settings: the C interface of `clift-linux/driver/clift.h`.
use std::ffi::{c_char, c_int, c_longlong, c_uchar, c_uint, c_ulonglong, c_void, CStr, CString};
use std::marker::PhantomData;
use std::ptr;

pub const DIRECTIONS: usize = 2;
const CONTROL_BYTES: usize = 16;
const QDISC_BYTES: usize = 16;
const DELIVERED: c_int = 1;
const NOTHING_DUE: c_int = 0;
/// What a control that has none says for its threshold, as Linux does.
const NO_THRESHOLD: c_uint = 0x7fff_ffff;

/// Settings of the whole run; times in nanoseconds of simulated time.
#[repr(C)]
#[derive(Default)]
pub struct Settings {
    flows: c_longlong,
    pub duration_ns: c_longlong,
    pub packet_bytes: c_longlong,
    send_buffer_bytes: c_longlong,
    pub window_packets: c_longlong,
    list_controls: c_longlong,
    pub seed: c_longlong,
    qdisc: [c_char; QDISC_BYTES],
    qdisc_packets: c_longlong,
}

#[repr(C)]
struct RawFlow {
    control: [c_char; CONTROL_BYTES],
    direction: c_int,
    start_ns: c_longlong,
    end_ns: c_longlong,
    transfer_bytes: c_longlong,
    first_half_bytes: c_longlong,
    pause_ns: c_longlong,
    access_ns: c_longlong,
    delayed_acks: c_longlong,
    ecn: c_longlong,
    receive_buffer_bytes: c_longlong,
}

#[repr(C)]
struct RawPacket {
    handle: *mut c_void,
    direction: c_int,
    flow: c_int,
    size_bytes: c_uint,
    payload_bytes: c_uint,
    sequence: c_uint,
    acknowledged: c_uint,
    syn: c_int,
    is_plain_ack: c_int,
    ecn_flags: c_uint,
    ecn: c_uchar,
    number: c_longlong,
}

extern "C" {
    fn clift_open(settings: *mut Settings);
    fn clift_flow_of(flow: c_int) -> *const RawFlow;
    fn clift_take(now_ns: c_longlong, packet: *const RawPacket);
    fn clift_dropped() -> *mut c_void;
    fn clift_next_due_ns(direction: c_int) -> c_longlong;
    fn clift_due(now_ns: c_longlong, direction: c_int, handle: *mut *mut c_void) -> c_int;
    fn clift_hand_over(now_ns: c_longlong, flow: c_int, bytes: c_longlong);
    fn clift_record_window(
        now_ns: c_longlong,
        flow: c_int,
        cwnd_packets: c_uint,
        ssthresh_packets: c_uint,
        srtt_ns: c_longlong,
        state: c_int,
        pacing_bytes_per_s: c_ulonglong,
    );
    fn clift_count(name: *const c_char, flow: c_int, value: c_longlong);
    fn clift_fail(reason: *const c_char) -> !;
    fn clift_close(now_ns: c_longlong);
}

/// The settings of one flow.
pub struct FlowSettings {
    pub control: String,
    /// In which its data travel.
    pub direction: usize,
    pub start_ns: i64,
    /// From then on it sends nothing new; 0: the end of the run.
    pub end_ns: i64,
    /// 0: it sends until the end.
    pub transfer_bytes: i64,
    /// Of a transfer that pauses in the middle; 0: it does not.
    pub first_half_bytes: i64,
    pub pause_ns: i64,
    pub is_ecn: bool,
    pub receive_buffer_bytes: i64,
}

/// A datagram of a flow on its way in a direction.
pub struct Datagram {
    pub flow: usize,
    pub direction: usize,
    /// From 1 for the datagrams of a flow's sender, 0 for those of its receiver.
    pub number: i64,
    /// Codepoint of the IP header.
    pub ecn: u8,
    pub bytes: Vec<u8>,
}

/// Congestion experienced.
const CE: u8 = 3;

/// The link has marked a datagram.
#[no_mangle]
extern "C" fn clift_mark(handle: *mut c_void) {
    unsafe { (*handle.cast::<Datagram>()).ecn = CE };
}

/// A sender's window; equal ones are recorded once.
#[derive(Clone, Copy, PartialEq)]
pub struct Window {
    pub cwnd_packets: u64,
    pub ssthresh_packets: Option<u64>,
    /// 0 before the first sample.
    pub srtt_ns: i64,
    /// 0 where the control does not say it.
    pub pacing_bytes_per_s: u64,
}

/// Ends the run with a reason.
pub fn fail(reason: &str) -> ! {
    let reason = CString::new(reason.replace('\0', " ")).expect("no zero byte");
    unsafe { clift_fail(reason.as_ptr()) }
}

/// Both links of the path; there is one for each process.
pub struct Path(PhantomData<*mut ()>);

impl Path {
    /// Reads settings.txt of the current folder and opens the traces; the run ends when it cannot.
    pub fn open() -> (Self, Settings, Vec<FlowSettings>) {
        let mut settings = Settings::default();
        unsafe { clift_open(&mut settings) };
        let flows = (0..settings.flows as c_int).map(flow_settings).collect();
        (Self(PhantomData), settings, flows)
    }

    /// Puts a datagram, with headers of `header_bytes`, into the queue of its direction.
    pub fn take(&mut self, now_ns: i64, datagram: Datagram, header_bytes: usize) {
        let packet = RawPacket {
            direction: datagram.direction as c_int,
            flow: datagram.flow as c_int,
            size_bytes: (datagram.bytes.len() + header_bytes) as c_uint,
            payload_bytes: datagram.bytes.len() as c_uint,
            sequence: 0,
            acknowledged: 0,
            syn: 0,
            is_plain_ack: 0,
            ecn_flags: 0,
            ecn: datagram.ecn,
            number: datagram.number,
            handle: Box::into_raw(Box::new(datagram)).cast(),
        };
        unsafe { clift_take(now_ns, &packet) };
        self.free_dropped();
    }

    /// The next datagram that arrives by `now_ns` in a direction.
    pub fn arrived(&mut self, now_ns: i64, direction: usize) -> Option<Datagram> {
        loop {
            let mut handle = ptr::null_mut();
            let fate = unsafe { clift_due(now_ns, direction as c_int, &mut handle) };
            self.free_dropped();
            if fate == NOTHING_DUE {
                return None;
            }
            let datagram = unsafe { Box::from_raw(handle.cast::<Datagram>()) };
            if fate == DELIVERED {
                return Some(*datagram);
            }
        }
    }

    /// Time at which something is due in either direction.
    pub fn next_ns(&self) -> i64 {
        (0..DIRECTIONS).map(|direction| unsafe { clift_next_due_ns(direction as c_int) }).min().expect("two directions")
    }

    /// Records that bytes of a flow are handed to its application, in order.
    pub fn hand_over(&mut self, now_ns: i64, flow: usize, bytes: u64) {
        unsafe { clift_hand_over(now_ns, flow as c_int, bytes as c_longlong) };
    }

    pub fn record_window(&mut self, now_ns: i64, flow: usize, window: Window) {
        let threshold = window.ssthresh_packets.map_or(NO_THRESHOLD, |packets| packets.min(NO_THRESHOLD.into()) as c_uint);
        let cwnd = window.cwnd_packets as c_uint;
        let pacing = window.pacing_bytes_per_s;
        unsafe { clift_record_window(now_ns, flow as c_int, cwnd, threshold, window.srtt_ns, 0, pacing) };
    }

    /// Counts something of a flow; None: of the run.
    pub fn count(&mut self, name: &str, flow: Option<usize>, value: u64) {
        let name = CString::new(name).expect("a name of ours");
        unsafe { clift_count(name.as_ptr(), flow.map_or(-1, |flow| flow as c_int), value as c_longlong) };
    }

    /// Completes the records and writes the counters.
    pub fn close(self, now_ns: i64) {
        unsafe { clift_close(now_ns) };
    }

    fn free_dropped(&mut self) {
        loop {
            let handle = unsafe { clift_dropped() };
            if handle.is_null() {
                return;
            }
            drop(unsafe { Box::from_raw(handle.cast::<Datagram>()) });
        }
    }
}

fn flow_settings(flow: c_int) -> FlowSettings {
    let raw = unsafe { &*clift_flow_of(flow) };
    FlowSettings {
        control: unsafe { CStr::from_ptr(raw.control.as_ptr()) }.to_string_lossy().into_owned(),
        direction: raw.direction as usize,
        start_ns: raw.start_ns,
        end_ns: raw.end_ns,
        transfer_bytes: raw.transfer_bytes,
        first_half_bytes: raw.first_half_bytes,
        pause_ns: raw.pause_ns,
        is_ecn: raw.ecn != 0,
        receive_buffer_bytes: raw.receive_buffer_bytes,
    }
}
