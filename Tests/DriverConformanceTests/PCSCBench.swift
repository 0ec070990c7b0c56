import DriverConformance
import NFC
import SwiftNFCPCSC
import VirtualNFC

/// A virtual PC/SC reader, reached without a daemon: one card at a time.
final class PCSCBench: DriverBench {
  let source: (any ReaderSource)?
  let address: ReaderAddress
  let isFoundAutomatically = true
  let technologies: [TagTechnology] = [.iso15693, .iso14443a, .feliCa]
  private let field = VirtualField()
  private let virtual: VirtualPCSCReader

  init() {
    let virtual = VirtualPCSCReader(field)
    self.virtual = virtual
    source = PCSCSource { virtual.service() }
    address = ReaderAddress("pcsc:\(virtual.name)")
  }

  func makeDriver() throws -> any ReaderDriver {
    guard let source else { throw NFCError(.readerNotFound, "the bench has no source") }
    return try source.open(address)
  }

  func present(_ technology: TagTechnology) throws -> BenchTag {
    try removeTags()
    let tag: VirtualTag
    let command: [UInt8]
    let answer: [UInt8]
    switch technology {
    case .iso15693:
      tag = .icodeSLIX2()
      // READ SINGLE BLOCK 0 at the high rate (ISO/IEC 15693-3, 10.4.1), without error flag.
      command = [0x02, 0x20, 0x00]
      answer = [0x00]
    case .iso14443a:
      tag = .ntag213()
      command = [0x30, 0x00]
      answer = Array(tag.identifier.prefix(3))
    case .feliCa:
      tag = .suica()
      command = [0x0A, 0x04] + tag.identifier
      answer = [0x0B, 0x05] + tag.identifier
    default: throw NFCError(.unsupported, "the bench has no tag of \(technology.rawValue)")
    }
    field.place(tag)
    return BenchTag(
      identifier: tag.identifier, command: command, framing: .checked, answer: answer)
  }

  func removeTags() throws {
    virtual.setFaults([])
    field.removeAll()
  }

  func cause(_ fault: BenchFault) throws -> Bool {
    switch fault {
    case .answersAreLost:
      virtual.setFaults((0..<1000).map { VirtualPCSCReader.Fault(.answerLost, at: $0) })
    case .readerUnplugged:
      virtual.setFaults((0..<1000).map { VirtualPCSCReader.Fault(.readerUnplugged, at: $0) })
    default: return false
    }
    return true
  }
}
