import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

extension PCSCSource: ExaminableSource {
  package func examination(of system: SystemSnapshot) -> any SourceExamination {
    PCSCExamination(system) {
      do throws(NFCError) {
        return .shows(try PCSCDriver.readers(of: service))
      } catch {
        return .unreachable(error)
      }
    }
  }
}

/// An examination of the readers of the PC/SC service, and of the service itself.
package struct PCSCExamination: SourceExamination {
  static let daemon = "pcscd"

  let system: SystemSnapshot
  let bundles: DriverBundles
  private let ask: () -> SmartCardServiceState

  /// - Parameter ask: asks the service for its readers, which starts it if it is started on demand.
  package init(_ system: SystemSnapshot, asking ask: @escaping () -> SmartCardServiceState) {
    self.system = system
    self.ask = ask
    bundles = DriverBundles(system.files)
  }

  package func drives(_ device: USBDevice) -> Bool {
    LibCCID.names[device.identifiers] != nil || bundles.name(of: device) != nil
  }

  package func name(of device: USBDevice) -> String? { LibCCID.names[device.identifiers] }

  // MARK: All that is there

  package func report(beside others: OtherSources) -> SourceReport {
    var report = SourceReport()
    let service = mustNotStartService(others) ? SmartCardServiceState.notQueried : ask()
    var names = service.readers
    for device in system.devices where drives(device) && !others.drive(device) {
      let reader = reader(on: device, service, shown: names)
      report.add(reader, on: device)
      // Of two readers of one model each has its own name.
      names.removeAll { $0 == reader.connectionString }
    }
    for name in names { report.add(shown(name)) }
    let isReported = report.entries.contains { entry in
      entry.reader.findings.contains { $0.problem == .noService }
    }
    if case .unreachable(let error) = service, !isReported {
      report.hints = [serviceIsMissing(error, isObstacle: false)]
    }
    return report
  }

  /// Returns whether a question would start the service, which then took a reader of another source.
  private func mustNotStartService(_ others: OtherSources) -> Bool {
    !system.processes.isRunning(Self.daemon)
      && system.devices.contains { others.drive($0) && mayTake($0) }
  }

  private func reader(
    on device: USBDevice, _ service: SmartCardServiceState, shown names: [String]
  ) -> ExaminedReader {
    let title = bundles.name(of: device)
    let model = name(of: device)
    var reader = ExaminedReader(device, name: model ?? title)
    reader.emulation = .unsupported
    if let module = system.users(of: device).kernelModule {
      reader.findings.append(
        ReaderFinding(
          .kernelDriver, "the kernel's module \(module) has it",
          advice: "sudo modprobe -r \(module), and plug it in again"))
    }
    switch service {
    case .unreachable(let error):
      reader.findings.append(serviceIsMissing(error))
    case .notQueried:
      reader.findings.append(
        ReaderFinding(
          .noService,
          "the PC/SC service, which drives it, was not asked: that would start it, and it "
            + "would take the other reader, too",
          advice: "nfc --reader \(PCSCDriver.scheme) readers asks it"))
    case .shows:
      // pcscd puts interface, serial number and slot after the name that the driver's list has.
      let own = title.flatMap { title in
        names.first { $0.hasPrefix(PCSCDriver.scheme + title) }
      }
      reader.connectionString = own
      guard own == nil, title != nil else { break }
      reader.findings.append(
        ReaderFinding(
          .notInService, "the PC/SC service is running and does not show it",
          advice: "sudo systemctl restart pcscd, or plug it in again; journalctl -u pcscd says why")
      )
    }
    if title == nil { reader.findings.append(noDriver(model)) }
    return reader
  }

  private func noDriver(_ model: String?) -> ReaderFinding {
    guard !bundles.isEmpty else {
      return ReaderFinding(
        .noServiceDriver, "it is a PC/SC reader, and no driver for such is installed",
        advice: "sudo apt install libccid pcscd")
    }
    let version =
      LibCCID.firstVersion(for: model).map { "libccid \($0) or newer" } ?? "a newer libccid"
    return ReaderFinding(
      .noServiceDriver, "it is a PC/SC reader that no installed driver of pcscd knows",
      advice: "install \(version), or its maker's driver, then sudo systemctl restart pcscd")
  }

  /// Returns a reader that the service lists; any reader if only the scheme is given.
  private func shown(_ name: String) -> ExaminedReader {
    let own = String(name.dropFirst(PCSCDriver.scheme.count))
    var reader = ExaminedReader(
      name: own.isEmpty ? name : own, place: "PC/SC service", connectionString: name)
    reader.emulation = .unsupported
    return reader
  }

  // MARK: One by its address

  /// Returns the reader whose name contains a text.
  package func examine(_ address: ReaderAddress, beside others: OtherSources) -> ExaminedReader {
    var reader = shown(address.description)
    let part = (address.rest ?? "").uppercased()
    let service = ask()
    let names = service.readers
    switch service {
    case .unreachable(let error): reader.findings = [serviceIsMissing(error)]
    case .shows where names.isEmpty:
      reader.findings = [
        ReaderFinding(
          .notThere, "the PC/SC service is running and has no reader",
          advice: "plug it in; nfc doctor without --reader looks at what is there")
      ]
    case .shows where !names.contains(where: { $0.uppercased().contains(part) }):
      reader.findings = [
        ReaderFinding(
          .notThere, "no PC/SC reader has \"\(reader.name)\" in its name",
          advice: "name one of \(names.joined(separator: ", "))")
      ]
    // Which of them it is shows when it is opened.
    case .shows, .notQueried: break
    }
    return reader
  }
}
