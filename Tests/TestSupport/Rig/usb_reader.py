"""A simulated USB reader, with which the system's own libusb and libnfc communicate.

umockdev shows a simulated /sys and /dev to a program. The data that the program sends to the node of the device is
passed to this script. It removes the framing of an ACR122U (CCID) or an SCL3711 (PN533), and passes the rest to
the virtual PN532 at the other end of a pseudo-terminal.

    umockdev-wrapper /usr/bin/python3 usb_reader.py --reader acr122u --port /dev/pts/5 -- nfc-list

Its exit code is that of the program. Sources: linux/usbdevice_fs.h; USB CCID 1.1, 6; ACR122U API 2.04;
PN532 user manual, 6.2.1; libnfc 1.8.0, drivers/acr122_usb.c and pn53x_usb.c.
"""

import argparse
import errno
import os
import select
import struct
import subprocess
import threading
import time

from card_slot import Slot
from testbed import ACK, EXCHANGES, NACK, WAKE_UP, Chip, Testbed, UMockdev, pair

# The requests of linux/usbdevice_fs.h on a 64-bit machine.
CONTROL = 0xC0185500
BULK = 0xC0185502
RESET_ENDPOINT = 0x80045503
SET_INTERFACE = 0x80085504
SET_CONFIGURATION = 0x80045505
GET_DRIVER = 0x41045508
SUBMIT = 0x8038550A
DISCARD = 0x550B
REAP = 0x4008550C
REAP_NOW = 0x4008550D
CLAIM = 0x8004550F
RELEASE = 0x80045510
CONNECTION = 0x40085511
DRIVER_IOCTL = 0xC0105512
RESET = 0x5514
DISCONNECT = 0x5516
CLEAR_HALT = 0x80045515
CAPABILITIES = 0x8004551A
ACCEPTED = (RESET_ENDPOINT, SET_INTERFACE, SET_CONFIGURATION, RELEASE, CONNECTION, CLEAR_HALT)

# The offsets in struct usbdevfs_urb.
STATUS, BUFFER, LENGTH, ACTUAL, URB_SIZE = 4, 16, 24, 28, 56
CONTROL_TYPE = 2
DIRECTION_IN = 0x80

ERROR = bytes.fromhex("0000ff01ff7f8100")
DIAGNOSE_ANSWER, IN_RELEASE = b"\x01", b"\x52"


def frame(data):
    """Returns a frame to or from a PN532, with the given TFI and data."""
    if len(data) > 255:
        length = struct.pack(">H", len(data))
        head = b"\0\0\xff\xff\xff" + length + bytes([-sum(length) & 0xFF])
    else:
        head = b"\0\0\xff" + bytes([len(data), -len(data) & 0xFF])
    return head + data + bytes([-sum(data) & 0xFF, 0])


def payload(whole):
    """Returns the TFI and data of a frame."""
    return whole[8:-2] if whole[3:5] == b"\xff\xff" else whole[5:-2]


class Reader:
    """The protocol of a reader's bulk transfers. `answer` is called with each transfer of the reader."""

    def __init__(self, chip, options, answer):
        self.chip, self.options, self.answer = chip, options, answer
        self.commands = 0
        self.is_exchange = False
        # Whether an attention request has failed and the targets are being released.
        self.is_upset = self.is_release = False
        # The slot for smart cards, for a reader that a smart-card service uses.
        self.slot = None

    def send(self, data):
        delay = self.options.slow / 1000 if self.is_exchange and data != ACK else 0
        if self.is_release and self.is_upset and data != ACK:
            delay = self.options.upset / 1000
            self.is_upset = False
        if self.options.late and self.commands == self.options.late[0]:
            delay = self.options.late[1] / 1000
        self.answer(data, delay)


class SCL3711(Reader):
    """The frames of a PN533. An ACK is a separate transfer."""

    product = "04E6", "5591", "SCM Micro", "SCL3711-NFC&RW"
    device = bytes.fromhex("1201000200000040e6049155000201020001")
    configuration = bytes.fromhex(
        "090220000101008032090400000" "2ffffff00" "07050402400004" "07058402400004")

    def out(self, data):
        if data not in (ACK, NACK):
            self.commands += 1
            self.is_exchange = payload(data)[1:2] in EXCHANGES
            self.is_release = payload(data)[1:2] == IN_RELEASE
        self.chip.write(data)

    def pump(self):
        for whole in self.chip.frames():
            answer = payload(whole)
            if answer[1:2] == DIAGNOSE_ANSWER and answer[2:3] != b"\0" and self.options.upset:
                self.is_upset = True
            self.send(whole)


