/// At a position, one text took the place of another.
#[derive(Clone)]
pub(crate) struct Edit {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

/// Edits that are undone and redone together, and where the cursor was.
#[derive(Clone)]
pub(crate) struct Step {
    pub edits: Vec<Edit>,
    pub before: usize,
    pub after: usize,
}

pub(crate) struct History {
    limit: usize,
    done: Vec<Step>,
    undone: Vec<Step>,
    group: Option<Vec<Step>>,
    depth: usize,
    /// Whether the last step is a typing run that may go on.
    typing: bool,
    /// The number of steps done in the saved state, if it can be reached.
    saved: Option<usize>,
}

impl History {
    pub fn new(limit: usize) -> History {
        History {
            limit,
            done: Vec::new(),
            undone: Vec::new(),
            group: None,
            depth: 0,
            typing: false,
            saved: Some(0),
        }
    }

    pub fn steps(&self) -> (usize, usize) {
        (self.done.len(), self.undone.len())
    }

    /// The next typed character begins a step.
    pub fn end_typing(&mut self) {
        self.typing = false;
    }

    /// Records an edit, between two positions of the cursor: in the open
    /// group, in the present typing run, or as a step of its own.
    pub fn record(&mut self, edit: Edit, before: usize, after: usize, typed: bool) {
        if !self.undone.is_empty() {
            self.undone.clear();
            self.saved = self.saved.filter(|saved| *saved <= self.done.len());
        }
        let runs_on = typed && edit.inserted != "\n";
        let step = Step {
            edits: vec![edit],
            before,
            after,
        };
        if let Some(group) = &mut self.group {
            group.push(step);
            return;
        }
        if runs_on && self.typing {
            if let Some(last) = self.done.last_mut() {
                last.edits.extend(step.edits);
                last.after = after;
                return;
            }
        }
        self.push(step);
        self.typing = runs_on;
    }

    fn push(&mut self, step: Step) {
        self.done.push(step);
        if self.done.len() > self.limit {
            self.done.remove(0);
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
        }
    }

    pub fn begin_group(&mut self) {
        self.depth += 1;
        self.typing = false;
        self.group.get_or_insert_with(Vec::new);
    }

    pub fn end_group(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return;
        }
        let steps = self.group.take().unwrap_or_default();
        if let (Some(first), Some(last)) = (steps.first(), steps.last()) {
            self.push(Step {
                before: first.before,
                after: last.after,
                edits: steps.iter().flat_map(|s| s.edits.clone()).collect(),
            });
        }
    }

    /// The step to take back.
    pub fn undo(&mut self) -> Option<Step> {
        if self.group.is_some() {
            return None;
        }
        let step = self.done.pop()?;
        self.typing = false;
        self.undone.push(step.clone());
        Some(step)
    }

    /// The step to do again.
    pub fn redo(&mut self) -> Option<Step> {
        if self.group.is_some() {
            return None;
        }
        let step = self.undone.pop()?;
        self.typing = false;
        self.done.push(step.clone());
        Some(step)
    }

    pub fn mark_saved(&mut self) {
        if self.group.is_none() {
            self.typing = false;
            self.saved = Some(self.done.len());
        }
    }

    pub fn is_modified(&self) -> bool {
        let pending = self.group.as_ref().is_some_and(|g| !g.is_empty());
        pending || self.saved != Some(self.done.len())
    }
}
