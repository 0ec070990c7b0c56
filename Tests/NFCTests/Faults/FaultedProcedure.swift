import NFC
import Testing
import VirtualNFC

/// Something that is done with a tag while things go wrong.
struct FaultedProcedure: Sendable, CustomTestStringConvertible {
  /// What it leaves on the tag when it was broken off.
  enum Effect: Sendable {
    /// Nothing.
    case reads
    /// Something; doing it again gives what doing it once would have.
    case writes
    /// What was there, or what was to be.
    case counts
  }

  /// How losses look with this kind of tag.
  enum Kind: Sendable {
    /// A loss is an answer that is missing or broken.
    case plain
    /// The same, but the tag is woken or asked which chip it is on the way, and a loss there is made good.
    case repeating
    /// A lost frame looks like a refusal or a wrong key: MIFARE Classic.
    case classic
    /// ISO/IEC 14443-4: nobody knows whether a card has carried out a command whose answer is lost.
    case blocks
  }

  typealias Body = @Sendable () async throws -> Void

  let testDescription: String
  let kind: Kind
  let effect: Effect
  /// Whether an exchange that changes nothing is repeated in it, so that a loss may be made good.
  let repeats: Bool
  let tag: @Sendable () throws -> VirtualTag
  /// Prepares the tag, and gives what is to be done while things go wrong.
  let prepare: @Sendable (DetectedTag) async throws -> Body

  init(
    _ testDescription: String, _ effect: Effect, _ kind: Kind = .plain, repeats: Bool? = nil,
    on tag: @escaping @Sendable () throws -> VirtualTag,
    _ prepare: @escaping @Sendable (DetectedTag) async throws -> Body
  ) {
    self.testDescription = testDescription
    self.effect = effect
    self.repeats = repeats ?? (kind == .repeating)
    self.kind = kind
    self.tag = tag
    self.prepare = prepare
  }

  /// What is compared: of a Lite-S not WCNT, which counts every write and stands at the end.
  func content(of tag: VirtualTag) -> [UInt8] {
    let liteSize = 22 * 16
    return Array(tag.memory.count == liteSize + 16 ? tag.memory.prefix(liteSize) : tag.memory[...])
  }
}

extension FaultedProcedure {
  static let all = feliCa + cards + classic + ultralight

  private static let block = [UInt8](repeating: 0x5A, count: 16)
  private static let factoryCardKey = FeliCaLiteCardKey([UInt8](repeating: 0, count: 16))

