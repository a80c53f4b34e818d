/// At a position, one text took the place of another.
#[derive(Clone)]
pub(crate) struct Edit {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

/// Edits that are undone and redone together.
struct Step {
    edits: Vec<Edit>,
    typed: bool,
}

pub(crate) struct History {
    limit: usize,
    done: Vec<Step>,
    undone: Vec<Step>,
    group: Option<Step>,
    depth: usize,
    saved: usize,
}

impl History {
    pub fn new(limit: usize) -> History {
        History {
            limit,
            done: Vec::new(),
            undone: Vec::new(),
            group: None,
            depth: 0,
            saved: 0,
        }
    }

    pub fn steps(&self) -> (usize, usize) {
        (self.done.len(), self.undone.len())
    }

    /// Records an edit: in the open group, in the present typing run, or as a
    /// step of its own.
    pub fn record(&mut self, edit: Edit, typed: bool) {
        if let Some(group) = &mut self.group {
            group.edits.push(edit);
            return;
        }
        if let Some(last) = self.done.last_mut() {
            if typed && last.typed {
                last.edits.push(edit);
                return;
            }
        }
        self.push(Step {
            edits: vec![edit],
            typed,
        });
    }

    fn push(&mut self, step: Step) {
        self.done.push(step);
        self.done.truncate(self.limit);
    }

    pub fn begin_group(&mut self) {
        self.depth += 1;
        if self.group.is_none() {
            self.group = Some(Step {
                edits: Vec::new(),
                typed: false,
            });
        }
    }

    pub fn end_group(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return;
        }
        if let Some(group) = self.group.take() {
            self.push(group);
        }
    }

    /// The edits to take back, in the order in which to do so.
    pub fn undo(&mut self) -> Option<Vec<Edit>> {
        if self.group.is_some() {
            return None;
        }
        let step = self.done.pop()?;
        let edits = step.edits.clone();
        self.undone.push(step);
        Some(edits)
    }

    /// The edits to do again, in order.
    pub fn redo(&mut self) -> Option<Vec<Edit>> {
        if self.group.is_some() {
            return None;
        }
        let step = self.undone.pop()?;
        let edits = step.edits.clone();
        self.done.push(step);
        Some(edits)
    }

    pub fn mark_saved(&mut self) {
        if self.group.is_none() {
            self.saved = self.done.len();
        }
    }

    pub fn is_modified(&self) -> bool {
        let pending = self.group.as_ref().is_some_and(|g| !g.edits.is_empty());
        pending || self.saved != self.done.len()
    }
}
