//! The random numbers of the libraries, in place of the operating system's: they follow from the run's seed. quinn's BBR
//! draws the phase of its gain cycle. TLS takes its keys elsewhere: they decide no size and no time.
use std::sync::atomic::{AtomicU64, Ordering};

use getrandom::Error;

#[cfg(not(getrandom_backend = "custom"))]
compile_error!("build with clift-quic/.cargo/config.toml and without RUSTFLAGS, or runs would not repeat");

static STATE: AtomicU64 = AtomicU64::new(0);

/// Begins the sequence of a run; nothing is drawn before.
pub fn seed(seed: u64) {
    STATE.store(seed, Ordering::Relaxed);
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn next() -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut word = STATE.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// What the crate getrandom calls with a backend of one's own.
#[no_mangle]
unsafe extern "Rust" fn __getrandom_v03_custom(dest: *mut u8, len: usize) -> Result<(), Error> {
    for at in 0..len {
        unsafe { dest.add(at).write(next() as u8) };
    }
    Ok(())
}
