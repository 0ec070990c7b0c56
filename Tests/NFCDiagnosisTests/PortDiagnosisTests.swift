import Foundation
import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts
import TestSupport
import Testing

@testable import NFCDiagnosis
@testable import SwiftNFCLibNFC

/// Serial ports, I²C and SPI buses.
@Suite struct PortDiagnosisTests {
  private static let port = "/dev/ttyUSB0"

  @Test(arguments: [
    "pn532_uart:/dev/ttyUSB0", "pn532_uart:/dev/ttyUSB0:115200", "arygon:/dev/ttyUSB0",
  ])
  func aPortWithNothingInTheWay(_ name: String) throws {
    let system = try SimulatedSystem()
    try system.serialPort(Self.port)
    try system.file("/proc/cmdline", "root=/dev/sda1 console=tty0 console=ttyS0,115200n8 quiet\n")
    let reader = system.reader(name)
    #expect(reader.findings == [])
    #expect(reader.canBeOpened && !reader.wasOpened)
  }

  /// A remark, not an obstacle, and only for a chip that can change to another rate.
  @Test(arguments: [("9600", true), ("19200", true), ("38400", false), ("115200", false)])
  func aSlowLineIsNoted(_ speed: String, _ isSlow: Bool) throws {
    let system = try SimulatedSystem()
    try system.serialPort(Self.port)
    let reader = system.reader("pn532_uart:\(Self.port):\(speed)")
    #expect(reader.problems == (isSlow ? [.slowLine] : []))
    #expect(reader.canBeOpened)
    if isSlow {
      #expect(reader.advice.contains("name it pn532_uart:\(Self.port), without the rate"))
    }
    #expect(system.reader("arygon:\(Self.port):\(speed)").problems == [])
  }

  @Test(
    arguments: [("pn532_uart:/dev/ttyUSB0", .supported), ("arygon:/dev/ttyUSB0", nil)]
      as [(String, ExaminedReader.Emulation?)])
  func aPN532ActsAsATag(_ name: String, _ emulation: ExaminedReader.Emulation?) throws {
    let system = try SimulatedSystem()
    try system.serialPort(Self.port)
    #expect(system.reader(name).emulation == emulation)
  }

  @Test func aPortThatIsNotThere() throws {
    let system = try SimulatedSystem()
    try system.folder("/dev")
    let alone = system.reader("pn532_uart:/dev/ttyUSB0")
    #expect(alone.problems == [.notThere])
    #expect(alone.advice.contains("sudo dmesg"))
    try system.serialPort("/dev/ttyUSB1")
    try system.serialPort("/dev/ttyACM0")
    try system.serialPort("/dev/ttyprintk")
    let others = system.reader("pn532_uart:/dev/ttyUSB0")
    #expect(others.problems == [.notThere])
    #expect(others.advice.hasSuffix("/dev/ttyACM0, /dev/ttyUSB1"))
  }

