import CoreNFC
import Testing
import VirtualNFC

extension SessionBench {
  /// Runs `body` with the first tag that a session finds, connected, and ends the session.
  nonisolated(nonsending) func withTag(
    _ options: NFCTagReaderSession.PollingOption,
    _ body: nonisolated(nonsending) (NFCTagReaderSession, NFCTag) async throws -> Void
  ) async throws {
    let (session, delegate, tag) = try await connected(options)
    do {
      try await body(session, tag)
    } catch {
      Issue.record(error)
    }
    session.invalidate()
    _ = try await delegate.events.end()
  }

  /// Runs `body` with the tags that a session for NDEF finds, and ends the session.
  nonisolated(nonsending) func withNDEFTags(
    _ body: nonisolated(nonsending) (NFCNDEFReaderSession, [any NFCNDEFTag]) async throws -> Void
  ) async throws {
    let delegate = NDEFTagDelegate()
    let session = NFCNDEFReaderSession(
      delegate: delegate, queue: nil, invalidateAfterFirstRead: false)
    session.begin()
    try await delegate.events.expectActive()
    let tags = try await delegate.events.ndefTags()
    do {
      try await body(session, tags)
    } catch {
      Issue.record(error)
    }
    session.invalidate()
    _ = try await delegate.events.end()
  }

  /// As ``withNDEFTags(_:)``, with the first of them, connected.
  nonisolated(nonsending) func withNDEFTag(
    _ body: nonisolated(nonsending) (any NFCNDEFTag) async throws -> Void
  ) async throws {
    try await withNDEFTags { session, tags in
      let tag = try #require(tags.first)
      try await session.connect(to: tag)
      try await body(tag)
    }
  }

  /// Expects that nothing goes over the air while `body` runs.
  nonisolated(nonsending) func sendingNothing(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws {
    virtual.setFaults([])
    try await body()
    #expect(virtual.statistics.exchanges == 0, sourceLocation: sourceLocation)
  }
}

extension NFCTag {
  var feliCa: (any NFCFeliCaTag)? { if case .feliCa(let tag) = self { tag } else { nil } }
  var iso7816: (any NFCISO7816Tag)? { if case .iso7816(let tag) = self { tag } else { nil } }
  var miFare: (any NFCMiFareTag)? { if case .miFare(let tag) = self { tag } else { nil } }
}

/// Waits for what a handler is given.
nonisolated(nonsending) func handed<Value>(
  _ start: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
  let answer: Handover<Value> = await withCheckedContinuation { continuation in
    start { value in
      // Whoever calls the handler keeps nothing of what it passes.
      nonisolated(unsafe) let value = value
      continuation.resume(returning: Handover(value))
    }
  }
  return answer.value
}

/// Waits for what a result handler is given.
nonisolated(nonsending) func result<Value>(
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await handed(start).get()
}

/// The code of an error that has to be an ``NFCReaderError``; `nil` for none.
func code(_ error: (any Error)?) -> NFCReaderError.Code? { (error as? NFCReaderError)?.code }
