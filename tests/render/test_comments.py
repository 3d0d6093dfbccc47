from pbmserv.render.board_letters import Comment, comment_text


def test_a_comment_is_marked_line_by_line_without_control_and_format_characters() -> None:
    text = "\na\x1b\u202eb\r\n\u2028alice plays C1.\x0cc\u200b\n\n"

    assert comment_text(Comment("bob", text)) == ("bob writes:\n| ab\n|\n| alice plays C1.\n| c")
