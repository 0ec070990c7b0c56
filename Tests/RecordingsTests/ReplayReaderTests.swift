import NFC
import SwiftNFCPCSC
import Synchronization
import Testing
import VirtualNFC

@testable import Recordings

/// Lines as they are written.
private final class Lines: Sendable {
  private let text = Mutex("")
  var all: String { text.withLock { $0 } }
  func add(_ line: String) { text.withLock { $0 += line } }
}

/// Programs of the library over a recorder, and again over what it has kept.
@Suite struct ReplayReaderTests {
  private static let message = NDEFMessage(.uri("https://swift.org"))

  /// Runs a procedure on a reader that is recorded and on the recording; gives both results.
  private func twice<Result: Sendable>(
    _ driver: @escaping @Sendable () throws -> any ReaderDriver,
    _ body: @Sendable (Reader) async throws -> Result
  ) async throws -> (first: Result, second: Result, text: String) {
    let lines = Lines()
    let recorder = Recorder { lines.add($0) }
    let recorded = try await Reader.open { recorder.recording(try driver()) }
    let first = try await body(recorded)
    await recorded.close()
    #expect(recorder.failure == nil)
    let replay = ReplayReader(try Recording(lines.all.utf8))
    let reader = try await replay.open()
    let second = try await body(reader)
    await reader.close()
    #expect(replay.mismatch == nil)
    return (first, second, lines.all)
  }

  @Test func aReaderInTheProcess() async throws {
    let direct = DirectReader(VirtualField())
    direct.field.place(try .ntag215(ndef: Self.message))
    let result = try await twice({ direct.driver() }) { reader in
      let tag = try await reader.firstTag(within: .seconds(10))
      return try await tag.ndef?.readNDEF()
    }
    #expect(result.first == Self.message)
    #expect(result.second == Self.message)
  }

  /// A PC/SC reader's limits differ by tag; they are played back too.
  @Test(arguments: ["icode-slix2", "type4", "ntag215"])
  func aPCSCReader(_ name: String) async throws {
    let field = VirtualField()
    field.place(try VirtualTag.named(name))
    let virtual = VirtualPCSCReader(field)
    let result = try await twice({ try PCSCDriver("", over: virtual.service()) }) { reader in
      let tag = try await reader.firstTag(within: .seconds(10))
      try await tag.ndef?.writeNDEF(Self.message)
      let message = try await tag.ndef?.readNDEF()
      return ("\(message.map { "\($0)" } ?? "none")", tag.identifier, try await tag.isPresent())
    }
    #expect(result.first == result.second)
    #expect(result.first.2)
    #expect(result.text.contains("\"call\":\"limits\""))
  }

  @Test func errorsArePlayedBack() async throws {
    let direct = DirectReader(VirtualField())
    direct.field.place(.ntag213())
    let result = try await twice({ direct.driver() }) { reader in
      guard case .miFare(let tag) = try await reader.firstTag(within: .seconds(10)) else {
        throw NFCError(.wrongTag, "no MIFARE tag")
      }
      do {
        _ = try await tag.sendMiFareCommand([0x30, 0xF0])
        return nil as NFCError?
      } catch let error as NFCError {
        return error
      }
    }
    #expect(result.first != nil)
    #expect(result.first == result.second)
  }

  @Test func whatFollowsAMismatchFailsToo() async throws {
    let lines = Lines()
    let direct = DirectReader(VirtualField())
    direct.field.place(.ntag213())
    let recorder = Recorder { lines.add($0) }
    let recorded = try await Reader.open { recorder.recording(direct.driver()) }
    _ = try await recorded.firstTag(within: .seconds(10))
    await recorded.close()
    let replay = ReplayReader(try Recording(lines.all.utf8))
    let reader = try await replay.open()
    let tag = try await reader.firstTag(within: .seconds(10))
    for _ in 0..<2 {
      let error = await #expect(throws: NFCError.self) { try await tag.ndef?.readNDEF() }
      #expect(error?.code == .malformedContent)
    }
    #expect(replay.mismatch?.line == 3)
    await #expect(throws: NFCError.self) { try await replay.open(at: 1) }
  }

  /// A recording that cannot be kept ends; the work does not.
  @Test func aSinkThatFails() async throws {
    struct Full: Error {}
    let direct = DirectReader(VirtualField())
    direct.field.place(try .ntag215(ndef: Self.message))
    let recorder = Recorder { _ in throw Full() }
    let reader = try await Reader.open { recorder.recording(direct.driver()) }
    let tag = try await reader.firstTag(within: .seconds(10))
    #expect(try await tag.ndef?.readNDEF() == Self.message)
    #expect(recorder.failure is Full)
    await reader.close()
  }

  @Test func contentAndIdentifiersAreReplaced() async throws {
    for name in ["ntag215", "classic-1k", "type4", "felica-lite-s", "icode-slix2"] {
      let lines = Lines()
      let chip = try VirtualTag.named(name)
      let direct = DirectReader(VirtualField())
      direct.field.place(chip)
      let secret = NDEFMessage(
        .uri("https://example.com/of-nobody-else"), .text("My name is Nobody"))
      let recorder = Recorder { lines.add($0) }
      let recorded = try await Reader.open { recorder.recording(direct.driver()) }
      let tag = try await recorded.firstTag(within: .seconds(10))
      try await tag.ndef?.writeNDEF(secret)
      await recorded.close()
      let second = try await Reader.open { recorder.recording(direct.driver()) }
      let again = try await second.firstTag(within: .seconds(10))
      #expect(try await again.ndef?.readNDEF() == secret)
      await second.close()
      let anonymous = try Recording(lines.all.utf8).anonymized(replacingContent: true)
      for text in ["example.com", "nobody", "Nobody", "My name"] {
        #expect(!anonymous.text.contains(Array(text.utf8).hexadecimal), "\(name): \(text)")
      }
      #expect(!anonymous.text.contains(chip.identifier.hexadecimal), "\(name)")
      #expect(anonymous.text.utf8.count == lines.all.utf8.count)
      // The second reader has only read: it reads a message of the same build.
      let replay = ReplayReader(try Recording(anonymous.text.utf8))
      let reader = try await replay.open(at: 1)
      let found = try await reader.firstTag(within: .seconds(10))
      let message = try #require(try await found.ndef?.readNDEF(), "\(name)")
      #expect(message.records.map(\.type) == secret.records.map(\.type))
      #expect(message.records.map(\.payload.count) == secret.records.map(\.payload.count))
      #expect(message != secret)
      await reader.close()
    }
  }
}
