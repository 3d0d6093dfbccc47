"""The listener by itself."""

import socket

from pbmserv.mail.listener import parse_listen_address


def test_an_answer_does_not_wait_for_the_receipt_of_the_one_before() -> None:
    (listening,) = parse_listen_address("127.0.0.1:0", is_lmtp=True).opened().sockets
    with listening, socket.create_connection(listening.getsockname()):
        talk, _ = listening.accept()
        with talk:
            assert talk.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
