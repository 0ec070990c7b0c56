import SwiftNFCCore
import SwiftNFCSystemFacts

// Readers on serial ports and buses.
extension LibNFCExamination {
  /// Names of serial ports that may have a board: USB, and those of a Raspberry Pi's pins.
  private static let portNames = ["ttyUSB", "ttyACM", "ttyAMA", "serial0"]

  /// Those of USB adapters and of pins. Not those of a PC's board: most of them have no connector, and what is on one is
  /// seldom a reader.
  var freePorts: [ReaderAddress] {
    portsThere.filter { path in
      // The last is the debug connector of a Raspberry Pi 5.
      !portFindings(path).contains {
        $0.isObstacle || [.console, .notThisReader].contains($0.problem)
      }
    }.map(LibNFCSource.address(ofSerialPort:))
  }

  private static let busNames = [("i2c-", "pn532_i2c"), ("spidev", "pn532_spi")]

  var buses: [ReaderAddress] {
    (system.files.names(in: "/dev") ?? []).sorted().compactMap { name in
      Self.busNames.first { name.hasPrefix($0.0) }.map { ReaderAddress("\($0.1):/dev/\(name)") }
    }
  }

  /// The serial ports that are there, each by one of its names.
  private var portsThere: [String] {
    let names = (system.files.names(in: "/dev") ?? []).sorted()
      .filter { name in Self.portNames.contains { name.hasPrefix($0) } }
    let linked = Set(names.compactMap { system.files.linkName("/dev/" + $0) })
    return names.filter { !linked.contains($0) }.map { "/dev/" + $0 }
  }

  func portFindings(_ path: String) -> [ReaderFinding] {
    guard let node = system.files.node(path) else { return [portIsMissing(path)] }
    guard node.kind == .characterDevice else {
      return [
        ReaderFinding(
          .notThisReader, "\(path) is not a serial port", advice: "name one, as /dev/ttyUSB0")
      ]
    }
    var findings: [ReaderFinding] = []
    let holders = system.processes.holders(of: node)
    if !holders.isEmpty { findings.append(inUse(path, holders)) }
    if let finding = permission(path) { findings.append(finding) }
    if let finding = console(on: path) { findings.append(finding) }
    if let finding = debugConnector(at: path) { findings.append(finding) }
    if holders.isEmpty, let finding = modemManager(on: path) { findings.append(finding) }
    return findings
  }

  /// The slowest line on which the commands of a search take less time than the search itself.
  private static let quickLine = 38_400

  /// On a slow line, the bytes of the commands decide when a tag is reported: at 9600 baud, one takes 28 ms instead of 3.
  func slowLine(_ string: ConnectionString, _ path: String) -> ReaderFinding? {
    guard let speed = string.speed, speed < Self.quickLine, let traits = string.traits,
      traits.isBareChip
    else { return nil }
    return ReaderFinding(
      .slowLine, "at \(speed) baud, a tag is reported later than at \(LineRate.ordinary)",
      advice: "name it \(traits.name):\(path), without the rate: the chip then changes to "
        + "\(LineRate.ordinary) baud", isObstacle: false)
  }

  private func portIsMissing(_ path: String) -> ReaderFinding {
    let ports = (system.files.names(in: "/dev") ?? [])
      .filter { name in Self.portNames.contains { name.hasPrefix($0) } }.map { "/dev/" + $0 }
    let step = stepToPort(path)
    guard ports.isEmpty else {
      let list = ports.joined(separator: ", ")
      return ReaderFinding(
        .notThere, "\(path) is not there", advice: "\(step), or name one that is there: \(list)")
    }
    let isOnUSB = Self.portsOnUSB.contains { path.hasPrefix($0) }
    return ReaderFinding(
      .notThere, "\(path) is not there",
      advice: isOnUSB ? step + "; sudo dmesg shows the port's name then" : step)
  }

  /// Returns what to do about a port that is not there, by what creates a port of this name.
  private func stepToPort(_ path: String) -> String {
    if Self.pinPorts.contains(path) {
      return
        "on a Raspberry Pi: sudo raspi-config, serial port on, without login; on a Raspberry Pi 5 also "
        + Self.pinsOfRaspberryPi5
    }
    // pty(7): it exists as long as the program that has opened its other end.
    if path.hasPrefix("/dev/pts/") {
      return "start the program again that provides it, such as nfc virtual, and name its new port"
    }
    return Self.portsOnUSB.contains { path.hasPrefix($0) }
      ? "connect the reader's USB cable" : "check the name of the port"
  }

