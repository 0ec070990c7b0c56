import NFC
import NFCCore
import NFCLibNFC
import NFCUSB

// Readers that are named: on the command line, in libnfc's configuration.
extension Examination {
  func examineAddress(_ text: String) -> ExaminedReader {
    var reader = ExaminedReader(name: text, connectionString: text)
    do {
      switch try ConnectionString(text).address() {
      case .usb(let driver, let address): examineUSB(driver, address, &reader)
      case .serialPort(let path): reader.findings = portFindings(path)
      case .node(let path): reader.findings = nodeFindings(path)
      }
    } catch let error as NFCError {
      reader.findings = [
        Finding(.connectionString, error.reason, advice: Self.correction(text))
      ]
    } catch {
      reader.findings = [Finding(.connectionString, "\(error)")]
    }
    return reader
  }

  /// Returns advice on how to write an invalid address.
  private static func correction(_ text: String) -> String {
    ReaderSources.all.lazy.compactMap { $0.advice(forInvalid: ReaderAddress(text)) }.first
      ?? "nfc readers lists those that are found"
  }

  // MARK: USB

  private func examineUSB(_ driver: String, _ address: String, _ reader: inout ExaminedReader) {
    guard let device = devices.first(where: { $0.address == address }) else {
      reader.findings = [noDevice(at: address)]
      return
    }
    let model = USBModel.of(device)
    let name = model?.name ?? device.ownName ?? "another device"
    reader.usb = device.identifiers
    reader.place = "USB port \(device.port), \(name)"
    guard case .libnfc(let own)? = model?.use else {
      reader.findings = [
        Finding(
          .notThisReader, "at \(address) is \(name), which libnfc does not drive",
          advice: "addresses change when a device is plugged in; nfc doctor lists the readers")
      ]
      return
    }
    // `usb` tries every USB driver.
    guard driver == own || driver == "usb" else {
      reader.findings = [
        Finding(
          .notThisReader, "\(name) has another driver", advice: "name it by \(own):\(address)")
      ]
      return
    }
    reader.findings = findings(of: device)
  }

  private func noDevice(at address: String) -> Finding {
    let there = devices.compactMap { device -> String? in
      guard case .libnfc(let driver)? = USBModel.of(device)?.use else { return nil }
      return "\(driver):\(device.address)"
    }
    return Finding(
      .notThere, "no USB device has the address \(address)",
      advice: there.isEmpty
        ? "plug it in; the address is new each time, three digits for the bus and three for the device"
        : "the address is new each time a reader is plugged in; now there is "
          + there.joined(separator: ", "))
  }

  // MARK: Serial ports

  /// Names of serial ports that may have a board: USB, and those of a Raspberry Pi's pins.
  private static let portNames = ["ttyUSB", "ttyACM", "ttyAMA", "serial0"]

  private func portFindings(_ path: String) -> [Finding] {
    guard let node = files.node(path) else { return [portIsMissing(path)] }
    guard node.kind == .characterDevice else {
      return [
        Finding(.notThisReader, "\(path) is not a serial port", advice: "name one, as /dev/ttyUSB0")
      ]
    }
    var findings: [Finding] = []
    let holders = processes.holders(of: node)
    if !holders.isEmpty { findings.append(inUse(path, holders)) }
    if let finding = rights.finding(path) { findings.append(finding) }
    if let finding = console(on: path) { findings.append(finding) }
    if holders.isEmpty, let finding = modemManager(on: path) { findings.append(finding) }
    return findings
  }

  private func portIsMissing(_ path: String) -> Finding {
    let ports = (files.names(in: "/dev") ?? [])
      .filter { name in Self.portNames.contains { name.hasPrefix($0) } }.map { "/dev/" + $0 }
    return Finding(
      .notThere, "\(path) is not there",
      advice: ports.isEmpty
        ? "plug the board in; sudo dmesg shows the port's name then"
        : "plug the board in, or name one that is there: \(ports.joined(separator: ", "))")
  }

