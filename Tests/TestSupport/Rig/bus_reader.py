"""A simulated PN532 on an I²C or SPI bus, with which the system's own libnfc communicates.

umockdev shows a simulated /sys and /dev to a program. The program's operations on the node of the bus are passed
to this script. It performs the functions of the wires and of the chip's own bus interface, and passes the frames
to the virtual PN532 at the other end of a pseudo-terminal.

    umockdev-wrapper /usr/bin/python3 bus_reader.py --bus i2c --port /dev/pts/5 -- nfc-list

Its exit code is that of the program. Sources: linux/i2c-dev.h and linux/spi/spidev.h; PN532 user manual
(UM0701-02), 6.2.1, 6.2.4 and 6.2.5; libnfc 1.8.0, buses/i2c.c, buses/spi.c, drivers/pn532_i2c.c and
pn532_spi.c.
"""

import argparse
import errno
import struct
import subprocess
import threading
import time

from testbed import ACK, EXCHANGES, NACK, WAKE_UP, Chip, Testbed, UMockdev, pair


class HeldChip(Chip):
    """A virtual PN532 whose frames are kept until the host fetches them."""

    def __init__(self, path, keeps):
        super().__init__(path)
        self.keeps = keeps
        self.held = []

    def write(self, data):
        """Handles a frame of the host. A frame that has not been fetched may be dropped."""
        self.pump()
        if not self.keeps:
            self.held.clear()
        # On a bus, the chip's address or the select line wakes the chip. The pseudo-terminal requires the edges.
        super().write(WAKE_UP + data)

    def pump(self):
        self.held.extend(self.frames())


class Bus:
    """The node of a bus, and the devices on it."""

    # The chip takes a millisecond to acknowledge a command (a log of the HydraBus firmware), and another one to
    # answer it.
    PACE = 0.001
    # In milliseconds. This is longer than any program waits.
    NEVER = 100_000

    def __init__(self, options):
        self.options = options
        self.chip = HeldChip(options.port, options.keep)
        self.transfers = 0
        self.commands = 0
        self.exchanges = 0
        self.acknowledged = self.busy_until = 0.0
        self.is_fresh = False
        self.lock = threading.Lock()

    def attach(self, bed):
        handler = UMockdev.IoctlBase.new()
        handler.connect("handle-ioctl", self.guard(self.ioctl))
        handler.connect("handle-read", self.guard(self.read))
        handler.connect("handle-write", self.guard(self.write))
        bed.attach_ioctl(self.node, handler)
        bed.add_from_string(self.device)
        return handler

    def guard(self, request):
        def handle(_, client):
            with self.lock:
                result = request(client)
            client.complete(*result)
            return True

        return handle

    def is_gone(self):
        """Returns whether the wires of the board are disconnected, from this transfer on."""
        self.transfers += 1
        return self.options.absent or (
            self.options.unplug is not None and self.transfers >= self.options.unplug)

    def send(self, data):
        """Handles a frame that reaches the chip."""
        if data[:6] not in (ACK, NACK):
            self.commands += 1
            late, delay = self.options.late, 0
            if late and self.commands == late[0]:
                delay = late[1]
            elif data[6:7] in EXCHANGES:
                self.exchanges += 1
                every, delay = self.options.late_exchange or (0, 0)
                if not every or self.exchanges % every:
                    delay = self.options.slow
                if self.options.silent and self.exchanges >= self.options.silent:
                    delay = self.NEVER
            self.is_fresh = True
            self.acknowledged = time.monotonic() + self.PACE
            self.busy_until = self.acknowledged + max(self.PACE, delay / 1000)
        self.chip.write(data)

    def is_ready(self):
        self.chip.pump()
        is_first, self.is_fresh = self.is_fresh, False
        if not self.chip.held:
            return False
        if is_first and self.chip.held[0] == ACK:
            # The host's first look comes long before the millisecond is over, however long it took here.
            return False
        due = self.acknowledged if self.chip.held[0] == ACK else self.busy_until
        return time.monotonic() >= due

    def ioctl(self, client):
        return -1, errno.ENOTTY

    def read(self, client):
        return -1, errno.EINVAL

    def write(self, client):
        return -1, errno.EINVAL


# Each node has content. Without content, umockdev 0.17 creates a link to a pseudo-terminal. Its name is shorter
# than the folder of the test bed, and umockdev's realpath() then overwrites the heap of the program.


class I2C(Bus):
    """A PN532 on I²C. The lowest bit of the first byte of a read indicates a ready frame (UM0701-02, 6.2.4)."""

    ADDRESS = 0x24
    SLAVE = 0x0703
    node = "/dev/i2c-1"
    device = """P: /devices/platform/soc/fe804000.i2c/i2c-1/i2c-dev/i2c-1
N: i2c-1=00
E: DEVNAME=/dev/i2c-1
E: SUBSYSTEM=i2c-dev
E: MAJOR=89
E: MINOR=1
A: dev=89:1\\n
A: name=bcm2835 (i2c@7e804000)\\n

"""

    def __init__(self, options):
        super().__init__(options)
        self.address = None

    def ioctl(self, client):
        if client.get_request() != self.SLAVE:
            return -1, errno.ENOTTY
        if self.options.busy:
            # A kernel module uses the address.
            return -1, errno.EBUSY
        self.address = struct.unpack("<Q", bytes(client.get_arg().retrieve())[:8])[0]
        return 0, 0

    def write(self, client):
        data = bytes(client.get_arg().retrieve())
        if self.address != self.ADDRESS or self.is_gone():
            return -1, errno.EREMOTEIO
        self.send(data)
        return len(data), 0

    def read(self, client):
        buffer = client.get_arg()
        length = len(bytes(buffer.retrieve()))
        if self.address != self.ADDRESS or self.is_gone():
            return -1, errno.EREMOTEIO
        data = b"\0"
        if self.is_ready():
            data = b"\1" + self.chip.held.pop(0)
        buffer.update(0, data[:length] + bytes(max(0, length - len(data))))
        return length, 0