class RCS360(SCL3711):
    """A Sony RC-S360, whose chip has the frames of a PN533."""

    product = "054C", "02E1", "SONY", "FeliCa Port/PaSoRi 3.0"
    device = bytes.fromhex("12010002000000404c05e102005001020001")


class ACR122U(Reader):
    """CCID, with commands to the PN532 in pseudo-APDUs."""

    product = "072F", "2200", "ACS", "ACR122U PICC Interface"
    device = bytes.fromhex("12011001000000082f070022140201020001")
    configuration = bytes.fromhex(
        "09025d0001010080640904000003" "0b000000" "36210001000702000000a00f0000a00f00000080"
        "25000000c2010000f70000000000000000000000400002000f010000000000000001"
        "070581030800ff" "07050202400000" "07058202400000")
    LONGEST = 255
    # The lights as nfcpy's logs of an ACR122U215 and an ACR122U216 show them (nfcpy issues 105 and 154).
    LIGHTS = 0x02

    def __init__(self, chip, options, answer):
        super().__init__(chip, options, answer)
        if options.cards:
            self.slot = Slot(options.cards)
        # The message to which the answer of a command belongs.
        self.pending = None
        # The reader's own controller has brought the chip out of LowVbat mode.
        chip.write(WAKE_UP + frame(b"\xd4\x14\x01"))
        while not any(whole != ACK for whole in chip.frames()):
            time.sleep(0.001)

    def out(self, message):
        if len(message) < 10:
            return
        kind, length = message[0], struct.unpack_from("<I", message, 1)[0]
        data = message[10:10 + length]
        self.commands += 1
        if self.slot:
            self.serve(message, data)
        elif kind == 0x62:
            self.reply(message, b"\x3b\0")
        elif kind in (0x63, 0x65):
            self.send(bytes([0x81]) + bytes(4) + message[5:7] + b"\0\x81\0")
        elif kind not in (0x6F, 0x6B):
            self.reply(message, b"", status=0x40, error=0)
        elif data[:4] == b"\xff\0\0\0" and len(data) > 6 and data[5] == 0xD4:
            # A command that is sent while another one is running replaces it.
            self.pending = message
            self.is_exchange = data[6:7] in EXCHANGES
            self.chip.write(WAKE_UP + frame(data[5:5 + data[4]]))
        elif data[:3] == b"\xff\0\x48":
            self.reply(message, b"ACR122U214")
        elif data[:3] == b"\xff\0\x51":
            # The second byte of the status word is the new value (API 2.04, operating parameter; nfcpy issue 154).
            self.reply(message, b"\x90" + data[3:4])
        elif data[:3] == b"\xff\0\x40":
            self.reply(message, bytes([0x90, self.LIGHTS]))
        else:
            self.reply(message, b"\x90\0")

    def pump(self):
        for whole in self.chip.frames():
            message = self.pending
            if whole == ACK or message is None:
                continue
            self.pending = None
            if whole == ERROR:
                self.reply(message, b"\x63\x7f")
                continue
            data = payload(whole) + b"\x90\0"
            if self.is_empty(data):
                self.reply(message, b"", status=0, error=self.options.empty_error)
                if self.options.belated is not None:
                    self.reply(message, data, delay=self.options.belated / 1000)
            elif len(data) > self.LONGEST:
                self.reply(message, b"\x63\0")
            else:
                self.reply(message, data)

    def is_empty(self, data):
        """Whether the reader answers nothing at all, because no card has answered its chip.

        Logs of libnfc show this for an exchange (issue 263) and, with other readers, for a search (issues 570 and
        646, pull request 678). The error in the message is FE in the first, and another one in issue 646.
        """
        if data[1] == 0x4B:
            return self.options.empty_searches and data[2:3] == b"\0"
        return self.options.mute and data[1] in (0x41, 0x43) and data[2:3] == b"\x01"

    def serve(self, message, data):
        """Handles messages as the reader's own firmware does: the card that it has found is in its slot."""
        kind = message[0]
        if kind == 0x62:
            atr = self.slot.power_on()
            self.reply(message, atr, *((0, 0x81) if atr else (0x42, 0xFE)))
        elif kind in (0x63, 0x65):
            if kind == 0x63:
                self.slot.power_off()
            self.send(bytes([0x81]) + bytes(4) + message[5:7] + bytes([self.slot.status(), 0, 0]))
        elif kind == 0x6F:
            answer = self.slot.exchange(data)
            self.reply(message, answer or b"", *((0, 0x81) if answer else (0x42, 0xFE)))
        else:
            self.reply(message, b"", status=0x40, error=0)

    def reply(self, message, data, status=0, error=0x81, delay=0):
        kind = 0x83 if message[0] == 0x6B else 0x80
        head = bytes([kind]) + struct.pack("<I", len(data)) + message[5:7]
        # Status, error, and a byte without meaning. 81 is in the place of the error.
        whole = head + bytes([status, error, 0]) + data
        if delay:
            self.answer(whole, delay)
        else:
            self.send(whole)