  static let feliCa = [
    FaultedProcedure("20 blocks", .reads, .repeating, on: { .suica() }) { tag in
      let card = try tag.feliCa
      return {
        let blocks = try await card.readBlocks(service: 0x090F, blocks: 0..<20)
        #expect(blocks.count == 20)
      }
    },
    FaultedProcedure("systems", .reads, repeats: true, on: { .suica() }) { tag in
      let card = try tag.feliCa
      return {
        let result = try await card.systems()
        #expect(result.count == 2)
      }
    },
    FaultedProcedure("three blocks written", .writes, on: { .feliCaLiteS() }) { tag in
      let card = try tag.feliCa
      return {
        try await card.writeBlocks(service: 0x0009, at: 4, block + block + block)
      }
    },
    FaultedProcedure("authentication of a Lite", .reads, on: { .feliCaLite() }) { tag in
      let lite = try #require(try tag.feliCa.lite)
      let key = try #require(factoryCardKey)
      return { _ = try await lite.authenticate(key) }
    },
    FaultedProcedure("mutual authentication", .reads, on: { .feliCaLiteS() }) { tag in
      let lite = try #require(try tag.feliCa.lite)
      let key = try #require(factoryCardKey)
      return { _ = try await lite.authenticateMutually(key) }
    },
    FaultedProcedure("blocks with MAC", .reads, on: { .feliCaLiteS() }) { tag in
      let key = try #require(factoryCardKey)
      let session = try await #require(try tag.feliCa.lite).authenticate(key)
      return {
        let result = try await session.read([0, 1, 2, 3, 4])
        #expect(result.count == 5)
      }
    },
    FaultedProcedure("a block written with MAC", .writes, on: { .feliCaLiteS() }) { tag in
      let key = try #require(factoryCardKey)
      let session = try await #require(try tag.feliCa.lite).authenticate(key)
      return { try await session.write(block, to: 5) }
    },
    FaultedProcedure(
      "memory configuration", .writes, repeats: true, on: { .feliCaLiteS(formatted: false) }
    ) { tag in
      let lite = try #require(try tag.feliCa.lite)
      var configuration = try await lite.memoryConfiguration()
      configuration.supportsNDEF = true
      let wanted = configuration
      return { try await lite.perform(try await lite.memoryConfigurationPlan(wanted)) }
    },
    FaultedProcedure("card key", .writes, on: { .feliCaLiteS() }) { tag in
      let lite = try #require(try tag.feliCa.lite)
      let key = try #require(FeliCaLiteCardKey(block))
      return { try await lite.writeCardKey(key, version: 2) }
    },
    FaultedProcedure("card key with MAC", .counts, on: { .feliCaLiteS() }) { tag in
      let (old, new) = (try #require(factoryCardKey), try #require(FeliCaLiteCardKey(block)))
      let session = try await #require(try tag.feliCa.lite).authenticate(old)
      return { try await session.writeCardKey(new) }
    },
  ]

  static let cards = [
    FaultedProcedure(
      "applications in order", .reads, .blocks, repeats: true, on: { EchoApplication().tag }
    ) {
      let card = try $0.iso7816
      return {
        _ = try await card.selectApplication(
          of: ["A0000002471001", EchoApplication.identifier])
      }
    },
    FaultedProcedure("a chained command", .reads, .blocks, on: { EchoApplication().tag }) {
      let card = try $0.iso7816
      _ = try await card.selectApplication(of: [EchoApplication.identifier])
      return {
        let answer = try await card.sendCommand(ISO7816TagTests.echo, options: .automatic)
        #expect(answer.data == ISO7816TagTests.data)
      }
    },
    FaultedProcedure("a file", .reads, .blocks, repeats: true, on: { EchoApplication().tag }) {
      let card = try $0.iso7816
      _ = try await card.selectApplication(of: [EchoApplication.identifier])
      return {
        let data = try await card.readBinary(file: nil, offset: 0, count: nil)
        #expect(data == EchoApplication.file)
      }
    },
  ]

  private static let valueBlock = MiFareClassicValueBlock(value: 40, address: 5)

  @Sendable private static func blankClassic() throws -> VirtualTag {
    let card = VirtualTag.classicMini(formatted: false)
    card.memory.replaceSubrange(5 * 16..<6 * 16, with: valueBlock.bytes)
    return card
  }

  static let classic = [
    FaultedProcedure("a block", .reads, .classic, on: blankClassic) { tag in
      let classic = try tag.classic
      return {
        try await classic.authenticate(block: 5, with: .factory, as: .a)
        let value = try await classic.readValue(5)
        #expect(value == valueBlock)
      }
    },
    FaultedProcedure("a value", .counts, .classic, on: blankClassic) { tag in
      let classic = try tag.classic
      try await classic.authenticate(block: 5, with: .factory, as: .a)
      return {
        let result = try await classic.changeValue(5, by: 2)
        #expect(result == 42)
      }
    },
    FaultedProcedure("a restore", .writes, .classic, repeats: true, on: blankClassic) { tag in
      let classic = try tag.classic
      var image = try blankClassic().memory
      for index in [16, 64, 128] { image[index] ^= 0xFF }
      let plan = try await classic.restorePlan(image)
      return {
        guard try await classic.perform(plan).isComplete else {
          throw NFCError(.tagRefused, "not all was written")
        }
      }
    },
  ]

  static let ultralight = [
    FaultedProcedure(
      "password", .reads, on: { UltralightCommandTests.protected() }
    ) { tag in
      let ultralight = try tag.ultralight
      return { try await ultralight.authenticate(password: UltralightCommandTests.password) }
    },
    FaultedProcedure(
      "signature and counter", .reads, repeats: true, on: { .ultralightEV1() }
    ) { tag in
      let ultralight = try tag.ultralight
      return {
        let signature = try await ultralight.readSignature()
        let counter = try await ultralight.readCounter(1)
        #expect(signature.count == 32 && counter == 0)
      }
    },
    FaultedProcedure("a counter", .reads, on: { .ultralightEV1() }) { tag in
      let ultralight = try tag.ultralight
      return { try await ultralight.incrementCounter(1, by: 3) }
    },
    FaultedProcedure("3DES authentication", .reads, on: { .ultralightC() }) { tag in
      let ultralight = try tag.ultralight
      return { try await ultralight.authenticate(key: Array("IEMKAERB!NACUOYF".utf8)) }
    },
    FaultedProcedure("key change", .writes, .repeating, on: { .ultralightC() }) { tag in
      let ultralight = try tag.ultralight
      return { try await ultralight.changeKey(block) }
    },
    FaultedProcedure("protection", .writes, .repeating, on: { .ntag213() }) { tag in
      let ultralight = try tag.ultralight
      // The tag may have it from the run before.
      let password = UltralightCommandTests.password
      let isProtected = (try? await ultralight.authenticate(password: password)) != nil
      let old = isProtected ? password : nil
      let protection = try UltralightProtection(
        password: password, passwordAcknowledge: [1, 2], firstPage: 8)
      return {
        let plan = try await ultralight.protectionPlan(protection, password: old)
        try await ultralight.perform(plan, accepting: [.forgetsPassword])
      }
    },
    FaultedProcedure("a sector", .reads, .repeating, on: { .ntagI2C1K() }) { tag in
      let ultralight = try tag.ultralight
      return {
        let result = try await ultralight.dump().bytes
        #expect(result.count == 936)
      }
    },
  ]
}