  private func inUse(_ path: String, _ holders: [Processes.Process]) -> Finding {
    let advice: String
    switch holders.first?.command {
    case "ModemManager":
      advice =
        "it releases the port within half a minute; otherwise sudo systemctl stop ModemManager"
    case "brltty": advice = "sudo apt remove brltty, if no braille display is used"
    case "agetty": advice = "sudo systemctl disable --now serial-getty@\(Self.portName(path))"
    default: advice = "end that program"
    }
    return Finding(.inUse, "\(Self.list(holders)) has \(path)", advice: advice)
  }

  /// It is root's, whose open ports only root sees, and looks for a modem on every new port by USB.
  private func modemManager(on path: String) -> Finding? {
    let name = Self.portName(path)
    guard name.hasPrefix("ttyUSB") || name.hasPrefix("ttyACM"),
      processes.isRunning("ModemManager")
    else { return nil }
    return Finding(
      .inUse,
      "ModemManager is running, and may use a port for half a minute after it is plugged in",
      advice: "if nothing answers: sudo systemctl stop ModemManager", isObstacle: false)
  }

  private static func portName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// kernel-parameters: `console=ttyS0,115200`.
  private func console(on path: String) -> Finding? {
    let names = [Self.portName(path)] + [files.linkName(path)].compactMap(\.self)
    let consoles = (files.line("/proc/cmdline") ?? "").split(separator: " ")
      .filter { $0.hasPrefix("console=") }
      .map { $0.dropFirst("console=".count).split(separator: ",").first.map(String.init) ?? "" }
    guard let console = consoles.first(where: names.contains) else { return nil }
    return Finding(
      .console, "the kernel's console is on \(path)",
      advice: "take console=\(console) out of the kernel's command line; on a Raspberry Pi: "
        + "sudo raspi-config, serial port without login",
      isObstacle: false)
  }

  // MARK: I²C and SPI

  private func nodeFindings(_ path: String) -> [Finding] {
    guard files.exists(path) else {
      let isSPI = path.contains("spi")
      return [
        Finding(
          .notThere, "\(path) is not there",
          advice: isSPI
            ? "on a Raspberry Pi: dtparam=spi=on in /boot/firmware/config.txt, and restart it"
            : "sudo modprobe i2c-dev; on a Raspberry Pi also dtparam=i2c_arm=on in "
              + "/boot/firmware/config.txt, and restart it")
      ]
    }
    return [rights.finding(path)].compactMap(\.self)
  }

  // MARK: Bridges

  /// Returns a serial port over USB, if there is one: libnfc does not search for readers there.
  func examineBridge(_ device: USBDevice, _ model: USBModel?) -> ExaminedReader? {
    let ports = device.ports(files)
    guard let port = ports.first else {
      // Its interface is free, or brltty has it.
      guard model != nil, processes.isRunning("brltty") else { return nil }
      var reader = reader(device, model)
      reader.isPort = true
      reader.findings = [
        Finding(
          .inUse, "it has no port, as happens when brltty mistakes it for a braille display",
          advice: "sudo apt remove brltty, if none is used, and plug it in again")
      ]
      return reader
    }
    var reader = reader(device, model)
    reader.place = port
    reader.findings =
      files.exists(port)
      ? portFindings(port)
      : [nodeIsMissing(port, advice: "start the container with --device \(port)")]
    let name = LibNFCSource.address(ofSerialPort: port).description
    let defined = configuration.devices.map(\.connectionString)
      .first { $0 == name || $0.hasPrefix(name + ":") }
    reader.connectionString = defined ?? name
    reader.isPort = defined == nil
    guard reader.isPort, !configuration.searchesIntrusively else { return reader }
    reader.findings.append(
      Finding(
        .notSearched, "a PN532 may be on it, and libnfc does not look for one",
        advice: "nfc doctor --reader \(name) tries it", isObstacle: false))
    return reader
  }
}