def reversed_bits(data):
    """Reverses the bits. The chip transfers the lowest bit first, and the bus transfers the highest bit first."""
    return bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)


class SPI(Bus):
    """A PN532 on SPI. The first byte of a transfer indicates its purpose (UM0701-02, 6.2.5)."""

    DATA_WRITE, STATUS_READ, DATA_READ = 1, 2, 3
    # The requests of linux/spi/spidev.h. Bits 16 to 29 of a message contain its length.
    MODE, SPEED, GIVEN_SPEED = 0x40016B01, 0x40046B04, 0x80046B04
    MESSAGE, MESSAGE_MASK = 0x40006B00, 0xC000FFFF
    TRANSFER = 32
    node = "/dev/spidev0.0"
    device = """P: /devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.0/spidev/spidev0.0
N: spidev0.0=00
E: DEVNAME=/dev/spidev0.0
E: SUBSYSTEM=spidev
E: MAJOR=153
E: MINOR=0
A: dev=153:0\\n

"""

    def __init__(self, options):
        super().__init__(options)
        self.speed = 500_000
        # The frame that is read, and the index of the byte in the chip's output register.
        self.output, self.place = b"", None

    def ioctl(self, client):
        request, argument = client.get_request(), client.get_arg()
        if request == self.SPEED:
            self.speed = struct.unpack("<I", bytes(argument.resolve(0, 4).retrieve()))[0]
            return 0, 0
        if request == self.GIVEN_SPEED:
            argument.resolve(0, 4).update(0, struct.pack("<I", self.speed))
            return 0, 0
        if request == self.MODE:
            return 0, 0
        if request & self.MESSAGE_MASK != self.MESSAGE:
            return -1, errno.ENOTTY
        length = request >> 16 & 0x3FFF
        return self.message(argument.resolve(0, length), length)

    def message(self, transfers, length):
        """Performs several transfers while the chip is selected, each in either direction."""
        raw = bytes(transfers.retrieve())
        sent, received, total = b"", [], 0
        for start in range(0, length, self.TRANSFER):
            output, answer, size = struct.unpack_from("<QQI", raw, start)
            total += size
            if output:
                sent += reversed_bits(bytes(transfers.resolve(start, size).retrieve()))
            if answer:
                received.append((transfers.resolve(start + 8, size), size))
        wanted = sum(size for _, size in received)
        data = reversed_bits(self.exchange(sent, wanted))
        for buffer, size in received:
            buffer.update(0, data[:size])
            data = data[size:]
        return total, 0

    def exchange(self, sent, wanted):
        if self.is_gone():
            # The line is not driven.
            return (b"\0" if self.options.low else b"\xff") * wanted
        kind = sent[0] if sent else None
        if kind == self.DATA_WRITE:
            self.output, self.place = b"", None
            # libnfc does not send a postamble, so the frame ends with the transfer.
            self.send(sent[1:] + b"\0")
            return bytes(wanted)
        if kind == self.STATUS_READ:
            return bytes([1 if self.is_ready() else 0]) + bytes(max(0, wanted - 1))
        if kind == self.DATA_READ:
            return self.data(wanted)
        # Without a command, the output register is shifted out and keeps its content. libnfc relies on this.
        held = b"\0" if self.place is None else self.output[self.place:self.place + 1] or b"\0"
        return held + bytes(max(0, wanted - 1)) if wanted else b""

    def data(self, wanted):
        """Returns a frame, from its beginning or from after the byte in the output register."""
        if self.place is None:
            if not self.is_ready():
                return bytes(wanted)
            self.output, self.place = self.chip.held.pop(0), 0
        else:
            self.place += 1
        part = self.output[self.place:self.place + wanted]
        self.place += wanted
        if self.place >= len(self.output):
            self.output, self.place = b"", None
        return part + bytes(wanted - len(part))


BUSES = {"i2c": I2C, "spi": SPI}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bus", choices=BUSES, required=True)
    parser.add_argument("--port", required=True, help="the virtual PN532's serial port")
    parser.add_argument("--absent", action="store_true", help="no chip is on the bus")
    parser.add_argument("--low", action="store_true", help="a line of SPI that nothing drives is low")
    parser.add_argument("--busy", action="store_true", help="a module of the kernel has the address")
    parser.add_argument("--unplug", type=int, help="at this transfer")
    parser.add_argument("--late", type=pair, help="command:milliseconds: its answer is late")
    parser.add_argument("--slow", type=int, default=0, help="milliseconds for each exchange")
    parser.add_argument(
        "--late-exchange", type=pair, help="n:milliseconds: so late is each n-th exchange")
    parser.add_argument(
        "--silent", type=int, help="from this exchange on none is answered while anybody waits")
    parser.add_argument("--keep", action="store_true", help="answers stay until they are fetched")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    options = arguments()
    testbed = Testbed()
    bus = BUSES[options.bus](options)
    handler = bus.attach(testbed.bed)  # noqa: F841
    testbed.end(subprocess.call([part for part in options.program if part != "--"]))


main()
