use crate::history::{Edit, History};

/// A text with a cursor. Positions count characters from 0.
pub struct Buffer {
    text: String,
    cursor: usize,
    history: History,
}

impl Buffer {
    /// An empty buffer that can undo up to `limit` steps.
    pub fn new(limit: usize) -> Buffer {
        Buffer {
            text: String::new(),
            cursor: 0,
            history: History::new(limit),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// How many steps can be undone and redone.
    pub fn steps(&self) -> (usize, usize) {
        self.history.steps()
    }

    /// Puts the cursor at a position, or at the end if the text is shorter.
    pub fn move_to(&mut self, position: usize) {
        self.cursor = position.min(self.length());
        self.history.end_typing();
    }

    /// Types one character at the cursor.
    pub fn type_char(&mut self, c: char) {
        self.edit(self.cursor, 0, &c.to_string(), true);
    }

    /// Inserts a text at the cursor in one step.
    pub fn insert(&mut self, text: &str) {
        self.edit(self.cursor, 0, text, false);
    }

    /// Removes the character before the cursor.
    pub fn backspace(&mut self) {
        if self.cursor > 0 {
            self.edit(self.cursor - 1, 1, "", false);
        }
    }

    /// Removes up to `count` characters after the cursor and returns them.
    pub fn delete(&mut self, count: usize) -> String {
        let count = count.min(self.length() - self.cursor);
        self.edit(self.cursor, count, "", false)
    }

    /// Begins a group: all edits until its end are one step.
    pub fn begin_group(&mut self) {
        self.history.begin_group();
    }

    /// Ends the group begun last.
    pub fn end_group(&mut self) {
        self.history.end_group();
    }

    /// Takes the last step back.
    pub fn undo(&mut self) -> bool {
        let Some(step) = self.history.undo() else {
            return false;
        };
        for edit in step.edits.iter().rev() {
            self.replace(edit.at, &edit.inserted, &edit.removed);
        }
        self.cursor = step.before;
        true
    }

    /// Does the step again that was taken back last.
    pub fn redo(&mut self) -> bool {
        let Some(step) = self.history.redo() else {
            return false;
        };
        for edit in &step.edits {
            self.replace(edit.at, &edit.removed, &edit.inserted);
        }
        self.cursor = step.after;
        true
    }

    /// Remembers the present state as the saved one.
    pub fn mark_saved(&mut self) {
        self.history.mark_saved();
    }

    /// Tells whether the state differs from the saved one.
    pub fn is_modified(&self) -> bool {
        self.history.is_modified()
    }

    fn length(&self) -> usize {
        self.text.chars().count()
    }

    /// Replaces `count` characters from a position on and records the edit.
    fn edit(&mut self, at: usize, count: usize, inserted: &str, typed: bool) -> String {
        let removed: String = self.text.chars().skip(at).take(count).collect();
        if removed.is_empty() && inserted.is_empty() {
            return removed;
        }
        let before = self.cursor;
        self.replace(at, &removed, inserted);
        self.cursor = at + inserted.chars().count();
        let edit = Edit {
            at,
            removed: removed.clone(),
            inserted: inserted.to_string(),
        };
        self.history.record(edit, before, self.cursor, typed);
        removed
    }

    /// Puts `new` in the place of `old`, which stands at the position.
    fn replace(&mut self, position: usize, old: &str, new: &str) {
        let start = self.text.char_indices().nth(position);
        let start = start.map_or(self.text.len(), |(index, _)| index);
        self.text.replace_range(start..start + old.len(), new);
    }
}
