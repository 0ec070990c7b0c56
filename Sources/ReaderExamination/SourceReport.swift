import SwiftNFCCore
import SwiftNFCSystemFacts

/// The readers of one source, and what concerns none of them in particular.
package struct SourceReport {
  /// A reader, and its USB device if the system shows it.
  package struct Entry {
    package let reader: ExaminedReader
    package let device: USBDevice?
  }

  package private(set) var entries: [Entry] = []
  package var findings: [ReaderFinding] = []
  /// Findings that help only as long as no reader of any source can be opened.
  package var hints: [ReaderFinding] = []

  package init() {}

  package mutating func add(_ reader: ExaminedReader, on device: USBDevice? = nil) {
    entries.append(Entry(reader: reader, device: device))
  }
}

extension ExaminedReader {
  /// Creates a reader on USB.
  ///
  /// - Parameter name: the name of its model, if known.
  package init(_ device: USBDevice, name: String?) {
    self.init(
      name: name ?? device.ownName ?? "USB device", usb: device.identifiers,
      place: "USB port \(device.port)")
  }
}
