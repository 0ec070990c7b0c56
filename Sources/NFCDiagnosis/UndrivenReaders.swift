import NFCCore
import ReaderExamination
import SystemFacts

/// Readers on USB that are known, and that no source drives.
struct UndrivenReaders: SourceExamination {
  /// The names of readers, by their vendor and product numbers.
  private static let names = ["054C:06C1": "Sony RC-S380/S", "054C:06C3": "Sony RC-S380/P"]

  private let system: SystemSnapshot
  private let sources: [String]

  /// - Parameter sources: the names of the sources that do not drive them.
  init(_ system: SystemSnapshot, without sources: [String]) {
    self.system = system
    self.sources = sources
  }

  func drives(_ device: USBDevice) -> Bool { false }
  func name(of device: USBDevice) -> String? { Self.names[device.identifiers] }

  func report(beside others: OtherSources) -> SourceReport {
    var report = SourceReport()
    for device in system.devices where !others.drive(device) {
      guard let name = name(of: device) else { continue }
      var reader = ExaminedReader(device, name: name)
      let module = device.driver(system.files).map { "; sudo modprobe -r \($0) frees it for that" }
      reader.findings = [
        ReaderFinding(
          .notSupported, "neither \(sources.joined(separator: " nor ")) drives it",
          advice: "use another reader; the Python package nfcpy drives this one" + (module ?? ""))
      ]
      report.add(reader, on: device)
    }
    return report
  }
}