READERS = {"acr122u": ACR122U, "scl3711": SCL3711, "rcs360": RCS360}


class Client:
    """The transfers of one program that has the node open."""

    def __init__(self):
        self.flying = []
        self.discarded = []


class Device:
    """The node of a device: the requests of programs, and the queue of the device's answers."""

    def __init__(self, options):
        self.options = options
        self.model = READERS[options.reader]
        self.reader = self.model(Chip(options.port), options, self.queue)
        self.incoming = []
        self.clients = {}
        # The program that has claimed the interface, if several are distinguished.
        self.owner = None
        self.transfers = 0
        self.gone = False
        # The time at which this login gets its rights to the node.
        self.usable_from = 0.0
        # The kernel module that uses the interface.
        self.kernel = "pn533_usb" if options.kernel or options.kernel_stays else None
        # The device accepts all data, and does not answer until it is reset.
        self.hangs = options.hang or options.dead
        self.lock = threading.Lock()

    def note(self, text):
        """Records an event for the test."""
        if self.options.notes:
            with open(self.options.notes, "a") as notes:
                notes.write(text + "\n")

    def queue(self, data, delay):
        self.incoming.append((time.monotonic() + delay, data))

    def handle(self, _, client):
        with self.lock:
            result = self.request(client, client.get_request(), client.get_arg())
        client.complete(*result)
        return True

    def request(self, client, request, arg):
        state = self.clients.setdefault(client, Client())
        if self.options.denied or time.monotonic() < self.usable_from:
            return -1, errno.EPERM
        if self.gone:
            return -1, errno.ENODEV
        if request == CAPABILITIES:
            arg.resolve(0, 4).update(0, struct.pack("I", 0))
            return 0, 0
        if request == CLAIM:
            return self.claim(client)
        if request == RELEASE and self.owner is client:
            self.owner = None
            self.note("released")
        if request == SET_CONFIGURATION and (
                self.options.busy or self.kernel or self.owner not in (None, client)):
            # No program may do this while an interface is claimed (Linux, drivers/usb/core/devio.c, proc_setconfig).
            return -1, errno.EBUSY
        if request == RESET:
            self.owner = None
            self.incoming.clear()
            self.hangs = self.options.dead
            self.note("reset")
            return 0, 0
        if request == DRIVER_IOCTL:
            return self.driver(arg.resolve(0, 16))
        if request in ACCEPTED:
            return 0, 0
        if request == GET_DRIVER:
            if not self.kernel:
                return -1, errno.ENODATA
            arg.resolve(0, 260).update(4, self.kernel.encode() + b"\0")
            return 0, 0
        if request == CONTROL:
            return self.control(arg.resolve(0, 24))
        if request == BULK:
            return self.bulk(arg.resolve(0, 24))
        if request == SUBMIT:
            return self.submit(state, arg.resolve(0, URB_SIZE))
        if request == DISCARD:
            return self.discard(state, arg.resolve(0, URB_SIZE))
        if request in (REAP, REAP_NOW):
            return self.reap(state, arg)
        return -1, errno.ENOTTY

    def claim(self, client):
        if self.options.busy or self.kernel or self.owner not in (None, client):
            return -1, errno.EBUSY
        if (self.options.cards or self.options.exclusive) and self.owner is None:
            self.owner = client
            self.note("claimed")
        return 0, 0

    def driver(self, request):
        """Handles a request to the kernel module to release the interface."""
        if struct.unpack_from("i", bytes(request.retrieve()), 4)[0] != DISCONNECT:
            return -1, errno.ENOTTY
        if not self.kernel:
            return -1, errno.ENODATA
        if self.options.kernel_stays:
            return -1, errno.EPERM
        self.kernel = None
        self.note("detached")
        return 0, 0

    def descriptor(self, setup):
        """Returns the answer to GET_DESCRIPTOR, or nothing for another request."""
        kind, number = setup[3], setup[2]
        if setup[1] != 6:
            return b""
        if kind == 1:
            return self.model.device
        if kind == 2:
            return self.model.configuration
        if kind == 3 and number == 0:
            return b"\x04\x03\x09\x04"
        if kind == 3 and number < 3:
            text = self.model.product[1 + number].encode("utf-16-le")
            return bytes([2 + len(text), 3]) + text
        return None

    def control(self, transfer):
        setup = bytes(transfer.retrieve())[:8]
        length = struct.unpack_from("<H", setup, 6)[0]
        data = self.descriptor(setup)
        if data is None:
            return -1, errno.EPIPE
        data = data[:length]
        if data:
            transfer.resolve(16, length).update(0, data)
        return len(data), 0

    def bulk(self, transfer):
        """Handles a transfer that a program waits for: struct usbdevfs_bulktransfer."""
        endpoint, length, timeout = struct.unpack_from("<III", bytes(transfer.retrieve()))
        if not endpoint & DIRECTION_IN:
            return -1, errno.EINVAL
        end = time.monotonic() + timeout / 1000
        while True:
            self.reader.pump()
            now = time.monotonic()
            if self.incoming and self.incoming[0][0] <= now:
                data = self.incoming.pop(0)[1][:length]
                transfer.resolve(16, length).update(0, data)
                return len(data), 0
            if now >= end:
                return -1, errno.ETIMEDOUT
            self.pause()

    def submit(self, state, urb):
        raw = bytes(urb.retrieve())
        kind, endpoint = raw[0], raw[1]
        length = struct.unpack_from("i", raw, LENGTH)[0]
        buffer = urb.resolve(BUFFER, length) if length else None
        if kind == CONTROL_TYPE:
            content = bytes(buffer.retrieve())
            data = (self.descriptor(content[:8]) or b"")[:length - 8]
            if data:
                buffer.update(8, data)
            state.discarded.append((urb, 0, len(data)))
            return 0, 0
        if endpoint & DIRECTION_IN:
            state.flying.append((urb, endpoint, buffer, length))
            return 0, 0
        self.transfers += 1
        if self.options.unplug == self.transfers:
            self.gone = True
            return -1, errno.ENODEV
        if length and not self.hangs:
            self.reader.out(bytes(buffer.retrieve()))
        state.discarded.append((urb, 0, length))
        return 0, 0

    def discard(self, state, urb):
        address = getattr(urb, "client_addr", None)
        for index, (other, *_) in enumerate(state.flying):
            if address is None or getattr(other, "client_addr", None) == address:
                state.discarded.append((other, -errno.ENOENT, 0))
                del state.flying[index]
                return 0, 0
        return -1, errno.EINVAL

    def reap(self, state, arg):
        self.reader.pump()
        if not state.discarded:
            self.fill(state)
        if not state.discarded:
            self.pause()
            self.reader.pump()
            self.fill(state)
        if not state.discarded:
            return -1, errno.EAGAIN
        urb, status, actual = state.discarded.pop(0)
        urb.update(STATUS, struct.pack("i", status))
        urb.update(ACTUAL, struct.pack("i", actual))
        arg.resolve(0, 8).set_ptr(0, urb)
        return 0, 0

    def pause(self):
        """Waits for the chip. A mocked node is always ready, so the program would otherwise poll without a pause."""
        # The requests of a second program wait during this time.
        longest = 0.001 if self.options.cards else 0.005
        if self.incoming:
            longest = max(0, min(longest, self.incoming[0][0] - time.monotonic()))
        select.select([self.reader.chip.port], [], [], longest)

    def fill(self, state):
        """Completes a transfer to the program with an answer of the device."""
        for index, (urb, endpoint, buffer, length) in enumerate(state.flying):
            if endpoint == self.interrupt_endpoint():
                data = self.reader.slot and self.reader.slot.change()
                if not data:
                    continue
            elif not self.incoming or self.incoming[0][0] > time.monotonic():
                continue
            else:
                data = self.incoming.pop(0)[1]
            data = data[:length]
            buffer.update(0, data)
            state.discarded.append((urb, 0, len(data)))
            del state.flying[index]
            return

    def interrupt_endpoint(self):
        return 0x81 if self.options.reader == "acr122u" else None


