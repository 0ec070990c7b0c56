import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// Tests how often `nfc info` asks a chip for its signature.
@Suite struct SignatureQuestionTests {
  /// An NTAG215 that counts READ_SIG, and may leave it unanswered like a chip without a signature.
  private struct CountedChip: ForwardingChip {
    var chip = NTAG21x(.ntag215)
    let refuses: Bool
    let questions: Questions

    final class Questions: Sendable {
      private let state = Mutex(0)
      var count: Int { state.withLock { $0 } }
      func add() { state.withLock { $0 += 1 } }
    }

    private static let readSignature: [UInt8] = [0x3C, 0x00]

    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      guard frame.checkedPayload == Self.readSignature else { return chip.receive(frame) }
      questions.add()
      return refuses ? nil : chip.receive(frame)
    }
  }

  @Test(arguments: [false, true]) func once(_ refuses: Bool) async throws {
    let questions = CountedChip.Questions()
    let field = VirtualField()
    field.place(VirtualTag(CountedChip(refuses: refuses, questions: questions)))
    let virtual = try VirtualReader(field)
    let reader = try await Reader.open(virtual.connectionString)
    let tag = try #require(try await reader.tagsInField().first)
    try await tag.connect()
    let details = try await TagDetails(
      tag, try await tag.product(), nil, TagKeys(), password: nil, listsMemory: false)
    #expect((details.signature == nil) == refuses)
    #expect(questions.count == 1)
    await reader.close()
    virtual.close()
  }
}
