import NFC
import Synchronization
import Testing
import VirtualNFC

/// A read survives one frame that is lost or broken, between host and reader or on the air: it changes nothing on the
/// tag, and is repeated once. A write, an authentication and a command of the program are sent once.
@Suite struct RepeatedReadTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: PollingOptions
    /// Whether an answer that is lost on the air is asked for again: not from a card of ISO/IEC 14443-4, whose blocks
    /// are counted, nor from a Classic, which refuses with silence.
    let repeatsOnAir: Bool
    let tag: @Sendable () -> VirtualTag

    init(
      _ testDescription: String, _ options: PollingOptions = .iso14443, repeatsOnAir: Bool = true,
      _ tag: @escaping @Sendable () -> VirtualTag
    ) {
      self.testDescription = testDescription
      self.options = options
      self.repeatsOnAir = repeatsOnAir
      self.tag = tag
    }
  }

  static let kinds = [
    Kind("NTAG216") { .ntag216() },
    Kind("Ultralight C") { .ultralightC() },
    Kind("NTAG I2C") { .ntagI2C2K() },
    Kind("type 4", repeatsOnAir: false) { .type4() },
    Kind("DESFire", repeatsOnAir: false) { .desfire() },
    Kind("Classic", repeatsOnAir: false) { .classic1K() },
    Kind("FeliCa Lite-S", .iso18092) { .feliCaLiteS() },
    Kind("Topaz", .jewel) { .topaz96() },
    Kind("Topaz 512", .jewel) { .topaz512() },
  ]

  static let onLine: [(name: String, effect: Fault.Effect)] = [
    ("command broken", .commandBroken), ("answer of the chip broken", .replyBroken),
    ("answer of the chip lost", .replyLost), ("a byte lost", .replyByteLost(7)),
    ("another answer", .replyReplaced([0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD5, 0x17, 0x14, 0x00])),
  ]
  static let onAir: [(name: String, effect: Fault.Effect)] = [
    ("frame lost", .frameLost), ("answer lost", .answerLost), ("answer broken", .answerBroken),
  ]

  private static let message = NDEFMessage(
    .text(String(repeating: "ab", count: 40), language: "en"))

  /// Authentications of a Classic, in InDataExchange (UM0701-02, 7.3.8; MF1S50YYX data sheet, 9).
  private static func isAuthentication(_ command: [UInt8]) -> Bool {
    command.count > 2 && command[0] == 0x40 && [0x60, 0x61].contains(command[2])
  }

  /// What the chip was told.
  private final class Commands: Sendable {
    private let list = Mutex<[[UInt8]]>([])

    func note(_ event: TraceEvent) {
      if case .command(let command) = event { list.withLock { $0.append(command) } }
    }

    func take() -> [[UInt8]] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  @Test(arguments: kinds, onLine.indices)
  func aFrameBetweenHostAndReaderIsLost(_ kind: Kind, _ fault: Int) async throws {
    let (tag, commands) = (kind.tag(), Commands())
    let bench = try await Bench(tag, trace: { commands.note($0) })
    try await bench.tag(kind.options).ndef?.writeNDEF(Self.message)
    let image = tag.memory
    let ndef = try #require(try await bench.tag(kind.options).ndef)
    _ = commands.take()
    let (whole, count, _) = try await bench.counting { try await ndef.readNDEF() }
    #expect(whole == Self.message)
    let sent = commands.take()
    #expect(count > 0 && sent.count == count)
    for index in 0..<count where !Self.isAuthentication(sent[index]) {
      let ndef = try #require(try await bench.tag(kind.options).ndef)
      bench.virtual.setFaults([Fault(Self.onLine[fault].effect, at: .command(index))])
      let place: Comment = "\(Self.onLine[fault].name) at \(index)"
      do {
        let read = try await within(.seconds(15)) { try await ndef.readNDEF() }
        #expect(read == Self.message, place)
      } catch { Issue.record(error, place) }
      bench.virtual.setFaults([])
      // The connection goes on, with what was selected and unlocked.
      #expect(try await ndef.isPresent(), place)
      #expect(try await ndef.readNDEF() == Self.message, place)
    }
    #expect(tag.memory == image)
  }

  @Test(arguments: kinds.filter(\.repeatsOnAir), onAir.indices)
  func aFrameOnTheAirIsLost(_ kind: Kind, _ fault: Int) async throws {
    let tag = kind.tag()
    let bench = try await Bench(tag)
    try await bench.tag(kind.options).ndef?.writeNDEF(Self.message)
    let ndef = try #require(try await bench.tag(kind.options).ndef)
    let (whole, _, count) = try await bench.counting { try await ndef.readNDEF() }
    #expect(whole == Self.message)
    for index in 0..<count {
      let ndef = try #require(try await bench.tag(kind.options).ndef)
      bench.virtual.setFaults([Fault(Self.onAir[fault].effect, at: .exchange(index))])
      let place: Comment = "\(Self.onAir[fault].name) at \(index)"
      do {
        let read = try await within(.seconds(5)) { try await ndef.readNDEF() }
        #expect(read == Self.message, place)
      } catch { Issue.record(error, place) }
    }
  }

  /// A READ is sent twice, a WRITE and a command of the program once.
  @Test func onlyReadsAreRepeated() async throws {
    let commands = Commands()
    let bench = try await Bench(.ntag216(), trace: { commands.note($0) })
    let tag = try await bench.tag(.iso14443).miFare
    let ultralight = try #require(tag.ultralight)
    func count(of code: UInt8, _ body: () async throws -> Void) async throws -> Int {
      _ = try await ultralight.readPage(4)
      _ = commands.take()
      bench.virtual.setFaults([Fault(.replyBroken, at: .command(0))])
      try? await body()
      bench.virtual.setFaults([])
      return commands.take().count { $0.count > 1 && $0[0] == 0x42 && $0[1] == code }
    }
    #expect(try await count(of: 0x30) { _ = try await ultralight.readPage(4) } == 2)
    #expect(try await count(of: 0x60) { _ = try await ultralight.version() } == 2)
    #expect(try await count(of: 0xA2) { try await ultralight.writePage(4, [1, 2, 3, 4]) } == 1)
    #expect(
      try await count(of: 0x30) { _ = try await tag.sendMiFareCommand([0x30, 0x04]) } == 1)
    #expect(
      try await count(of: 0x1B) { try await ultralight.authenticate(password: [0, 0, 0, 0]) } == 1)
  }

  /// A tag that has left does not answer the second time either, and this does not take long.
  @Test(arguments: kinds)
  func aTagThatLeavesIsLostSoon(_ kind: Kind) async throws {
    let tag = kind.tag()
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag(kind.options).ndef)
    bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(0))])
    let start = ContinuousClock.now
    let error = await #expect(throws: NFCError.self) { _ = try await ndef.readNDEF() }
    #expect(error?.code == .tagConnectionLost)
    #expect(ContinuousClock.now - start < .seconds(3))
  }

  /// A read that is repeated in the memory's second sector does not return pages of the first.
  @Test(arguments: onAir.indices)
  func twoFaultsInASector(_ fault: Int) async throws {
    let tag = VirtualTag.ntagI2C2K()
    for index in stride(from: 64, to: tag.memory.count - 128, by: 1) {
      tag.memory[index] = UInt8(truncatingIfNeeded: index / 4)
    }
    let bench = try await Bench(tag)
    let ultralight = try #require(try await bench.tag(.iso14443).miFare.ultralight)
    let (whole, _, count) = try await bench.counting { try await ultralight.dump().bytes }
    for index in 0..<count {
      let ultralight = try #require(try await bench.tag(.iso14443).miFare.ultralight)
      bench.virtual.setFaults(
        [index, index + 1].map { Fault(Self.onAir[fault].effect, at: .exchange($0)) })
      if let read = try? await ultralight.dump().bytes {
        #expect(read == whole, "\(Self.onAir[fault].name) at \(index)")
      }
    }
  }
}
