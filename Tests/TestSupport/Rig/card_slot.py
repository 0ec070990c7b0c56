"""The card slot of a USB reader that a smart-card service uses.

A program connects to it for a card, as to vpcd, vsmartcard's virtual reader driver (vpcd.h). A message is its length
in 16 bits, most significant byte first, followed by this many bytes. One byte is a request to the card's supply or
for its ATR, and more bytes are a command.
"""

import select
import socket
import struct


class Slot:
    """The card slot of a reader that a smart-card service uses. A program connects to it for a card, as to vpcd."""

    POWER_OFF, POWER_ON, GET_ATR = b"\0", b"\1", b"\4"
    # The values of NotifySlotChange (USB CCID 1.1, 6.3.1): the slot has changed, with or without a card.
    COME, GONE = b"\x50\3", b"\x50\2"

    def __init__(self, port):
        self.server = socket.create_server(("127.0.0.1", port))
        self.server.setblocking(False)
        self.card = None
        self.powered = False

    def change(self):
        """Returns the report that the reader sends without a request, if there is one."""
        if self.card is None:
            try:
                self.card = self.server.accept()[0]
            except BlockingIOError:
                return None
            self.card.settimeout(2)
            self.card.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self.COME
        if select.select([self.card], [], [], 0)[0]:
            # It sends nothing without a request, so it has disconnected.
            self.leave()
            return self.GONE
        return None

    def leave(self):
        self.card.close()
        self.card, self.powered = None, False

    def status(self):
        """Returns bmICCStatus: 0 active, 1 inactive, 2 no card."""
        self.change()
        return 2 if self.card is None else 0 if self.powered else 1

    def power_on(self):
        self.powered = self.tell(self.POWER_ON)
        return self.exchange(self.GET_ATR) if self.powered else None

    def power_off(self):
        self.powered = False
        self.tell(self.POWER_OFF)

    def tell(self, data):
        if self.card is None:
            return False
        try:
            self.card.sendall(struct.pack(">H", len(data)) + data)
            return True
        except OSError:
            return False

    def exchange(self, data):
        """Returns the answer to a command, or nothing if the card was removed."""
        if not self.tell(data):
            return None
        try:
            return self.receive(struct.unpack(">H", self.receive(2))[0])
        except (OSError, EOFError):
            return None

    def receive(self, count):
        data = b""
        while len(data) < count:
            part = self.card.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data
