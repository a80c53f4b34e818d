use std::cmp::Ordering;

use crate::version::{read_number, read_pre, Version};

/// A set of versions, written as in `^1.2 || >=3.0.0-rc.1 <4`.
#[derive(Clone, Debug)]
pub struct Range {
    alternatives: Vec<Vec<Comparator>>,
}

/// The versions from `low` up to `high`, and where pre-releases are let in.
#[derive(Clone, Debug)]
struct Comparator {
    low: Option<(Version, bool)>,
    high: Option<(Version, bool)>,
    opened: Option<(u64, u64, u64)>,
}

impl Range {
    /// Reads a range.
    pub fn parse(text: &str) -> Result<Range, String> {
        if text.trim().is_empty() {
            return Err("empty range".to_string());
        }
        let mut alternatives = Vec::new();
        for alternative in text.split("||") {
            let mut comparators = Vec::new();
            for word in alternative.split_whitespace() {
                let comparator = Comparator::read(word);
                comparators.push(comparator.ok_or_else(|| format!("bad comparator {word:?}"))?);
            }
            if comparators.is_empty() {
                return Err("empty alternative".to_string());
            }
            alternatives.push(comparators);
        }
        Ok(Range { alternatives })
    }

    /// Tells whether the version belongs to the range.
    pub fn contains(&self, version: &Version) -> bool {
        let place = Some((version.major, version.minor, version.patch));
        self.alternatives.iter().any(|all| {
            all.iter().all(|c| c.holds(version))
                && (!version.is_pre_release() || all.iter().any(|c| c.opened == place))
        })
    }
}

impl Comparator {
    fn holds(&self, version: &Version) -> bool {
        let above =
            self.low
                .as_ref()
                .map_or(true, |(bound, inclusive)| match version.precedence(bound) {
                    Ordering::Less => false,
                    Ordering::Equal => *inclusive,
                    Ordering::Greater => true,
                });
        let below =
            self.high
                .as_ref()
                .map_or(true, |(bound, inclusive)| match version.precedence(bound) {
                    Ordering::Less => true,
                    Ordering::Equal => *inclusive,
                    Ordering::Greater => false,
                });
        above && below
    }

    fn read(word: &str) -> Option<Comparator> {
        if word == "*" {
            return Some(Comparator {
                low: None,
                high: None,
                opened: None,
            });
        }
        let operators = [">=", "<=", ">", "<", "=", "^", "~"];
        let operator = operators
            .into_iter()
            .find(|o| word.starts_with(o))
            .unwrap_or("");
        let text = &word[operator.len()..];
        let (core, pre) = match text.split_once('-') {
            Some((core, pre)) => (core, read_pre(pre)?),
            None => (text, Vec::new()),
        };
        let given: Vec<u64> = core.split('.').map(read_number).collect::<Option<_>>()?;
        if given.len() > 3 || (given.len() < 3 && !pre.is_empty()) {
            return None;
        }
        let number = |i: usize| given.get(i).copied().unwrap_or(0);
        let opened = (!pre.is_empty()).then(|| (number(0), number(1), number(2)));
        let exact = given.len() == 3;
        let first = Version {
            major: number(0),
            minor: number(1),
            patch: number(2),
            pre,
        };
        // The release that follows when the number at this place goes up.
        let next = |place: usize| Version {
            major: number(0) + u64::from(place == 0),
            minor: if place == 0 {
                0
            } else {
                number(1) + u64::from(place == 1)
            },
            patch: if place < 2 { 0 } else { number(2) + 1 },
            pre: Vec::new(),
        };
        let last = given.len() - 1;
        let (low, high) = match operator {
            ">" if exact => (Some((first, false)), None),
            ">" => (Some((next(last), true)), None),
            ">=" => (Some((first, true)), None),
            "<" => (None, Some((first, false))),
            "<=" if exact => (None, Some((first, true))),
            "<=" => (None, Some((next(last), false))),
            "^" => {
                let place = given.iter().position(|n| *n > 0).unwrap_or(last);
                (Some((first, true)), Some((next(place), false)))
            }
            "~" => (Some((first, true)), Some((next(last.min(1)), false))),
            _ if exact => (Some((first.clone(), true)), Some((first, true))),
            _ => (Some((first, true)), Some((next(last), false))),
        };
        Some(Comparator { low, high, opened })
    }
}

/// Finds the highest of the versions that belong to the range.
pub fn pick<'a>(range: &Range, versions: &'a [Version]) -> Option<&'a Version> {
    let mut best: Option<&Version> = None;
    for version in versions.iter().filter(|v| range.contains(v)) {
        if best.map_or(true, |b| version.precedence(b) == Ordering::Greater) {
            best = Some(version);
        }
    }
    best
}
