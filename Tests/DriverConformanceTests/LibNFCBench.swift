import DriverConformance
import Foundation
import NFC
import SwiftNFCLibNFC
import Synchronization
import VirtualNFC

/// A virtual PN532 at a serial port that keeps its name, for libnfc in the process or in one of its own.
final class LibNFCBench: DriverBench {
  let source: (any ReaderSource)?
  let address: ReaderAddress
  let technologies: [TagTechnology] = [.iso14443a, .iso14443b, .feliCa, .jewel]
  private let field = VirtualField()
  private let virtual: Mutex<VirtualReader>
  /// The port's name, which outlives the pseudo-terminal's.
  private let link: String

  /// - Parameter prefix: stands before the connection string.
  init(_ source: any ReaderSource, prefix: String = "") throws {
    self.source = source
    let reader = try VirtualReader(field)
    virtual = Mutex(reader)
    link =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("bench-\(UUID().uuidString)").path
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: reader.path)
    address = ReaderAddress("\(prefix)pn532_uart:\(link)")
  }

  deinit { try? FileManager.default.removeItem(atPath: link) }

  func makeDriver() throws -> any ReaderDriver {
    guard let source else { throw NFCError(.readerNotFound, "the bench has no source") }
    return try source.open(address)
  }

  func present(_ technology: TagTechnology) throws -> BenchTag {
    try removeTags()
    let tag: VirtualTag
    var command: [UInt8]?
    var framing = Framing.checked
    var answer: [UInt8] = []
    switch technology {
    case .iso14443a:
      tag = .ntag213()
      // READ of page 0, which begins with the UID (NTAG21x data sheet, 8.5.1 and 10.2).
      command = [0x30, 0x00]
      answer = Array(tag.identifier.prefix(3))
    case .iso14443b:
      tag = .type4B()
      // SELECT of the NDEF application (NFC Forum, Type 4 Tag, 5.5.2).
      command = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00]
      framing = .tagProtocol
      answer = [0x90, 0x00]
    case .feliCa:
      tag = .suica()
      // Request Response (JIS X 6319-4), which is answered with 05 and the IDm.
      command = [0x0A, 0x04] + tag.identifier
      answer = [0x0B, 0x05] + tag.identifier
    case .jewel: tag = .topaz96()
    default: throw NFCError(.unsupported, "the bench has no tag of \(technology.rawValue)")
    }
    field.place(tag)
    let hasNumber = technology != .iso14443b && technology != .jewel
    return BenchTag(
      identifier: hasNumber ? tag.identifier : [], command: command, framing: framing,
      answer: answer)
  }

  func removeTags() throws {
    virtual.withLock { $0.setFaults([]) }
    field.removeAll()
  }

  func cause(_ fault: BenchFault) throws -> Bool {
    switch fault {
    case .answersAreLost:
      virtual.withLock { $0.setFaults([Fault(.answerLost, at: .everyExchange(1))]) }
    case .readerUnplugged:
      virtual.withLock { $0.close() }
      try FileManager.default.removeItem(atPath: link)
    case .readerPluggedInAgain:
      field.removeAll()
      let reader = try VirtualReader(field)
      virtual.withLock { $0 = reader }
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: reader.path)
    default: return false
    }
    return true
  }
}
