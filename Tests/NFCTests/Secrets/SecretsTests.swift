import NFC
import Synchronization
import Testing
import VirtualNFC

/// Keys and passwords appear neither in a trace nor in an error nor where a value is printed.
@Suite struct SecretsTests {
  /// The lines of a run, masked and not.
  private final class Lines: Sendable {
    private struct State {
      var masked = TraceLog()
      var whole = TraceLog(revealingKeys: true)
      var maskedLines: [String] = []
      var wholeLines: [String] = []
    }
    private let state = Mutex(State())

    func append(_ event: TraceEvent) {
      state.withLock {
        $0.maskedLines.append($0.masked.line(event))
        $0.wholeLines.append($0.whole.line(event))
      }
    }

    var masked: [String] { state.withLock { $0.maskedLines } }
    var whole: [String] { state.withLock { $0.wholeLines } }
  }

  /// Runs `body` and looks for what it must not show.
  private func check(
    _ tag: VirtualTag, secrets: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (DetectedTag) async throws -> [any Error]
  ) async throws {
    let lines = Lines()
    let bench = try await Bench(tag, trace: { lines.append($0) })
    let errors = try await body(try await bench.tag())
    await bench.reader.close()
    for secret in secrets.map(\.hexadecimal) {
      #expect(
        lines.masked.filter { $0.contains(secret) } == [], sourceLocation: sourceLocation)
      // It did go over the line, or this test would show nothing.
      #expect(
        lines.whole.contains { $0.contains(secret) }, "\(secret)", sourceLocation: sourceLocation)
      for error in errors {
        #expect(!"\(error)".contains(secret), sourceLocation: sourceLocation)
        #expect(!String(reflecting: error).contains(secret), sourceLocation: sourceLocation)
      }
    }
  }

  private func errors(_ bodies: () async throws -> Void...) async -> [any Error] {
    var errors: [any Error] = []
    for body in bodies {
      do {
        try await body()
        Issue.record("nothing was thrown")
      } catch {
        errors.append(error)
      }
    }
    return errors
  }

  @Test func keysOfClassic() async throws {
    let keyA: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]
    let keyB: [UInt8] = [0x1A, 0x2B, 0x3C, 0x4D, 0x5E, 0x6F]
    let wrong: [UInt8] = [0x77, 0x66, 0x55, 0x44, 0x33, 0x22]
    let trailer = MiFareClassicSectorTrailer(
      keyA: try #require(MiFareClassicKey(keyA)), accessConditions: .transport,
      generalPurposeByte: 0x69, keyB: try #require(MiFareClassicKey(keyB)))
    #expect(!"\(trailer)".contains("a1") && !"\(trailer)".contains("161"))
    try await check(.classic1K(formatted: false), secrets: [keyA, keyB, wrong]) { tag in
      let classic = try tag.classic
      try await classic.authenticate(block: 7, with: .factory, as: .a)
      try await classic.writeBlock(7, trailer.bytes)
      try await classic.authenticate(block: 7, with: trailer.keyA, as: .a)
      // Key B can be read in the transport configuration.
      #expect(Array(try await classic.readBlock(7).suffix(6)) == keyB)
      return await errors {
        try await classic.authenticate(block: 7, with: #require(MiFareClassicKey(wrong)), as: .a)
      } _: {
        _ = try await tag.miFare.sendMiFareCommand([0x60, 0x07] + wrong)
      }
    }
  }

  @Test func passwordOfNTAG() async throws {
    let password: [UInt8] = [0x5E, 0xC2, 0xE7, 0x11]
    let acknowledge: [UInt8] = [0xBE, 0xEF]
    let wrong: [UInt8] = [0x77, 0x66, 0x55, 0x44]
    try await check(.ntag213(), secrets: [password, acknowledge, wrong]) { tag in
      let ultralight = try tag.ultralight
      try await ultralight.writePage(43, password)
      try await ultralight.writePage(44, acknowledge + [0, 0])
      #expect(try await ultralight.authenticate(password: password) == acknowledge)
      return await errors { try await ultralight.authenticate(password: wrong) }
    }
  }

  @Test func keyOfUltralightC() async throws {
    let key: [UInt8] = (0..<16).map { 0xA0 + $0 }
    // Each half stands with its last byte first.
    let pages = [0xA4, 0xA0, 0xAC, 0xA8].map { first in (0..<4).map { UInt8(first + 3 - $0) } }
    try await check(.ultralightC(), secrets: pages) { tag in
      let ultralight = try tag.ultralight
      try await ultralight.changeKey(key)
      return await errors { try await ultralight.authenticate(key: key.reversed()) }
    }
  }

  @Test func cardKeyOfFeliCaLite() async throws {
    let bytes = Array("0123456789abcdef".utf8)
    let other = Array("ABCDEFGHIJKLMNOP".utf8)
    let key = try #require(FeliCaLiteCardKey(bytes))
    let otherKey = try #require(FeliCaLiteCardKey(other))
    func stored(_ key: [UInt8]) -> [UInt8] { key.prefix(8).reversed() + key.suffix(8).reversed() }
    try await check(.feliCaLiteS(), secrets: [stored(bytes), stored(other)]) { tag in
      let lite = try #require(try tag.feliCa.lite)
      try await lite.writeCardKey(key)
      let session = try await lite.authenticateMutually(key)
      #expect(!String(reflecting: session).contains("48, 49"))
      try await session.writeCardKey(otherKey)
      return await errors { _ = try await lite.authenticate(key) }
    }
  }

  /// A key change of a DESFire and a PIN: the card refuses them, but they have been sent.
  @Test func whatSmartCardsAreGiven() async throws {
    let secret: [UInt8] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x58]
    try await check(.desfire(), secrets: [secret]) { tag in
      let tag = try tag.miFare
      for header: [UInt8] in [[0x90, 0xC4, 0, 0, 7, 0], [0x00, 0x20, 0, 1, 6]] {
        let command = try #require(APDU(header + secret + (header[0] == 0 ? [] : [0])))
        #expect(try await !tag.sendCommand(command).isSuccess)
      }
      return []
    }
  }

  /// The plan of a restore says what it writes, but not keys.
  @Test func plans() async throws {
    let bench = try await Bench(.ntag213())
    let ultralight = try await UltralightDumpTests.commands(bench)
    var image = try await ultralight.dump().bytes
    image.replaceSubrange(172..<178, with: [251, 252, 253, 254, 249, 248])
    let plan = try await ultralight.restorePlan(image, extras: .password)
    #expect(plan.steps.map(\.place?.number) == [43, 44])
    for text in ["\(plan)", String(reflecting: plan)] {
      #expect(!text.contains("251") && !text.contains("FBFC") && !text.contains("249"))
    }
  }
}
