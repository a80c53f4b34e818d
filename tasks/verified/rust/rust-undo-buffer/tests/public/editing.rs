use scribe::Buffer;

fn typed(text: &str) -> Buffer {
    let mut buffer = Buffer::new(20);
    for c in text.chars() {
        buffer.type_char(c);
    }
    buffer
}

#[test]
fn typing_goes_in_at_the_cursor() {
    let mut buffer = typed("held");
    buffer.move_to(3);
    buffer.type_char('p');
    assert_eq!(buffer.text(), "helpd");
    assert_eq!(buffer.cursor(), 4);
    buffer.move_to(99);
    assert_eq!(buffer.cursor(), 5);
}

#[test]
fn typed_characters_are_one_step() {
    let mut buffer = typed("run");
    assert_eq!(buffer.steps(), (1, 0));
    buffer.insert(" fast");
    assert_eq!(buffer.steps(), (2, 0));
    assert!(buffer.undo());
    assert_eq!(buffer.text(), "run");
    assert!(buffer.redo());
    assert_eq!(buffer.text(), "run fast");
}

#[test]
fn deleted_text_is_returned_and_comes_back() {
    let mut buffer = typed("abcdef");
    buffer.move_to(2);
    assert_eq!(buffer.delete(3), "cde");
    assert_eq!(buffer.text(), "abf");
    assert_eq!(buffer.delete(9), "f");
    assert_eq!(buffer.delete(9), "");
    assert!(buffer.undo());
    assert!(buffer.undo());
    assert_eq!(buffer.text(), "abcdef");
}

#[test]
fn backspace_takes_one_character() {
    let mut buffer = typed("abc");
    buffer.backspace();
    assert_eq!(buffer.text(), "ab");
    assert_eq!(buffer.cursor(), 2);
    buffer.move_to(0);
    buffer.backspace();
    assert_eq!(buffer.text(), "ab");
    assert_eq!(buffer.steps(), (2, 0));
}

#[test]
fn nothing_to_undo_or_redo_is_said() {
    let mut buffer = Buffer::new(3);
    assert!(!buffer.undo());
    assert!(!buffer.redo());
    buffer.insert("");
    assert_eq!(buffer.steps(), (0, 0));
}

#[test]
fn open_group_cannot_be_undone() {
    let mut buffer = Buffer::new(3);
    buffer.insert("x");
    buffer.begin_group();
    buffer.insert("y");
    buffer.begin_group();
    buffer.insert("z");
    buffer.end_group();
    assert!(!buffer.undo());
    buffer.end_group();
    assert_eq!(buffer.steps(), (2, 0));
    assert_eq!(buffer.text(), "xyz");
}

#[test]
fn undoing_to_the_saved_state_is_no_modification() {
    let mut buffer = typed("one");
    assert!(buffer.is_modified());
    buffer.mark_saved();
    assert!(!buffer.is_modified());
    buffer.insert(" two");
    assert!(buffer.is_modified());
    buffer.undo();
    assert!(!buffer.is_modified());
}