class Bus:
    """Plugs a device in, and unplugs it."""

    HUB_PATH = "/sys/devices/pci0000:00/0000:00:14.0/usb1"
    PATH = HUB_PATH + "/1-1"
    HUB = bytes.fromhex(
        "12010002090001406b1d020006010302010109021900010100e0000904000001090000000705810304000c")

    def __init__(self, device):
        self.testbed = Testbed()
        self.bed = self.testbed.bed
        self.device = device
        self.number = 1
        # The time at which this login gets its rights to the node, if it does not have them yet.
        self.rights = None
        if not device.options.late_bus:
            self.add_hub()

    def add_hub(self):
        self.bed.add_from_string(self.text("usb1", 1, self.HUB, "1d6b", "0002", "Linux", "Hub", 0))

    def text(self, place, number, descriptors, vendor, product, maker, name, path, serial=None):
        hexadecimal = descriptors.hex().upper()
        base = "/devices/pci0000:00/0000:00:14.0/" + place
        serial = f"A: serial={serial}\\n\n" if serial else ""
        return f"""P: {base}
N: bus/usb/001/{number:03}={hexadecimal}
E: DEVNAME=/dev/bus/usb/001/{number:03}
E: DEVTYPE=usb_device
E: DRIVER=usb
E: SUBSYSTEM=usb
E: MAJOR=189
E: MINOR={number - 1}
E: BUSNUM=001
E: DEVNUM={number:03}
E: PRODUCT={vendor.lstrip("0").lower()}/{product.lstrip("0").lower()}/214
A: busnum=1\\n
A: devnum={number}\\n
A: devpath={path}\\n
A: speed=12\\n
A: bConfigurationValue=1\\n
A: idVendor={vendor.lower()}\\n
A: idProduct={product.lower()}\\n
A: bcdDevice=0214\\n
A: manufacturer={maker}\\n
A: product={name}\\n
{serial}A: dev=189:{number - 1}\\n
H: descriptors={hexadecimal}

"""

    def plug(self):
        if self.device.options.late_bus and self.number == 1:
            self.add_hub()
            self.testbed.announce(self.HUB_PATH, "add")
        self.number += 1
        model = self.device.model
        self.node = f"/dev/bus/usb/001/{self.number:03}"
        self.handler = UMockdev.IoctlBase.new()
        self.handler.connect("handle-ioctl", self.device.handle)
        self.device.gone = False
        self.device.incoming.clear()
        if self.device.options.rights and (self.number > 2 or self.device.options.arrive):
            self.rights = self.device.usable_from = time.monotonic() + self.device.options.rights / 1000
        self.device.note("plugged")
        # The node must not be open to this login for a moment: nobody may look into its directory meanwhile.
        directory = os.path.dirname(self.testbed.root + self.node)
        if self.rights and os.path.isdir(directory):
            os.chmod(directory, 0o000)
        self.bed.attach_ioctl(self.node, self.handler)
        descriptors = self.device.options.descriptors or model.device + model.configuration
        vendor, product, maker, name = model.product
        serial = f"{self.number:04}" if self.device.options.replaced else None
        text = self.text("usb1/1-1", self.number, descriptors, vendor, product, maker, name, 1, serial)
        text += f"""P: /devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0
E: DEVTYPE=usb_interface
E: SUBSYSTEM=usb
A: bInterfaceNumber=00\\n
A: bInterfaceClass={model.configuration[14]:02x}\\n

"""
        self.bed.add_from_string(text)
        if self.device.options.denied:
            os.chmod(self.testbed.root + self.node, 0o444)
        if self.rights:
            os.chmod(self.testbed.root + self.node, 0o000)
            os.chmod(directory, 0o755)
        if self.number > 2 or self.device.options.arrive:
            self.testbed.announce(self.PATH, "add")

    def give_rights(self):
        """Grants the rights, as udev does a moment after the kernel has created the node."""
        if self.rights and time.monotonic() >= self.rights:
            self.rights = None
            os.chmod(self.testbed.root + self.node, 0o664)
            self.device.note("rights")

    def unplug(self):
        self.device.gone = True
        self.rights = None
        self.device.note("unplugged")
        for path in (self.PATH + "/1-1:1.0", self.PATH):
            self.testbed.announce(path, "remove")
            self.bed.remove_device(path)
        self.bed.detach_ioctl(self.node)
        node = self.testbed.root + self.node
        if os.path.exists(node):
            os.unlink(node)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reader", choices=READERS, required=True)
    parser.add_argument("--port", required=True, help="the virtual PN532's serial port")
    parser.add_argument("--busy", action="store_true", help="another program has claimed it")
    parser.add_argument("--denied", action="store_true", help="the program may not use it")
    parser.add_argument("--mute", action="store_true", help="silence of a card is an empty answer")
    parser.add_argument(
        "--empty-searches", action="store_true", help="and so is a search that finds none")
    parser.add_argument(
        "--empty-error", type=lambda text: int(text, 16), default=0xFE,
        help="the error in such an answer, in hexadecimal")
    parser.add_argument(
        "--belated", type=int,
        help="milliseconds after such an answer until the chip's own answer follows, which nobody expects any more")
    parser.add_argument("--unplug", type=int, help="at this transfer to the device")
    parser.add_argument("--times", type=int, default=1, help="how often it is unplugged")
    parser.add_argument("--back", type=int, help="plugged in again so many milliseconds later")
    parser.add_argument(
        "--replaced", action="store_true", help="another one each time, with its own serial number"
    )
    parser.add_argument("--arrive", type=int, help="plugged in so many milliseconds after the start")
    parser.add_argument("--late", type=pair, help="command:milliseconds: its answer is late")
    parser.add_argument("--slow", type=int, default=0, help="milliseconds for each exchange")
    parser.add_argument("--kernel", action="store_true", help="a module of the kernel has it")
    parser.add_argument(
        "--kernel-stays", action="store_true", help="and the program may not take it away")
    parser.add_argument("--dead", action="store_true", help="it says nothing at all")
    parser.add_argument("--hang", action="store_true", help="it says nothing until it is reset")
    parser.add_argument(
        "--late-bus", action="store_true", help="there is no bus before it is plugged in")
    parser.add_argument(
        "--rights", type=int, help="milliseconds from its arrival or return until the program may use it")
    parser.add_argument(
        "--upset", type=int, default=0,
        help="milliseconds that the chip takes to release targets after an attention request has failed")
    parser.add_argument(
        "--exclusive", action="store_true", help="it is its own who has claimed it, as with --cards")
    parser.add_argument(
        "--cards", type=int, help="a smart-card service may have it; cards come to this port")
    parser.add_argument("--descriptors", type=bytes.fromhex, help="other descriptors than the model's")
    parser.add_argument("--notes", help="a file for what happens to the device")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    options = arguments()
    device = Device(options)
    bus = Bus(device)
    start = time.monotonic()
    plugged, unplugged = False, None
    if not options.arrive:
        bus.plug()
        plugged = True
    program = [part for part in options.program if part != "--"]
    child = subprocess.Popen(program)
    while child.poll() is None:
        now = time.monotonic()
        if not plugged and unplugged is None and now - start > (options.arrive or 0) / 1000:
            bus.plug()
            plugged = True
        if plugged and device.gone:
            bus.unplug()
            plugged, unplugged = False, now
            # This repeats after as many transfers, until it has happened often enough.
            options.times -= 1
            options.unplug = options.unplug + device.transfers if options.times > 0 else None
        waits = unplugged is not None and options.back is not None
        if waits and not plugged and now - unplugged > options.back / 1000:
            bus.plug()
            plugged = True
        bus.give_rights()
        time.sleep(0.005)
    bus.testbed.end(child.returncode)


main()
