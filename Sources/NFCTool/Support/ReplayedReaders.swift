import NFC
import Recordings

/// The readers of a recording that is replayed.
struct ReplayedReaders: Sendable {
  let path: String
  let replay: ReplayReader

  /// - Throws: ``Failure`` for a file that does not exist or is not a recording.
  init(_ path: String, _ options: RecordingOptions) throws {
    self.path = path
    replay = ReplayReader(
      try Recording(file: path), order: options.replayAnyOrder ? .any : .recorded)
  }

  /// Opens all readers of the recording.
  func open(recordedBy recorder: Recorder?) async throws -> Readers {
    let first = try await replay.open(through: { recorder?.recording($0) ?? $0 })
    var others: [Reader] = []
    for index in 0..<replay.readerCount where index > 0 {
      others.append(try await replay.open(at: index) { recorder?.recording($0) ?? $0 })
    }
    return Readers(first, others)
  }

  /// Checks whether the command deviated from the recording.
  ///
  /// - Parameter error: the error of the command.
  /// - Throws: ``Failure`` if a command was not in the recording, or if an authentication could not succeed.
  func check(after error: (any Error)? = nil) throws {
    // After a proof that fails, a command may do something else than it did.
    let status = (error as? Failure)?.status
    let hasFailed = status == .notAllowed || status == .content || replay.mismatch != nil
    if hasFailed, let proof = replay.maskedProof {
      throw Failure(
        .content, "\(proof) (\(File.name(path)))",
        advice:
          "only a recording made --with-secrets can play back an authentication by random numbers")
    }
    guard let mismatch = replay.mismatch else { return }
    throw Failure(
      .content, "\(mismatch) (\(File.name(path)))",
      advice: "play it back with the command that it was made with")
  }
}

extension Recording {
  /// - Throws: ``Failure`` for a file that does not exist or is not a recording.
  init(file path: String) throws {
    let bytes = try File.read(path)
    do {
      try self.init(bytes)
    } catch {
      throw Failure(
        .content, "\(File.name(path)), \(error)", advice: "make recordings with --record")
    }
  }
}
