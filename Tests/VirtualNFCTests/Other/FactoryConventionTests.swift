import NDEF
import Testing
import VirtualNFC

/// Every factory of a chip that holds NDEF comes twice: with `formatted`, which cannot fail, and with a message
/// or its bytes, which fails if they are too long.
@Suite struct FactoryConventionTests {
  struct Factory: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let capacity: Int
    let make: @Sendable ([UInt8]) throws(VirtualTagError) -> VirtualTag
  }

  static let factories = [
    Factory(testDescription: "FeliCa Lite", capacity: 208) { m throws(VirtualTagError) in
      try .feliCaLite(ndef: m)
    },
    Factory(testDescription: "FeliCa Lite-S", capacity: 208) { m throws(VirtualTagError) in
      try .feliCaLiteS(ndef: m)
    },
    Factory(testDescription: "Type 3", capacity: 64) { m throws(VirtualTagError) in
      try .type3(dataBlocks: 4, ndef: m)
    },
    Factory(testDescription: "Topaz 96", capacity: 90) { m throws(VirtualTagError) in
      try .topaz96(ndef: m)
    },
    Factory(testDescription: "Topaz 512", capacity: 462) { m throws(VirtualTagError) in
      try .topaz512(ndef: m)
    },
    Factory(testDescription: "Classic Mini", capacity: 190) { m throws(VirtualTagError) in
      try .classicMini(ndef: m)
    },
    Factory(testDescription: "Classic 1K", capacity: 716) { m throws(VirtualTagError) in
      try .classic1K(ndef: m)
    },
    Factory(testDescription: "NTAG213", capacity: 137) { m throws(VirtualTagError) in
      try .ntag213(ndef: m)
    },
    Factory(testDescription: "DESFire", capacity: 4094) { m throws(VirtualTagError) in
      try .desfire(ndef: m)
    },
    Factory(testDescription: "ICODE SLI-S", capacity: 150) { m throws(VirtualTagError) in
      try .icodeSLIS(ndef: m)
    },
    Factory(testDescription: "MB89R118", capacity: 1988) { m throws(VirtualTagError) in
      try .mb89r118(ndef: m)
    },
    Factory(testDescription: "ST25DV64K", capacity: 8180) { m throws(VirtualTagError) in
      try .st25dv(ndef: m)
    },
  ]

  @Test(arguments: factories) func aMessageFitsOrIsRefused(_ factory: Factory) throws {
    let message = (0..<factory.capacity).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    let tag = try factory.make(message)
    #expect(tag.memory.count >= message.count)
    #expect(throws: VirtualTagError.messageTooLarge(capacity: factory.capacity)) {
      try factory.make(message + [0])
    }
  }

  /// An empty message is what `formatted` gives.
  @Test(arguments: factories) func anEmptyMessageIsNone(_ factory: Factory) throws {
    let formatted: VirtualTag =
      switch factory.testDescription {
      case "FeliCa Lite": .feliCaLite()
      case "FeliCa Lite-S": .feliCaLiteS()
      case "Type 3": .type3(dataBlocks: 4)
      case "Topaz 96": .topaz96()
      case "Topaz 512": .topaz512()
      case "Classic Mini": .classicMini()
      case "Classic 1K": .classic1K()
      case "NTAG213": .ntag213()
      case "ICODE SLI-S": .icodeSLIS()
      case "MB89R118": .mb89r118()
      case "ST25DV64K": .st25dv()
      default: .desfire()
      }
    #expect(try factory.make([]).memory == formatted.memory)
    #expect(try factory.make([]).identifier == formatted.identifier)
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
