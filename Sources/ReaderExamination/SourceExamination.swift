import SwiftNFCCore
import SwiftNFCSystemFacts

/// A source that examines its readers by the facts of the system, and so finds more than
/// ``ReaderSource/findings(about:)`` can say: readers that it cannot open, ports that may have one, settings.
package protocol ExaminableSource: ReaderSource {
  /// Returns an examination of a system, which may be another one than the program runs on.
  func examination(of system: SystemSnapshot) -> any SourceExamination
}

/// What one source has to say about its readers. Opens none of them.
///
/// A source knows only its own readers. Where it matters what another source's software does, as when both drive
/// one device, it asks the ``OtherSources``.
package protocol SourceExamination {
  /// Returns whether the source's software drives a USB device.
  func drives(_ device: USBDevice) -> Bool

  /// Returns the name of a USB device whose model the source knows, whether or not it drives it.
  func name(of device: USBDevice) -> String?

  /// Returns what the source's software does with a USB device that another source drives, too: an obstacle if it has
  /// the device, a note if it may take the device from now on, `nil` otherwise.
  func contention(for device: USBDevice) -> ReaderFinding?

  /// Returns all readers of the source, and what concerns none of them in particular.
  func report(beside others: OtherSources) -> SourceReport

  /// Returns the reader at an address, with the reasons why it cannot be opened.
  func examine(_ address: ReaderAddress, beside others: OtherSources) -> ExaminedReader
}

extension SourceExamination {
  package func name(of device: USBDevice) -> String? { nil }
  package func contention(for device: USBDevice) -> ReaderFinding? { nil }

  package func examine(_ address: ReaderAddress, beside others: OtherSources) -> ExaminedReader {
    ExaminedReader(name: address.description, connectionString: address.description)
  }
}

/// The sources except the one that asks.
package struct OtherSources {
  private let examinations: [any SourceExamination]

  package init(_ examinations: [any SourceExamination]) { self.examinations = examinations }

  /// Returns whether one of them drives a USB device.
  package func drive(_ device: USBDevice) -> Bool { examinations.contains { $0.drives(device) } }

  /// Returns the name that one of them has for the model of a USB device.
  package func name(of device: USBDevice) -> String? {
    examinations.lazy.compactMap { $0.name(of: device) }.first
  }

  /// Returns what keeps a USB device from the source that asks, or may do so.
  package func contention(for device: USBDevice) -> ReaderFinding? {
    examinations.lazy.compactMap { $0.contention(for: device) }.first
  }
}