  /// A port that nobody uses, once under one of its names.
  @Test func freePorts() throws {
    let system = try SimulatedSystem()
    try system.folder("/dev")
    #expect(system.examination().freePorts.isEmpty)
    for name in ["ttyUSB0", "ttyACM0", "ttyS0", "ttyAMA0"] { try system.serialPort("/dev/" + name) }
    try system.file("/proc/cmdline", "console=ttyAMA0,115200 console=tty0\n")
    #expect(
      system.examination().freePorts.map(\.address)
        == ["pn532_uart:/dev/ttyACM0", "pn532_uart:/dev/ttyUSB0"].map { ReaderAddress($0) })
  }

  @Test func busesOfPins() throws {
    let system = try SimulatedSystem()
    for name in ["i2c-1", "spidev0.0", "ttyS0"] { try system.file("/dev/" + name) }
    #expect(system.diagnosis().buses == ["pn532_i2c:/dev/i2c-1", "pn532_spi:/dev/spidev0.0"])
  }

  /// What has answered on a port that was asked.
  @Test func answersOfAPort() throws {
    let address = ReaderAddress("pn532_uart:/dev/ttyUSB0")
    func reader(_ answer: PortAnswer) -> ReaderDiagnosis.ExaminedReader? {
      var diagnosis = ReaderDiagnosis()
      diagnosis.note(.success(answer), at: address, from: LibNFCSource())
      return diagnosis.readers.first
    }
    let chip = try #require(reader(.chip("PN532")))
    #expect(
      chip.canBeOpened && chip.name == "PN532" && chip.connectionString == address.description)
    for (answer, detail) in [
      (PortAnswer.echo, "the line returns what is sent"), (.silence, "nothing has answered on it"),
      (.other, "something answers, but not as a PN532"),
    ] {
      let reader = try #require(reader(answer))
      #expect(!reader.canBeOpened && reader.problems == [.noAnswer])
      #expect(reader.findings.first?.detail == detail)
      #expect(!reader.advice.isEmpty)
    }
    var diagnosis = ReaderDiagnosis()
    diagnosis.note(
      .failure(NFCError(.readerUnavailable, "in use")), at: address, from: LibNFCSource())
    #expect(diagnosis.readers.map(\.canBeOpened) == [false])
  }

  @Test func aFileIsNotAPort() throws {
    let system = try SimulatedSystem()
    try system.file(Self.port)
    #expect(system.reader("pn532_uart:/dev/ttyUSB0").problems == [.notThisReader])
    #expect(system.reader("pn532_uart:/dev").problems == [.notThisReader])
  }

  /// The node of a port is a real one in these tests, `/dev/null`: the refusal is made up.
  @Test func aPortOfAnotherGroup() throws {
    let system = try SimulatedSystem()
    try system.file(Self.port, mode: 0o660)
    try system.nameGroup("dialout")
    func permission() -> ReaderFinding? {
      LibNFCExamination(SystemSnapshot(system.files)).permission(Self.port)
    }
    let finding = try #require(permission())
    #expect(finding.problem == .noPermission)
    #expect(finding.detail.contains(":dialout, mode 0660"))
    #expect(finding.advice == "sudo adduser $USER dialout, then log out and in again")
    system.groupIDs = [getegid()]
    #expect(permission() == nil)
  }

  @Test(arguments: [
    ("ModemManager", "half a minute"), ("brltty", "sudo apt remove brltty"),
    ("agetty", "serial-getty@ttyUSB0"), ("minicom", "end that program"),
  ])
  func aProgramHasThePort(_ command: String, _ advice: String) throws {
    let system = try SimulatedSystem()
    try system.serialPort(Self.port)
    try system.process(77, command, holding: Self.port)
    let reader = system.reader("pn532_uart:/dev/ttyUSB0")
    #expect(reader.problems == [.inUse])
    #expect(reader.findings.first?.detail.contains("\(command) (process 77)") == true)
    #expect(reader.advice.contains(advice))
  }

  /// It is root's, and what it has open is out of sight.
  @Test func modemManagerIsNoted() throws {
    let system = try SimulatedSystem()
    try system.serialPort(Self.port)
    try system.serialPort("/dev/ttyS0")
    try system.process(77, "ModemManager")
    let reader = system.reader("pn532_uart:/dev/ttyUSB0")
    #expect(reader.problems == [.inUse] && reader.canBeOpened)
    #expect(reader.advice.contains("sudo systemctl stop ModemManager"))
    #expect(system.reader("pn532_uart:/dev/ttyS0").findings == [])
  }

  @Test func theConsoleIsNoted() throws {
    let system = try SimulatedSystem()
    try system.serialPort("/dev/ttyAMA0")
    try system.link("/dev/serial0", to: "ttyAMA0")
    try system.file("/proc/cmdline", "console=tty1 console=ttyAMA0,115200 rootwait\n")
    for path in ["/dev/ttyAMA0", "/dev/serial0"] {
      let reader = system.reader("pn532_uart:\(path)")
      #expect(reader.problems == [.console])
      #expect(reader.advice.contains("console=ttyAMA0"))
      #expect(reader.canBeOpened)
    }
  }

  /// The port of the pins is off on delivery (Raspberry Pi documentation, "Configure UARTs").
  @Test(arguments: ["/dev/serial0", "/dev/ttyAMA0"])
  func aPortOnThePinsOfARaspberryPiIsSwitchedOn(_ path: String) throws {
    let system = try SimulatedSystem()
    try system.folder("/dev")
    let off = system.reader("pn532_uart:\(path)")
    #expect(off.problems == [.notThere])
    #expect(off.advice.contains("sudo raspi-config"))
    #expect(off.advice.contains("dtparam=uart0=on"))
    #expect(!off.advice.contains("USB cable"))
    try system.serialPort("/dev/ttyUSB0")
    #expect(system.reader("pn532_uart:\(path)").advice.hasSuffix("there: /dev/ttyUSB0"))
  }

  /// On a Raspberry Pi 5, serial0 leads to the debug connector (the documentation's repository, issue 3239).
  @Test(arguments: ["/dev/serial0", "/dev/ttyAMA10"])
  func theDebugConnectorOfARaspberryPi5IsNoted(_ path: String) throws {
    let system = try SimulatedSystem()
    try system.serialPort("/dev/ttyAMA10")
    try system.link("/dev/serial0", to: "ttyAMA10")
    let reader = system.reader("pn532_uart:\(path)")
    #expect(reader.problems == [.notThisReader])
    #expect(reader.canBeOpened)
    #expect(reader.advice.contains("dtparam=uart0=on"))
    #expect(reader.advice.hasSuffix("name /dev/ttyAMA0"))
  }

  @Test(arguments: [
    ("acr122s:/dev/ttyUSB0", "write ACR122S"), ("PN532_UART:/dev/ttyUSB0", "write pn532_uart"),
    ("/dev/ttyUSB0", "pn532_uart:/dev/ttyUSB0"), ("acr122_pcsc:ACS", "write pcsc:"),
    ("pn71xx:", "nfc readers"), ("", "nfc readers"), ("pn532_uart:", ""), ("pn532_uart", ""),
    // libnfc would take 0000 for the speed.
    ("pn532_uart:/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0-port0", ""),
    ("pn532_uart:/dev/ttyUSB0:fast", ""),
    (String(repeating: "x", count: 2000), ""), ("pn532_uart:/dev/\u{0}", ""),
  ])
  func aStringThatIsNotOne(_ name: String, _ advice: String) throws {
    let system = try SimulatedSystem()
    try system.serialPort(Self.port)
    let reader = system.reader(name)
    #expect(reader.problems == [.connectionString])
    #expect(reader.advice.contains(advice) || advice.isEmpty)
    #expect(!reader.canBeOpened)
  }

  @Test(arguments: [
    ("pn532_i2c:/dev/i2c-1", "sudo modprobe i2c-dev"),
    ("pn532_spi:/dev/spidev0.0", "dtparam=spi=on"),
  ])
  func aBusThatIsNotThere(_ name: String, _ advice: String) throws {
    let system = try SimulatedSystem()
    let reader = system.reader(name)
    #expect(reader.problems == [.notThere])
    #expect(reader.advice.contains(advice))
    let path = String(try #require(name.split(separator: ":").last))
    try system.serialPort(path)
    #expect(system.reader(name).findings == [])
  }

  // MARK: Bridges

  @Test func aBridgeIsAPossibleReader() throws {
    let system = try SimulatedSystem()
    try system.usb("1-3", "1a86", "7523")
    try system.folder("/sys/bus/usb/devices/1-3:1.0/ttyUSB0")
    let container = try #require(system.diagnosis().readers.first)
    #expect(container.problems == [.noDeviceNode, .notSearched])
    #expect(container.advice.contains("--device /dev/ttyUSB0"))
    try system.serialPort(Self.port)
    let diagnosis = system.diagnosis()
    let bridge = try #require(diagnosis.readers.first)
    #expect(bridge.isPort && !bridge.canBeOpened && !diagnosis.hasReader)
    #expect(bridge.connectionString == "pn532_uart:/dev/ttyUSB0")
    #expect(bridge.problems == [.notSearched])
    #expect(bridge.advice.contains("nfc doctor --reader pn532_uart:/dev/ttyUSB0"))

    system.environment["LIBNFC_INTRUSIVE_SCAN"] = "true"
    #expect(system.diagnosis().readers.first?.findings == [])
  }

  /// By libnfc's configuration it is a reader.
  @Test(arguments: ["pn532_uart:/dev/ttyUSB0", "pn532_uart:/dev/ttyUSB0:115200"])
  func aBridgeThatIsDefined(_ name: String) throws {
    let system = try SimulatedSystem()
    try system.usb("1-3", "1a86", "7523")
    try system.folder("/sys/bus/usb/devices/1-3:1.0/ttyUSB0")
    try system.serialPort(Self.port)
    system.environment["LIBNFC_DEVICE"] = name
    let readers = system.diagnosis().readers
    #expect(readers.map(\.connectionString) == [name])
    #expect(readers.map(\.canBeOpened) == [true])
    #expect(readers.map(\.findings) == [[]])
  }

  /// A board with a port of its own, which no table has.
  @Test func aCommunicationsDevice() throws {
    let system = try SimulatedSystem()
    try system.usb("1-3", "2341", "0043", name: "Arduino Uno")
    try system.folder("/sys/bus/usb/devices/1-3:1.0/tty/ttyACM0")
    try system.serialPort("/dev/ttyACM0")
    let board = try #require(system.diagnosis().readers.first)
    #expect(board.name == "Arduino Uno")
    #expect(board.connectionString == "pn532_uart:/dev/ttyACM0")
  }

  @Test func brlttyTakesABridge() throws {
    let system = try SimulatedSystem()
    try system.usb("1-3", "1a86", "7523")
    #expect(system.diagnosis().readers == [])
    try system.process(5, "brltty")
    let bridge = try #require(system.diagnosis().readers.first)
    #expect(bridge.problems == [.inUse])
    #expect(bridge.advice.contains("sudo apt remove brltty"))
    #expect(!bridge.canBeOpened)
  }
}
