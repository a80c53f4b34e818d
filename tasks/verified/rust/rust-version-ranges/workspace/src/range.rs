use crate::version::Version;

/// A set of versions, written as in `^1.2 || >=3.0.0-rc.1 <4`.
#[derive(Clone, Debug)]
pub struct Range {}

impl Range {
    /// Reads a range.
    pub fn parse(_text: &str) -> Result<Range, String> {
        unimplemented!("Range::parse")
    }

    /// Tells whether the version belongs to the range.
    pub fn contains(&self, _version: &Version) -> bool {
        unimplemented!("Range::contains")
    }
}

/// Finds the highest of the versions that belong to the range.
pub fn pick<'a>(_range: &Range, _versions: &'a [Version]) -> Option<&'a Version> {
    unimplemented!("pick")
}
