"""The parts that the rigs for USB readers and for readers on a bus share: a virtual PN532 and a umockdev test bed.

Sources: PN532 user manual (UM0701-02), 6.2.1; umockdev 0.17, src/uevent_sender.c.
"""

import os
import resource
import select
import shutil
import signal
import struct
import sys
import termios
import time

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

ACK = bytes.fromhex("0000ff00ff00")
NACK = bytes.fromhex("0000ffff0000")
# The commands InDataExchange and InCommunicateThru.
EXCHANGES = (b"\x40", b"\x42")
# The edges that wake a sleeping chip on a serial line.
WAKE_UP = bytes.fromhex("55550000000000000000")


def pair(text):
    """Parses an argument of two numbers with a colon between them."""
    first, second = text.split(":")
    return int(first), int(second)


class Chip:
    """The virtual PN532, at the other end of its pseudo-terminal."""

    def __init__(self, path):
        self.port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        settings = termios.tcgetattr(self.port)
        settings[0] = settings[1] = settings[3] = 0
        settings[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(self.port, termios.TCSANOW, settings)
        self.buffer = b""

    def write(self, data):
        while data:
            data = data[os.write(self.port, data):]

    def frames(self):
        """Returns the complete frames that have arrived."""
        while select.select([self.port], [], [], 0)[0]:
            data = os.read(self.port, 4096)
            if not data:
                break
            self.buffer += data
        while True:
            size = self.size()
            if size is None or len(self.buffer) < size:
                return
            whole, self.buffer = self.buffer[:size], self.buffer[size:]
            yield whole

    def size(self):
        b = self.buffer
        if b.startswith((ACK, NACK)):
            return 6
        if len(b) >= 8 and b[3:5] == b"\xff\xff":
            return 8 + struct.unpack(">H", b[5:7])[0] + 2
        return 5 + b[3] + 2 if len(b) >= 5 else None


class Testbed:
    """A umockdev test bed for one program."""

    # A sender that umockdev has ended is replaced. No more than this many listeners end at the same time.
    ATTEMPTS = 10
    # The time for one event in seconds. A sender that was forked while another thread held a lock never ends.
    PATIENCE = 1.0

    def __init__(self):
        self.bed = UMockdev.Testbed.new()
        self.root = self.bed.get_root_dir()

    def announce(self, path, action):
        """Sends an event to all programs that listen for devices.

        umockdev's sender calls abort() if a listener closes its socket between the search for sockets and the
        connection, as every program does that ends: hence a child process sends the event, and another one
        replaces it. A listener that gets an event twice finds nothing new in the second.
        """
        for _ in range(self.ATTEMPTS):
            child = os.fork()
            if child == 0:
                self.send(path, action)
            if self.wait(child):
                return
        print("an event was not sent:", path, action, file=sys.stderr)

    def send(self, path, action):
        """Sends an event and ends this process."""
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # The output of the sender before it aborts does not belong to the program.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            self.bed.uevent(path, action)
            os._exit(0)
        finally:
            os._exit(1)

    def wait(self, child):
        """Returns whether a child process has ended in time and without an error."""
        deadline = time.monotonic() + self.PATIENCE
        while time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status == 0
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False

    def end(self, code):
        """Removes the test bed, and ends this process in the same way as the program."""
        shutil.rmtree(self.root, ignore_errors=True)
        sys.stdout.flush()
        os._exit(code if code >= 0 else 128 - code)
