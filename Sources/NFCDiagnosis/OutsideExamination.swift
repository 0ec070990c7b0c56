import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

/// An examination by a source that has only what ``ReaderSource`` requires, such as one from outside this package.
struct OutsideExamination: SourceExamination {
  private let source: any ReaderSource

  init(_ source: any ReaderSource) { self.source = source }

  func drives(_ device: USBDevice) -> Bool {
    source.drivesUSBDevice(vendor: device.vendor, product: device.product)
  }

  func report(beside others: OtherSources) -> SourceReport {
    var report = SourceReport()
    let found = source.readers()
    for reader in found { report.add(examine(reader)) }
    if found.isEmpty, let error = source.availabilityError() {
      report.findings = [
        ReaderFinding(.sourceUnavailable, error.description, isObstacle: false)
      ]
    }
    return report
  }

  func examine(_ address: ReaderAddress, beside others: OtherSources) -> ExaminedReader {
    let found = source.readers().first { $0.answers(to: address) }
    return examine(found ?? FoundReader(address))
  }

  private func examine(_ found: FoundReader) -> ExaminedReader {
    var reader = ExaminedReader(
      name: found.name ?? found.address.description, place: source.name,
      connectionString: found.address.description)
    reader.findings = source.findings(about: found.address)
    return reader
  }
}
