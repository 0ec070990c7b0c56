import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

extension LibNFCSource: ExaminableSource {
  package func examination(of system: SystemSnapshot) -> any SourceExamination {
    LibNFCExamination(system)
  }

  package func ask(_ address: ReaderAddress) throws -> PortAnswer {
    let name = ConnectionString(address.description)
    guard address.scheme == Self.serialScheme, case .serialPort(let path) = try name.address()
    else {
      throw NFCError(.unsupported, "\(address) is not a serial port of a PN532")
    }
    let lock = try PortLock(path, isSerialPort: true)
    return withExtendedLifetime(lock) {
      LineRate(on: lock.descriptor, to: name.speed)?.ask() ?? .silence
    }
  }

  package func finding(about answer: PortAnswer) -> ReaderFinding? { answer.finding }
}

/// An examination of libnfc's readers: those on USB, those that its configuration defines, and the ports that may
/// have one.
struct LibNFCExamination: SourceExamination {
  let system: SystemSnapshot
  let configuration: LibNFCConfiguration

  init(_ system: SystemSnapshot) {
    self.system = system
    configuration = LibNFCConfiguration(system.files)
  }

  func drives(_ device: USBDevice) -> Bool { USBModel.of(device)?.libnfcDriver != nil }
  func name(of device: USBDevice) -> String? { USBModel.of(device)?.name }

  // MARK: All that is there

  func report(beside others: OtherSources) -> SourceReport {
    var report = SourceReport()
    for device in system.devices {
      let reader = reader(on: device, others) ?? bridge(device, others)
      if let reader { report.add(reader, on: device) }
    }
    for device in configuration.devices {
      if let reader = reader(definedBy: device, others) { report.add(reader) }
    }
    report.findings = configurationFindings
    return report
  }

  /// Returns a reader that libnfc's configuration defines; `nil` if that lets it be away, and it
  /// is.
  private func reader(
    definedBy device: LibNFCConfiguration.Device, _ others: OtherSources
  ) -> ExaminedReader? {
    var reader = examine(ReaderAddress(device.connectionString), beside: others)
    reader.place = reader.place ?? device.source
    guard reader.findings.contains(where: { $0.problem == .notThere }) else { return reader }
    guard !device.isOptional else { return nil }
    reader.findings.append(
      ReaderFinding(
        .configuration, "libnfc lists it anyway, because \(device.source) defines it",
        advice: "remove it there if it is not used", isObstacle: false))
    return reader
  }

  private var configurationFindings: [ReaderFinding] {
    var findings = configuration.flaws.map { flaw in
      ReaderFinding(
        .configuration, "\(flaw.place): \(flaw.reason)", advice: flaw.advice, isObstacle: false)
    }
    if !configuration.searches, configuration.devices.isEmpty {
      findings.append(
        ReaderFinding(
          .configuration, "libnfc is configured not to search for readers, and no reader is named",
          advice:
            "set allow_autoscan = true in \(LibNFCConfiguration.folder)/libnfc.conf, or unset "
            + LibNFCConfiguration.search,
          isObstacle: false))
    }
    return findings
  }

  // MARK: One by its address

  func examine(_ address: ReaderAddress, beside others: OtherSources) -> ExaminedReader {
    let text = address.description
    let string = ConnectionString(text)
    var reader = ExaminedReader(name: text, connectionString: text)
    reader.emulation = string.traits?.emulation
    do {
      switch try string.address() {
      case .usb(let driver, let address): examineUSB(driver, address, &reader, others)
      case .serialPort(let path):
        reader.findings = portFindings(path) + [slowLine(string, path)].compactMap(\.self)
      case .node(let path): reader.findings = nodeFindings(path)
      }
    } catch let error as NFCError {
      reader.findings = [ReaderFinding(.connectionString, error.reason)]
    } catch {
      reader.findings = [ReaderFinding(.connectionString, "\(error)")]
    }
    return reader
  }

  func permission(_ path: String, _ usb: NodeRights.USBAccess? = nil) -> ReaderFinding? {
    system.rights.refusal(path, usb).map {
      ReaderFinding(.noPermission, $0.detail, advice: $0.advice)
    }
  }

  /// - Parameter advice: what to do in a container; elsewhere, udev creates the node.
  func nodeIsMissing(_ path: String, advice: String) -> ReaderFinding {
    ReaderFinding(
      .noDeviceNode, "the system shows it, but \(path) is not there",
      advice: system.files.exists("/run/udev/control") ? "plug it in again" : advice)
  }
}
