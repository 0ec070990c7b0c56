import NDEF
import Testing
import VirtualNFC

/// Tests that every factory of a chip with NDEF has two forms: one with `formatted`, which cannot fail,
/// and one with a message or its bytes, which fails if they are too long.
@Suite struct FactoryConventionTests {
  struct Factory: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let capacity: Int
    let formatted: VirtualTag
    let holding: @Sendable ([UInt8]) throws -> VirtualTag

    init(
      _ name: String, capacity: Int, _ formatted: VirtualTag,
      _ holding: @escaping @Sendable ([UInt8]) throws -> VirtualTag
    ) {
      testDescription = name
      self.capacity = capacity
      self.formatted = formatted
      self.holding = holding
    }
  }

  static let factories = [
    Factory("FeliCa Lite", capacity: 208, .feliCaLite()) { try .feliCaLite(ndef: $0) },
    Factory("FeliCa Lite-S", capacity: 208, .feliCaLiteS()) { try .feliCaLiteS(ndef: $0) },
    Factory("Type 3", capacity: 64, .type3(dataBlocks: 4)) { try .type3(dataBlocks: 4, ndef: $0) },
    Factory("Topaz 96", capacity: 90, .topaz96()) { try .topaz96(ndef: $0) },
    Factory("Topaz 512", capacity: 462, .topaz512()) { try .topaz512(ndef: $0) },
    Factory("Classic Mini", capacity: 190, .classicMini()) { try .classicMini(ndef: $0) },
    Factory("Classic 1K", capacity: 716, .classic1K()) { try .classic1K(ndef: $0) },
    Factory("NTAG213", capacity: 137, .ntag213()) { try .ntag213(ndef: $0) },
    Factory("Ultralight C", capacity: 137, .ultralightC()) { try .ultralightC(ndef: $0) },
    Factory("DESFire", capacity: 4094, .desfire()) { try .desfire(ndef: $0) },
    Factory("ICODE SLI-S", capacity: 150, .icodeSLIS()) { try .icodeSLIS(ndef: $0) },
    Factory("ICODE SLIX-L", capacity: 22, .icodeSLIXL()) { try .icodeSLIXL(ndef: $0) },
    Factory("ICODE SLIX-S", capacity: 150, .icodeSLIXS()) { try .icodeSLIXS(ndef: $0) },
    Factory("ICODE DNA", capacity: 246, .icodeDNA()) { try .icodeDNA(ndef: $0) },
    Factory("NTAG 5 link", capacity: 1020, .ntag5Link()) { try .ntag5Link(ndef: $0) },
    Factory("MB89R118", capacity: 1988, .mb89r118()) { try .mb89r118(ndef: $0) },
    Factory("ST25DV64K", capacity: 8180, .st25dv()) { try .st25dv(ndef: $0) },
  ]

  @Test(arguments: factories) func aMessageFitsOrIsRefused(_ factory: Factory) throws {
    let message = (0..<factory.capacity).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    let tag = try factory.holding(message)
    #expect(tag.memory.count >= message.count)
    #expect(throws: VirtualTagError.messageTooLarge(capacity: factory.capacity)) {
      try factory.holding(message + [0])
    }
  }

  /// An empty message has the same result as `formatted`.
  @Test(arguments: factories) func anEmptyMessageIsNotOne(_ factory: Factory) throws {
    #expect(try factory.holding([]).memory == factory.formatted.memory)
    #expect(try factory.holding([]).identifier == factory.formatted.identifier)
  }

  @Test func aMessageIsItsBytes() throws {
    let message = NDEFMessage(.uri("https://swift.org"))
    let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
    let tag = try VirtualTag.ntag215(uid: uid, ndef: message)
    #expect(tag.identifier == uid)
    #expect(tag.memory == (try VirtualTag.ntag215(uid: uid, ndef: message.encoded()).memory))
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 46)) {
      try VirtualTag.ntag210(ndef: NDEFMessage(.text(String(repeating: "a", count: 60))))
    }
  }
}
