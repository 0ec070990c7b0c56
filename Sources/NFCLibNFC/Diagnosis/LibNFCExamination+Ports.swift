import NFCCore
import SystemFacts

// Readers on serial ports and buses.
extension LibNFCExamination {
  /// Names of serial ports that may have a board: USB, and those of a Raspberry Pi's pins.
  private static let portNames = ["ttyUSB", "ttyACM", "ttyAMA", "serial0"]

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
    if holders.isEmpty, let finding = modemManager(on: path) { findings.append(finding) }
    return findings
  }

  private func portIsMissing(_ path: String) -> ReaderFinding {
    let ports = (system.files.names(in: "/dev") ?? [])
      .filter { name in Self.portNames.contains { name.hasPrefix($0) } }.map { "/dev/" + $0 }
    return ReaderFinding(
      .notThere, "\(path) is not there",
      advice: ports.isEmpty
        ? "plug the board in; sudo dmesg shows the port's name then"
        : "plug the board in, or name one that is there: \(ports.joined(separator: ", "))")
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
    return ReaderFinding(.inUse, "\(Processes.list(holders)) has \(path)", advice: advice)
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
