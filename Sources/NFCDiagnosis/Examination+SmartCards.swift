import NFCCore
import NFCPCSC
import NFCUSB

/// The state of the PC/SC service.
enum SmartCardServiceState: Sendable {
  static let scheme = PCSCDriver.scheme
  static let program = "pcscd"
  private static let defaultSocket = "/run/pcscd/pcscd.comm"
  private static let socketVariable = "PCSCLITE_CSOCK_NAME"

  /// It is running; the connection strings of its readers.
  case shows([String])
  /// It cannot be reached.
  case unreachable(NFCError)
  /// It was not asked, because asking would start it, and it would take a reader that libnfc
  /// drives.
  case notQueried

  var readers: [String] {
    if case .shows(let names) = self { return names }
    return []
  }

  /// Returns the same without readers that were already reported.
  func without(_ names: Set<String>) -> SmartCardServiceState {
    if case .shows(let all) = self { return .shows(all.filter { !names.contains($0) }) }
    return self
  }

  /// Returns the path of its socket.
  static func socket(_ files: SystemFiles) -> String {
    files.environment[socketVariable] ?? defaultSocket
  }

  /// Asks the system's service, which starts it if it is started on demand.
  static func asked() -> SmartCardServiceState {
    do {
      return .shows(try PCSCDriver.readers())
    } catch {
      return .unreachable(error)
    }
  }
}

// Readers of the PC/SC service.
extension Examination {
  private static let daemon = "/usr/sbin/pcscd"

  /// Whether a question would start the service, which then took a reader of libnfc's.
  var mustNotStartService: Bool {
    !processes.isRunning(SmartCardServiceState.program)
      && devices.contains { device in
        guard case .libnfc? = USBModel.of(device)?.use else { return false }
        return canBeClaimedByService(device)
      }
  }

  func examineSmartCard(
    _ device: USBDevice, _ model: USBModel?, _ service: SmartCardServiceState
  ) -> ExaminedReader {
    let title = bundles.name(of: device)
    var reader = reader(device, model, name: title)
    if let driver = device.driver(files), driver != "usbfs" {
      reader.findings.append(
        Finding(
          .kernelDriver, "the kernel's module \(driver) has it",
          advice: "sudo modprobe -r \(driver), and plug it in again"))
    }
    switch service {
    case .unreachable(let error):
      reader.findings.append(serviceIsMissing(error))
    case .notQueried:
      reader.findings.append(
        Finding(
          .noService,
          "the PC/SC service, which drives it, was not asked: that would start it, and it "
            + "would take the other reader, too",
          advice: "nfc --reader \(SmartCardServiceState.scheme) readers asks it"))
    case .shows(let names):
      // pcscd puts interface, serial number and slot after the name that the driver's list has.
      let own = title.flatMap { title in
        names.first { $0.hasPrefix(SmartCardServiceState.scheme + title) }
      }
      reader.connectionString = own
      guard own == nil, title != nil else { break }
      reader.findings.append(
        Finding(
          .notInService, "the PC/SC service is running and does not show it",
          advice: "sudo systemctl restart pcscd, or plug it in again; journalctl -u pcscd says why")
      )
    }
    if title == nil { reader.findings.append(noDriver(model)) }
    return reader
  }

  private func noDriver(_ model: USBModel?) -> Finding {
    guard !bundles.isEmpty else {
      return Finding(
        .noServiceDriver, "it is a PC/SC reader, and no driver for such is installed",
        advice: "sudo apt install libccid pcscd")
    }
    let version = model?.firstLibCCID.map { "libccid \($0) or newer" } ?? "a newer libccid"
    return Finding(
      .noServiceDriver, "it is a PC/SC reader that no installed driver of pcscd knows",
      advice: "install \(version), or its maker's driver, then sudo systemctl restart pcscd")
  }

  /// Returns a reader that the service lists; any reader if only the scheme is given.
  func examineShown(_ name: String) -> ExaminedReader {
    let own = String(name.dropFirst(SmartCardServiceState.scheme.count))
    return ExaminedReader(
      name: own.isEmpty ? name : own, place: "PC/SC service", connectionString: name)
  }

  /// Returns the reader whose name contains a text.
  func examineShown(_ name: String, _ service: SmartCardServiceState) -> ExaminedReader {
    var reader = examineShown(name)
    let part = name.dropFirst(SmartCardServiceState.scheme.count).uppercased()
    let names = service.readers
    switch service {
    case .unreachable(let error): reader.findings = [serviceIsMissing(error)]
    case .shows where names.isEmpty:
      reader.findings = [
        Finding(
          .notThere, "the PC/SC service is running and has no reader",
          advice: "plug it in; nfc doctor without --reader looks at what is there")
      ]
    case .shows where !names.contains(where: { $0.uppercased().contains(part) }):
      reader.findings = [
        Finding(
          .notThere, "no PC/SC reader has \"\(reader.name)\" in its name",
          advice: "name one of \(names.joined(separator: ", "))")
      ]
    // Which of them it is shows when it is opened.
    case .shows, .notQueried: break
    }
    return reader
  }

  func serviceIsMissing(_ error: NFCError, isObstacle: Bool = true) -> Finding {
    func finding(_ detail: String, _ advice: String) -> Finding {
      Finding(.noService, detail, advice: advice, isObstacle: isObstacle)
    }
    let start =
      files.exists("/run/systemd/system")
      ? "sudo systemctl enable --now pcscd.socket" : "sudo pcscd"
    let socket = SmartCardServiceState.socket(files)
    if case .driver(let failure)? = error.cause, failure.meaning == .notPermitted {
      return finding(
        "the PC/SC service refuses this program",
        "allow org.debian.pcsc-lite.access_pcsc and access_card in a rule of polkit, or try as root"
      )
    }
    guard files.exists(Self.daemon) else {
      return finding(
        "the PC/SC service is not installed", "sudo apt install pcscd libccid, then \(start)")
    }
    guard files.exists(socket) else {
      return finding("the PC/SC service is not running: \(socket) is not there", start)
    }
    return finding(
      "the PC/SC service does not answer at \(socket)",
      files.exists("/run/systemd/system")
        ? "sudo systemctl restart pcscd.socket pcscd.service" : start)
  }
}
