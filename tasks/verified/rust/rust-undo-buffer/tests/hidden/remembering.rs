use scribe::Buffer;

fn write(buffer: &mut Buffer, text: &str) {
    for c in text.chars() {
        buffer.type_char(c);
    }
}

/// The text, the cursor, and the steps to undo and to redo.
fn state(buffer: &Buffer) -> (String, usize, usize, usize) {
    let (back, forth) = buffer.steps();
    (buffer.text().to_string(), buffer.cursor(), back, forth)
}

fn like(text: &str, cursor: usize, back: usize, forth: usize) -> (String, usize, usize, usize) {
    (text.to_string(), cursor, back, forth)
}

#[test]
fn new_edit_forgets_what_was_undone() {
    let mut buffer = Buffer::new(10);
    buffer.insert("one ");
    buffer.insert("two ");
    buffer.insert("three ");
    buffer.undo();
    buffer.undo();
    assert_eq!(buffer.steps(), (1, 2));
    buffer.insert("");
    assert_eq!(buffer.steps(), (1, 2));
    buffer.begin_group();
    assert_eq!(buffer.steps(), (1, 2));
    buffer.insert("2 ");
    assert_eq!(buffer.steps(), (1, 0));
    buffer.end_group();
    assert!(!buffer.redo());
    assert_eq!(state(&buffer), like("one 2 ", 6, 2, 0));
}

#[test]
fn moving_the_cursor_ends_a_typing_run() {
    let mut buffer = Buffer::new(10);
    write(&mut buffer, "ad");
    buffer.move_to(1);
    write(&mut buffer, "bc");
    buffer.move_to(3);
    write(&mut buffer, "!");
    assert_eq!(state(&buffer), like("abc!d", 4, 3, 0));
    buffer.undo();
    assert_eq!(buffer.text(), "abcd");
    buffer.undo();
    assert_eq!(buffer.text(), "ad");
    buffer.undo();
    assert_eq!(buffer.text(), "");
}

#[test]
fn line_break_is_a_step_between_two_runs() {
    let mut buffer = Buffer::new(10);
    write(&mut buffer, "hi\n\nyou");
    assert_eq!(buffer.steps(), (4, 0));
    let mut texts = Vec::new();
    while buffer.undo() {
        texts.push(buffer.text().to_string());
    }
    assert_eq!(texts, ["hi\n\n", "hi\n", "hi", ""]);
}

#[test]
fn undo_and_save_end_a_typing_run() {
    let mut buffer = Buffer::new(10);
    write(&mut buffer, "ab");
    buffer.insert("--");
    buffer.undo();
    write(&mut buffer, "cd");
    assert_eq!(buffer.steps(), (2, 0));
    buffer.mark_saved();
    write(&mut buffer, "ef");
    assert_eq!(buffer.steps(), (3, 0));
    assert!(buffer.is_modified());
    buffer.undo();
    buffer.redo();
    write(&mut buffer, "g");
    assert_eq!(buffer.steps(), (4, 0));
    buffer.undo();
    buffer.undo();
    assert_eq!(buffer.text(), "abcd");
    assert!(!buffer.is_modified());
}

#[test]
fn oldest_steps_fall_out_at_the_limit() {
    let mut buffer = Buffer::new(2);
    buffer.insert("1");
    buffer.insert("2");
    buffer.insert("3");
    buffer.begin_group();
    buffer.insert("4");
    buffer.insert("5");
    buffer.end_group();
    assert_eq!(buffer.steps(), (2, 0));
    buffer.undo();
    assert_eq!(buffer.text(), "123");
    buffer.undo();
    assert_eq!(buffer.text(), "12");
    assert!(!buffer.undo());
    let mut forgetful = Buffer::new(0);
    write(&mut forgetful, "abc");
    assert!(!forgetful.undo());
    assert_eq!(state(&forgetful), like("abc", 3, 0, 0));
}

#[test]
fn group_is_taken_back_from_its_end() {
    let mut buffer = Buffer::new(10);
    buffer.insert("left right");
    buffer.begin_group();
    buffer.move_to(0);
    buffer.delete(5);
    buffer.move_to(5);
    buffer.insert(" left");
    buffer.move_to(2);
    buffer.backspace();
    buffer.end_group();
    assert_eq!(state(&buffer), like("rght left", 1, 2, 0));
    assert!(buffer.undo());
    assert_eq!(buffer.text(), "left right");
    assert!(buffer.redo());
    assert_eq!(buffer.text(), "rght left");
}

#[test]
fn group_without_edits_leaves_no_trace() {
    let mut buffer = Buffer::new(10);
    buffer.insert("a");
    buffer.insert("b");
    buffer.mark_saved();
    buffer.undo();
    buffer.begin_group();
    buffer.move_to(0);
    buffer.backspace();
    buffer.insert("");
    buffer.end_group();
    assert_eq!(buffer.steps(), (1, 1));
    assert!(buffer.redo());
    assert_eq!(buffer.text(), "ab");
    assert!(!buffer.is_modified());
}

#[test]
fn positions_count_characters_of_any_width() {
    let mut buffer = Buffer::new(10);
    buffer.insert("äöü");
    assert_eq!(buffer.cursor(), 3);
    write(&mut buffer, "€x");
    assert_eq!(buffer.cursor(), 5);
    buffer.move_to(1);
    assert_eq!(buffer.delete(2), "öü");
    buffer.insert("日本");
    assert_eq!(state(&buffer), like("ä日本€x", 3, 4, 0));
    buffer.undo();
    buffer.redo();
    assert_eq!(buffer.cursor(), 3);
}

#[test]
fn cursor_returns_to_where_it_was() {
    let mut buffer = Buffer::new(10);
    buffer.insert("abcdef");
    buffer.move_to(4);
    buffer.backspace();
    buffer.move_to(0);
    buffer.undo();
    assert_eq!(state(&buffer), like("abcdef", 4, 1, 1));
    buffer.redo();
    assert_eq!(state(&buffer), like("abcef", 3, 2, 0));
    buffer.begin_group();
    buffer.move_to(1);
    buffer.insert("X");
    buffer.move_to(5);
    buffer.delete(1);
    buffer.move_to(0);
    buffer.end_group();
    assert_eq!(buffer.cursor(), 0);
    buffer.undo();
    assert_eq!(state(&buffer), like("abcef", 1, 2, 1));
    buffer.redo();
    assert_eq!(state(&buffer), like("aXbce", 5, 3, 0));
}

#[test]
fn saved_state_can_get_out_of_reach() {
    let mut buffer = Buffer::new(2);
    buffer.insert("1");
    buffer.insert("2");
    buffer.mark_saved();
    buffer.undo();
    buffer.insert("3");
    assert!(buffer.is_modified());
    buffer.mark_saved();
    buffer.insert("4");
    assert!(buffer.is_modified());
    buffer.undo();
    assert!(!buffer.is_modified());
    buffer.insert("5");
    buffer.insert("6");
    buffer.insert("7");
    assert!(buffer.is_modified());
    while buffer.undo() {
        assert!(buffer.is_modified());
    }
    assert_eq!(buffer.text(), "135");
}
