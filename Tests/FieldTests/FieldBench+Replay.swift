import NFC
import Recordings
import Synchronization
import Testing
import VirtualNFC

extension FieldBench {
  private final class Lines: Sendable {
    private let text = Mutex("")
    var all: String { text.withLock { $0 } }
    func add(_ line: String) { text.withLock { $0 += line } }
  }

  /// Runs a procedure on another tag of this row while it is recorded, and once more on the recording. Both end in the
  /// same way, and every call fits the recording.
  func expectReplay(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ procedure: (DetectedTag, any NDEFTag) async throws -> Void
  ) async throws {
    let lines = Lines()
    let recorder = Recorder(revealingSecrets: true) { lines.add($0) }
    let spare = row.make()
    spare.allowedChanges = kinds
    let direct = DirectReader(VirtualField())
    direct.field.place(spare)
    let reader = try await Reader.open { recorder.recording(direct.driver()) }
    let first = await Self.outcome(on: reader, procedure)
    await reader.close()
    #expect(recorder.failure == nil, sourceLocation: sourceLocation)

    let replay = ReplayReader(try Recording(lines.all.utf8))
    let again = try await replay.open()
    let second = await Self.outcome(on: again, procedure)
    await again.close()
    #expect(first == second, sourceLocation: sourceLocation)
    let mismatch = replay.mismatch.map { "\($0)" } ?? ""
    #expect(mismatch == "", sourceLocation: sourceLocation)
  }

  /// How a procedure ends: what its error says, or nothing.
  private static func outcome(
    on reader: Reader, _ procedure: (DetectedTag, any NDEFTag) async throws -> Void
  ) async -> String {
    do {
      let tag = try await reader.firstTag(polling: .all, within: .seconds(10))
      guard let ndef = tag.ndef else { return "the tag has no NDEF" }
      try await procedure(tag, ndef)
      return ""
    } catch {
      return "\(error)"
    }
  }
}
