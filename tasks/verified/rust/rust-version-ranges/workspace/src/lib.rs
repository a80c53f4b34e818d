//! Versions, and ranges that contain some of them.

mod range;
mod version;

pub use range::{pick, Range};
pub use version::Version;
