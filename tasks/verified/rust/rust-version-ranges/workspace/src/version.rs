use std::cmp::Ordering;
use std::fmt;

/// A version such as `1.4.0` or `2.0.0-beta.3`.
#[derive(Clone, Debug)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    /// The parts of the pre-release, none for a release.
    pub pre: Vec<String>,
}

/// Reads a number of one to nine digits without superfluous zeros.
pub(crate) fn read_number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits || text.len() > 9 || (text.len() > 1 && text.starts_with('0')) {
        return None;
    }
    text.parse().ok()
}

/// Reads the parts of a pre-release: ASCII letters, digits and hyphens; parts
/// of digits alone have no superfluous zeros but may have any length.
pub(crate) fn read_pre(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for part in text.split('.') {
        let allowed = part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let digits = part.bytes().all(|b| b.is_ascii_digit());
        if part.is_empty() || !allowed || (digits && part.len() > 1 && part.starts_with('0')) {
            return None;
        }
        parts.push(part.to_string());
    }
    Some(parts)
}

impl Version {
    /// Reads a full version: three numbers and perhaps a pre-release.
    pub fn parse(text: &str) -> Result<Version, String> {
        Version::read(text).ok_or_else(|| format!("bad version {text:?}"))
    }

    fn read(text: &str) -> Option<Version> {
        let (core, pre) = match text.split_once('-') {
            Some((core, pre)) => (core, read_pre(pre)?),
            None => (text, Vec::new()),
        };
        let numbers: Vec<u64> = core.split('.').map(read_number).collect::<Option<_>>()?;
        match numbers[..] {
            [major, minor, patch] => Some(Version {
                major,
                minor,
                patch,
                pre,
            }),
            _ => None,
        }
    }

    /// Tells whether this is a pre-release.
    pub fn is_pre_release(&self) -> bool {
        !self.pre.is_empty()
    }

    /// Compares by precedence.
    pub fn precedence(&self, _other: &Version) -> Ordering {
        unimplemented!("Version::precedence")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if self.is_pre_release() {
            write!(f, "-{}", self.pre.join("."))?;
        }
        Ok(())
    }
}
