//! A text buffer that remembers its edits.

mod buffer;
mod history;

pub use buffer::Buffer;