  /// The beginnings of the names of ports that the system creates when a device is plugged in.
  private static let portsOnUSB = ["/dev/ttyUSB", "/dev/ttyACM", "/dev/serial/by-"]

  /// The names of the serial port on a Raspberry Pi's pins 8 and 10: the primary port, and that of a Raspberry
  /// Pi 5.
  private static let pinPorts = ["/dev/serial0", "/dev/ttyAMA0"]
  /// The primary port of a Raspberry Pi 5 (Raspberry Pi documentation, "Configure UARTs").
  private static let debugPort = "ttyAMA10"
  /// Source: the Raspberry Pi documentation's repository, issue 3239.
  private static let pinsOfRaspberryPi5 =
    "dtparam=uart0=on in /boot/firmware/config.txt, and restart it"

  /// `/dev/serial0` is the primary port, and that of a Raspberry Pi 5 is not on its pins.
  private func debugConnector(at path: String) -> ReaderFinding? {
    guard [Self.portName(path), system.files.linkName(path)].contains(Self.debugPort) else {
      return nil
    }
    return ReaderFinding(
      .notThisReader, "\(path) is a Raspberry Pi 5's debug connector, not its pins 8 and 10",
      advice: "for a board on those pins: \(Self.pinsOfRaspberryPi5); then name /dev/ttyAMA0",
      isObstacle: false)
  }

  private func inUse(_ path: String, _ holders: [Processes.Process]) -> ReaderFinding {
    let advice: String
    switch holders.first?.command {
    case "ModemManager":
      advice =
        "it releases the port within half a minute; otherwise sudo systemctl stop ModemManager"
    case "brltty": advice = "sudo apt remove brltty, if no braille display is used"
    case "agetty": advice = "sudo systemctl disable --now serial-getty@\(Self.portName(path))"
    default: advice = "end that program"
    }
    let verb = holders.count == 1 ? "has" : "have"
    return ReaderFinding(.inUse, "\(Processes.list(holders)) \(verb) \(path)", advice: advice)
  }

  /// It is root's, whose open ports only root sees, and looks for a modem on every new port by USB.
  private func modemManager(on path: String) -> ReaderFinding? {
    let name = Self.portName(path)
    guard name.hasPrefix("ttyUSB") || name.hasPrefix("ttyACM"),
      system.processes.isRunning("ModemManager")
    else { return nil }
    return ReaderFinding(
      .inUse,
      "ModemManager is running, and may use a port for half a minute after it is plugged in",
      advice: "if nothing answers: sudo systemctl stop ModemManager", isObstacle: false)
  }

  private static func portName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// kernel-parameters: `console=ttyS0,115200`.
  private func console(on path: String) -> ReaderFinding? {
    let names = [Self.portName(path)] + [system.files.linkName(path)].compactMap(\.self)
    let consoles = (system.files.line("/proc/cmdline") ?? "").split(separator: " ")
      .filter { $0.hasPrefix("console=") }
      .map { $0.dropFirst("console=".count).split(separator: ",").first.map(String.init) ?? "" }
    guard let console = consoles.first(where: names.contains) else { return nil }
    return ReaderFinding(
      .console, "the kernel's console is on \(path)",
      advice: "take console=\(console) out of the kernel's command line; on a Raspberry Pi: "
        + "sudo raspi-config, serial port without login",
      isObstacle: false)
  }

  // MARK: I²C and SPI

  func nodeFindings(_ path: String) -> [ReaderFinding] {
    guard system.files.exists(path) else {
      let isSPI = path.contains("spi")
      return [
        ReaderFinding(
          .notThere, "\(path) is not there",
          advice: isSPI
            ? "on a Raspberry Pi: dtparam=spi=on in /boot/firmware/config.txt, and restart it"
            : "sudo modprobe i2c-dev; on a Raspberry Pi also dtparam=i2c_arm=on in "
              + "/boot/firmware/config.txt, and restart it")
      ]
    }
    return [permission(path)].compactMap(\.self)
  }
}
