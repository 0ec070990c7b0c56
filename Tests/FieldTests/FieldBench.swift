import NFC
import Testing
import VirtualNFC

/// A tag from the field before a reader in the process.
struct FieldBench: Sendable {
  let row: FieldTag
  let tag: VirtualTag
  let field = VirtualField()
  let direct: DirectReader
  let reader: Reader
  /// The irreversible changes that a procedure is asked for by name.
  let kinds: Set<IrreversibleChange.Kind>

  /// - Parameter kinds: the irreversible changes that a procedure is asked for by name.
  init(_ row: FieldTag, asking kinds: Set<IrreversibleChange.Kind> = []) async throws {
    self.row = row
    self.kinds = kinds
    tag = row.make()
    tag.allowedChanges = kinds
    direct = DirectReader(field)
    field.place(tag)
    reader = try await direct.open()
  }

  /// The tag found again: nothing is known of it.
  func found() async throws -> DetectedTag {
    direct.setFaults([])
    field.place(tag)
    for try await found in reader.tags(polling: .all) {
      try await found.connect()
      return found
    }
    throw NFCError(.noTag, "polling has ended")
  }

  func ndef() async throws -> any NDEFTag { try #require(try await found().ndef) }

  /// What a fresh reader finds.
  func message() async throws -> [UInt8] { try await ndef().readNDEFBytes() ?? [] }

  /// Nothing was made final that the procedure was not asked for.
  func expectNothingUnasked(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(tag.unexpectedChanges.isEmpty, sourceLocation: sourceLocation)
  }

  /// Runs a procedure on a tag that was just found, and compares what becomes of it with its cell. The same procedure
  /// is also recorded and replayed.
  ///
  /// - Returns: whether it was done, as it should be.
  func run(
    _ outcome: FieldTag.Outcome, sourceLocation: SourceLocation = #_sourceLocation,
    _ procedure: (DetectedTag, any NDEFTag) async throws -> Void
  ) async throws -> Bool {
    try await expectReplay(sourceLocation: sourceLocation, procedure)
    let before = tag.memory
    let found = try await found()
    let ndef = try #require(found.ndef)
    defer { expectNothingUnasked(sourceLocation: sourceLocation) }
    do {
      try await procedure(found, ndef)
      #expect(outcome == .done, "it was done", sourceLocation: sourceLocation)
      return outcome == .done
    } catch let error as NFCError {
      #expect(outcome == .refused(error.code), "\(error)", sourceLocation: sourceLocation)
      guard case .refused = outcome else { return false }
      if outcome == .refused(.readOnly), row.access == .readWrite {
        // Found out only by writing: the old message is there again.
        let message = try await message()
        #expect(row.content == .message(message), "\(error)", sourceLocation: sourceLocation)
      } else {
        #expect(tag.memory == before, "\(error)", sourceLocation: sourceLocation)
      }
      return false
    }
  }
}

/// Bytes that stand for a message: mappings do not look into it.
func pattern(_ count: Int, seed: Int = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 31 &+ seed) }
}
