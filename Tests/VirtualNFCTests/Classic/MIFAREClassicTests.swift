import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct MIFAREClassicTests {
  static let transportKey = [UInt8](repeating: 0xFF, count: 6)
  static let uid: [UInt8] = [0x6F, 0x21, 0xD4, 0x0A]
  typealias Answer = ClassicSession.Answer

  static func session(
    _ product: MIFAREClassic.Product = .oneK, authenticated block: UInt8? = 4
  ) throws -> ClassicSession {
    let session = ClassicSession(MIFAREClassic(product, uid: uid, formatted: false))
    _ = try #require(session.select())
    if let block { try #require(session.authenticate(block, .a, transportKey)) }
    return session
  }

  // MARK: Activation

  /// NXP AN10833.
  @Test(
    arguments: [
      (MIFAREClassic.Product.mini, 4, [0x04, 0x00], 0x09), (.oneK, 4, [0x04, 0x00], 0x08),
      (.fourK, 4, [0x02, 0x00], 0x18), (.mini, 7, [0x44, 0x00], 0x09),
      (.oneK, 7, [0x44, 0x00], 0x08), (.fourK, 7, [0x42, 0x00], 0x18),
    ] as [(MIFAREClassic.Product, Int, [UInt8], UInt8)])
  func activation(product: MIFAREClassic.Product, size: Int, atqa: [UInt8], sak: UInt8) throws {
    let uid = Array([0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66].prefix(size)) as [UInt8]
    let session = ClassicSession(MIFAREClassic(product, uid: uid, formatted: false))
    #expect(session.card.receive(.typeA(bare: [0x26], bitsInLastByte: 7))?.bytes == atqa)
    #expect(session.select() == sak)
    #expect(session.card.identifier == uid)
    // The cipher uses the last four bytes of the UID; block 0 begins with all of it.
    #expect(session.authenticate(0, .a, Self.transportKey))
    guard case .data(let block) = session.read(0) else {
      Issue.record("block 0 cannot be read")
      return
    }
    #expect(Array(block.prefix(size)) == uid)
    if size == 4 { #expect(block.prefix(5).reduce(0, ^) == 0) }
  }

  @Test func defaultsDiffer() throws {
    let tags = [VirtualTag.classicMini(), .classic1K(), .classic4K()]
    #expect(Set(tags.map(\.identifier)).count == 3)
    #expect(tags.map(\.name) == ["classic-mini", "classic-1k", "classic-4k"])
    #expect(tags.map(\.memory.count) == [320, 1024, 4096])
    #expect(tags.allSatisfy { $0.modulation == .typeA })
  }

  // MARK: Geometry

  @Test(arguments: MIFAREClassic.Product.allCases)
  func geometry(_ product: MIFAREClassic.Product) throws {
    let session = try Self.session(product, authenticated: nil)
    var sectors = Set<Int>()
    for block in 0..<product.blockCount {
      let sector = MIFAREClassic.Product.sector(ofBlock: block)
      sectors.insert(sector)
      #expect(MIFAREClassic.Product.blocks(ofSector: sector).contains(block))
      try #require(session.authenticate(UInt8(block), .a, Self.transportKey), "block \(block)")
      guard case .data(let bytes) = session.read(UInt8(block)) else {
        Issue.record("block \(block) cannot be read")
        return
      }
      #expect(bytes.count == 16)
    }
    #expect(sectors == Set(0..<product.sectorCount))
    guard product.blockCount < 256 else { return }
    #expect(session.send([0x60, UInt8(product.blockCount)]) == .acknowledge(4))
  }

  // MARK: Commands

  @Test func readAndWrite() throws {
    let session = try Self.session()
    let bytes = [UInt8](0x10..<0x20)
    #expect(session.read(4) == .data([UInt8](repeating: 0, count: 16)))
    #expect(session.write(4, bytes) == .acknowledge(0x0A))
    #expect(session.read(4) == .data(bytes))
    #expect(session.read(5) == .data([UInt8](repeating: 0, count: 16)))
    // The content is kept without power.
    session.card.powerOff()
    session.card.powerOn()
    #expect(session.select() == 0x08)
    try #require(session.authenticate(5, .a, Self.transportKey))
    #expect(session.read(4) == .data(bytes))
  }

  @Test func newKeysCountFromTheNextAuthentication() throws {
    let session = try Self.session()
    let key: [UInt8] = [1, 2, 3, 4, 5, 6]
    #expect(
      session.write(7, key + [0xFF, 0x07, 0x80, 0x69] + Self.transportKey) == .acknowledge(0x0A))
    #expect(session.read(4) == .data([UInt8](repeating: 0, count: 16)))
    #expect(session.authenticate(4, .a, key))
    #expect(!session.authenticate(4, .a, Self.transportKey))
  }

  @Test func nestedAuthentication() throws {
    let session = try Self.session(.fourK, authenticated: 0)
    for sector in 0..<40 {
      let block = UInt8(MIFAREClassic.Product.trailer(ofSector: sector))
      try #require(session.authenticate(block, .a, Self.transportKey))
      #expect(
        session.read(block)
          == .data(
            [UInt8](repeating: 0, count: 6) + [0xFF, 0x07, 0x80, 0x69] + Self.transportKey))
    }
  }

  @Test func noncesDifferAndRepeatAfterPowerOn() throws {
    var card = MIFAREClassic(.oneK, uid: Self.uid, formatted: false)
    func nonces() -> [[UInt8]] {
      let session = ClassicSession(card)
      return (0..<8).map { _ in
        _ = session.select()
        return session.exchange(raw: [0x60, 0x00] + CyclicRedundancyCheck.a([0x60, 0x00]))?.bytes
          ?? []
      }
    }
    let first = nonces()
    #expect(Set(first).count == 8)
    #expect(first.allSatisfy { $0.count == 4 })
    card.powerOff()
    #expect(nonces() == first)
    // Readers may check whether a card's nonces come from the 16-bit generator.
    for nonce in first {
      let half = Crypto1.Nonce(bytes: [0, 0] + nonce.prefix(2))
      #expect(half.successor(16).bytes == nonce)
    }
  }

  @Test func wrongKeyIsMetWithSilence() throws {
    for block: UInt8? in [nil, 4] {
      let session = try Self.session(authenticated: block)
      #expect(!session.authenticate(8, .a, [0, 0, 0, 0, 0, 1]))
      // The card is mute and does not send NAKs until it is selected again.
      #expect(session.card.receive(.typeA([0x60, 0x00])) == nil)
      #expect(session.select() == 0x08)
      #expect(session.authenticate(8, .a, Self.transportKey))
    }
  }

  @Test func brokenAnswerInAuthentication() throws {
    for frame in [
      RadioFrame.typeA(bare: [1, 2, 3, 4]), .typeA(bare: [], bitsInLastByte: 8),
      .typeA(bare: [0x52], bitsInLastByte: 7),
      RadioFrame(
        [UInt8](repeating: 0, count: 8), modulation: .typeA, parity: [true, false]),
    ] {
      let session = try Self.session(authenticated: nil)
      #expect(session.card.receive(.typeA([0x60, 0x04]))?.bytes.count == 4)
      #expect(session.card.receive(frame) == nil)
      #expect(session.card.receive(.typeA([0x60, 0x04])) == nil)
      #expect(session.select() == 0x08)
    }
  }

  @Test func plainCommandsAreRefused() throws {
    for command: [UInt8] in [[0x30, 0], [0xA0, 4], [0xE0, 0x80], [0x60], [0x1B, 1, 2, 3, 4]] {
      let session = try Self.session(authenticated: nil)
      #expect(session.send(command) == .acknowledge(4))
      #expect(session.send(command) == .silence)
    }
    let session = try Self.session(authenticated: nil)
    #expect(session.decode(session.exchange(raw: [0x60, 0x00, 0, 0])) == .acknowledge(5))
    #expect(session.send([0x60, 0x00]) == .silence)
  }

  /// The refusal is encrypted, after which the card is mute.
  @Test(
    arguments: [
      [0x30, 0x08], [0x30, 0xFF], [0xA0, 0x08], [0xC1, 0x04], [0xB0, 0x04], [0xB0, 0x07],
      [0x00, 0x00], [0x30], [0x50, 0x01], [0x60, 0x40], [0xA2, 4, 1, 2, 3, 4],
    ] as [[UInt8]]) func refusals(command: [UInt8]) throws
  {
    let session = try Self.session()
    #expect(session.send(command) == .acknowledge(4))
    #expect(session.send([0x30, 0x04]) == .silence)
    #expect(session.select() == 0x08)
  }

  @Test func transmissionErrorsAreRefused() throws {
    var session = try Self.session()
    #expect(session.decode(session.exchange(raw: [0x30, 0x04, 0, 0])) == .acknowledge(5))
    #expect(session.send([0x30, 0x04]) == .silence)

    session = try Self.session()
    var cipher = try #require(session.cipher)
    var frame = cipher.frame(encrypting: [0x30, 0x04] + CyclicRedundancyCheck.a([0x30, 0x04]))
    frame.parity?[2].toggle()
    let answer = session.card.receive(frame)
    #expect(answer.flatMap { cipher.acknowledge(decrypting: $0) } == 5)

    // The fault is within the second frame of a WRITE: nothing is written.
    session = try Self.session()
    #expect(session.send([0xA0, 0x04]) == .acknowledge(0x0A))
    #expect(
      session.decode(session.exchange(raw: [UInt8](repeating: 7, count: 18))) == .acknowledge(5))
    #expect(Array(session.card.memory[64..<80]) == [UInt8](repeating: 0, count: 16))
    session = try Self.session()
    #expect(session.write(4, [1, 2, 3, 4]) == .acknowledge(4))
    #expect(Array(session.card.memory[64..<80]) == [UInt8](repeating: 0, count: 16))
  }

  @Test func blockZeroIsNeverWritten() throws {
    let session = try Self.session(authenticated: 0)
    let block = Array(session.card.memory[0..<16])
    for command: [UInt8] in [[0xA0, 0], [0xB0, 0], [0xC1, 0]] {
      let session = session.copy()
      #expect(session.send(command) == .acknowledge(4))
      #expect(Array(session.card.memory[0..<16]) == block)
    }
  }

  @Test func halt() throws {
    for block: UInt8? in [nil, 4] {
      let session = try Self.session(authenticated: block)
      #expect(session.send([0x50, 0x00]) == .silence)
      #expect(session.card.receive(.typeA(bare: [0x26], bitsInLastByte: 7)) == nil)
      #expect(session.select() == 0x08)
      #expect(session.authenticate(4, .a, Self.transportKey))
    }
  }

  @Test func requestWithinASessionEndsIt() throws {
    let session = try Self.session()
    let request = RadioFrame.typeA(bare: [0x26], bitsInLastByte: 7)
    #expect(session.card.receive(request) == nil)
    #expect(session.card.receive(request)?.bytes == [0x04, 0x00])
  }

  @Test func framesOfOtherKindsAreNotHeard() throws {
    let session = try Self.session()
    #expect(session.card.receive(.typeB([0x05, 0x00, 0x00])) == nil)
    #expect(session.card.receive(.feliCa([0x00, 0xFF, 0xFF, 0, 0])) == nil)
    #expect(session.read(4) == .data([UInt8](repeating: 0, count: 16)))
  }

  // MARK: Values

  /// The example of the MF1S50YYX data sheet, table 4: 1234567 with address 17.
  @Test func valueBlockFormat() {
    let bytes = [UInt8](hexadecimal: "87D61200 7829EDFF 87D61200 11EE11EE") ?? []
    #expect(ValueBlock(value: 1_234_567, address: 17).bytes == bytes)
    #expect(ValueBlock(block: bytes) == ValueBlock(value: 1_234_567, address: 17))
    for index in 0..<16 {
      var broken = bytes
      broken[index] ^= 0x10
      #expect(ValueBlock(block: broken) == nil)
    }
    #expect(ValueBlock(block: []) == nil)
  }

  @Test func values() throws {
    let session = try Self.session()
    #expect(session.write(4, ValueBlock(value: 10, address: 9).bytes) == .acknowledge(0x0A))
    #expect(session.calculate(0xC1, 4, [5, 1, 0, 0]) == .silence)
    // Nothing is written before TRANSFER, which may address another block.
    #expect(session.read(4) == .data(ValueBlock(value: 10, address: 9).bytes))
    #expect(session.send([0xB0, 5]) == .acknowledge(0x0A))
    #expect(session.read(5) == .data(ValueBlock(value: 271, address: 9).bytes))
    #expect(session.calculate(0xC0, 5, [16, 1, 0, 0]) == .silence)
    #expect(session.send([0xB0, 5]) == .acknowledge(0x0A))
    #expect(session.read(5) == .data(ValueBlock(value: ~0, address: 9).bytes))
    #expect(session.calculate(0xC2, 4, [0, 0, 0, 0]) == .silence)
    #expect(session.send([0xB0, 6]) == .acknowledge(0x0A))
    #expect(session.read(6) == .data(ValueBlock(value: 10, address: 9).bytes))
    // With a value in the transfer buffer, a NAK has a different code.
    #expect(session.send([0x30, 8]) == .acknowledge(0))
    #expect(session.send([0x30, 4]) == .silence)
  }

  /// Android, frameworks/base commit b134223f, from NXP: a result out of range is an error, and the sign of an operand
  /// is ignored.
  @Test(arguments: [(0xC1, Int32.max - 5, 6), (0xC0, Int32.min + 5, 6)] as [(UInt8, Int32, UInt8)])
  func valuesDoNotWrap(_ code: UInt8, _ start: Int32, _ amount: UInt8) throws {
    let session = try Self.session()
    let block = ValueBlock(value: UInt32(bitPattern: start), address: 4).bytes
    #expect(session.write(4, block) == .acknowledge(0x0A))
    #expect(session.copy().calculate(code, 4, [amount - 1, 0, 0, 0]) == .silence)
    let signed = session.copy()
    #expect(signed.calculate(code, 4, [amount - 1, 0, 0, 0x80]) == .silence)
    #expect(signed.send([0xB0, 5]) == .acknowledge(0x0A))
    let limit: Int32 = code == 0xC1 ? .max : .min
    #expect(signed.read(5) == .data(ValueBlock(value: UInt32(bitPattern: limit), address: 4).bytes))
    #expect(session.calculate(code, 4, [amount, 0, 0, 0]) == .acknowledge(4))
    #expect(session.send([0xB0, 4]) == .silence)
    #expect(Array(session.card.memory[64..<80]) == block)
  }

  @Test func transmissionErrorWithValueInBuffer() throws {
    let session = try Self.session()
    #expect(session.write(4, ValueBlock(value: 10, address: 9).bytes) == .acknowledge(0x0A))
    #expect(session.calculate(0xC0, 4, [1, 0, 0, 0]) == .silence)
    #expect(session.decode(session.exchange(raw: [0xB0, 0x04, 0, 0])) == .acknowledge(1))
    #expect(Array(session.card.memory[64..<80]) == ValueBlock(value: 10, address: 9).bytes)
  }

  // MARK: Memory

  @Test func dumpMakesTheSameCard() throws {
    for tag in [
      MIFAREClassic(.mini, uid: [1, 2, 3, 4], formatted: false),
      try MIFAREClassic(.oneK, uid: Self.uid, ndef: [1]),
      MIFAREClassic(.fourK, uid: [4, 1, 2, 3, 4, 5, 6], formatted: false),
    ] {
      let copy = try #require(MIFAREClassic(dump: tag.memory))
      #expect(copy.identifier == tag.identifier)
      #expect(copy.memory == tag.memory)
      #expect(copy.product == tag.product)
    }
    #expect(MIFAREClassic(dump: [1, 2, 3]) == nil)
    #expect(MIFAREClassic(dump: []) == nil)
  }

  @Test func memoryKeepsItsSizeAndUID() {
    var card = MIFAREClassic(.mini, uid: Self.uid, formatted: false)
    card.memory = [UInt8](repeating: 0x55, count: 1000)
    #expect(card.memory.count == 320)
    #expect(Array(card.memory.prefix(6)) == Self.uid + [Self.uid.reduce(0, ^), 0x55])
    card.memory = [1, 2, 3, 4, 5, 6]
    #expect(Array(card.memory.prefix(7)) == Self.uid + [Self.uid.reduce(0, ^), 6, 0x55])
  }

  // MARK: Fuzz

  /// Any frame in any state results in an answer or silence.
  @Test func anyFrameIsSurvived() throws {
    var random = SplitMix64(seed: 0x4D46_3153)
    for product in MIFAREClassic.Product.allCases {
      let session = ClassicSession(try MIFAREClassic(product, uid: Self.uid, ndef: []))
      var answers = 0
      for _ in 0..<1500 {
        if Int.random(in: 0..<6, using: &random) == 0 {
          _ = session.select()
          if Bool.random(using: &random) {
            let block = UInt8(truncatingIfNeeded: product.blockCount / 2)
            _ = session.authenticate(block, .b, Self.transportKey)
          }
        }
        let count = Int.random(in: 0..<20, using: &random)
        var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let codes: [UInt8] = [0x60, 0x61, 0x30, 0xA0, 0xB0, 0xC0, 0xC1, 0xC2, 0x50]
        if Bool.random(using: &random), let code = codes.randomElement(using: &random) {
          bytes = [code, UInt8.random(in: 0...255, using: &random)]
        }
        let frame: RadioFrame?
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          frame = session.card.receive(
            RadioFrame(
              bytes, modulation: .typeA, bitsInLastByte: Int.random(in: 1...8, using: &random),
              parity: (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Bool.random(using: &random)
              }))
        case 1: frame = session.exchange(raw: bytes)
        default: frame = session.exchange(raw: bytes + CyclicRedundancyCheck.a(bytes))
        }
        if frame != nil { answers += 1 }
      }
      #expect(answers > 50)
      #expect(session.card.memory.count == product.blockCount * 16)
    }
  }
}
