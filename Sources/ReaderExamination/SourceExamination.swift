import SwiftNFCCore
import SwiftNFCSystemFacts

/// A source that examines its readers by the facts of the system, and so finds more than
/// ``ReaderSource/findings(about:)`` can say: readers that it cannot open, ports that may have one, settings.
package protocol ExaminableSource: ReaderSource {
  /// Returns an examination of a system, which may be another one than the program runs on.
  func examination(of system: SystemSnapshot) -> any SourceExamination

  /// Sends one command, which changes nothing, to the serial port at an address, and returns what answers. Blocks for
  /// less than a second.
  ///
  /// - Throws: `readerUnavailable` for a port that is in use or cannot be opened; `unsupported` for an address that is
  ///   not a serial port.
  func ask(_ address: ReaderAddress) throws -> PortAnswer

  /// Returns what an answer says about a port that could not be opened; `nil` if it says no more than that.
  func finding(about answer: PortAnswer) -> ReaderFinding?
}

extension ExaminableSource {
  package func ask(_ address: ReaderAddress) throws -> PortAnswer {
    throw NFCError(.unsupported, "\(address) is not a serial port")
  }

  package func finding(about answer: PortAnswer) -> ReaderFinding? { nil }
}

/// What answers on a serial port.
package enum PortAnswer: Hashable, Sendable {
  case silence
  /// A chip that answers as a PN532 does, by its name.
  case chip(String)
  /// What is sent comes back.
  case echo
  /// Something else answers.
  case other
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

  /// The serial ports that may have a reader and that nobody uses, as far as can be seen.
  var freePorts: [ReaderAddress] { get }

  /// The buses of pins that are there and may have a reader.
  var buses: [ReaderAddress] { get }
}

extension SourceExamination {
  package func name(of device: USBDevice) -> String? { nil }
  package func contention(for device: USBDevice) -> ReaderFinding? { nil }
  package var freePorts: [ReaderAddress] { [] }
  package var buses: [ReaderAddress] { [] }

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
