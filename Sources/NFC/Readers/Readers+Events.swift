import NFCCore

/// An event of a group of readers: something happened to one of them, or in its field.
///
/// More may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum ReadersEvent: Sendable {
  /// A tag has arrived.
  case arrived(DetectedTag, Reader)
  /// A tag was not found any more, or its reader was lost. The value is the same one as when the
  /// tag arrived.
  case left(DetectedTag, Reader)
  /// A reader was lost: it was unplugged, or its service has stopped. The group waits for it to
  /// return.
  case lost(Reader, NFCError)
  /// A lost reader has returned and polls again.
  case back(Reader)
}

extension Readers {
  /// Polls all readers and calls `body` for every event, until `body` returns false or the task is
  /// cancelled.
  ///
  /// The events of one reader follow each other on the reader's own thread. The reader continues to
  /// poll when `body` has returned; until then, your program can use it. Readers do not wait for
  /// each other, so `body` may be called for several of them at the same time.
  ///
  /// A lost reader that the group has opened is opened again when it returns, by the address that
  /// does not change (serial number, socket, port).
  ///
  /// - Parameters:
  ///   - options: the technologies to look for, as in ``firstTag(polling:within:where:)``.
  ///   - pause: the pause between two rounds without events.
  ///   - onCardInUse: called once each time that another program uses the card that is present;
  ///     polling continues until that card is free or another arrives.
  ///   - body: handles an event and returns whether to continue.
  /// - Throws: ``NFCError/Code/unsupported`` as ``firstTag(polling:within:where:)``; ``NFCError/Code/readerLost``
  ///   if no reader is left that could come back; what `body` throws.
  public func forEachEvent(
    polling options: PollingOptions = .all, pause: Duration = .milliseconds(100),
    onCardInUse: (@Sendable (NFCError) -> Void)? = nil,
    _ body: @escaping @Sendable (ReadersEvent) async throws -> Bool
  ) async throws {
    try check(options)
    let shares = shares(of: options.technologies)
    guard !shares.isEmpty else { throw Self.refusal(options.technologies, all) }
    try await withThrowingTaskGroup(of: NFCError?.self) { group in
      for share in shares {
        group.addTask {
          var poll = Poll(
            readers: self, share: share, pause: pause, onCardInUse: onCardInUse, body: body)
          do {
            try await poll.run()
            return nil
          } catch let failure as BodyFailure {
            // An error from the caller's own code does not belong to the reader, whatever it is.
            throw failure.error
          } catch let error as NFCError {
            return error
          }
        }
      }
      // A reader that ends without an error has had enough, and then all have. A reader that is
      // permanently lost leaves the others, if there are any.
      defer { group.cancelAll() }
      var problem: NFCError?
      while let outcome = try await group.next() {
        guard let error = outcome else { return }
        problem = error
      }
      if let problem { throw problem }
    }
  }

  /// Marks an error from the caller's own code.
  private struct BodyFailure: Error {
    let error: any Error
  }

  /// The polling of one reader, from one loss to the next.
  private struct Poll {
    let readers: Readers
    var share: ReaderShare
    let pause: Duration
    let onCardInUse: (@Sendable (NFCError) -> Void)?
    let body: @Sendable (ReadersEvent) async throws -> Bool
    /// The tags that have arrived and not left yet.
    var present: [DetectedTag] = []

    /// The interval for checking whether a reader has returned.
    private static let period = Duration.milliseconds(500)

    mutating func run() async throws {
      while true {
        let reader = share.reader
        do {
          // On the reader's own thread, so that exchanges need not change threads.
          try await withTaskExecutorPreference(reader.taskExecutor) { try await poll() }
          return
        } catch let error as NFCError where error.isReaderFailure {
          guard try await resume(after: error, of: reader) else { return }
        }
      }
    }

    /// Polls, and ends without an error when `body` has had enough.
    private mutating func poll() async throws {
      let reader = share.reader
      // A reader that the program has opened is reached again by its own driver.
      let events = reader.events(
        for: share.technologies, pause: pause, survivesReaderLoss: addresses.isEmpty,
        onCardInUse: onCardInUse)
      for try await event in events {
        let goesOn: Bool
        switch event {
        case .arrived(let tag):
          present.append(tag)
          goesOn = try await report(.arrived(tag, reader))
        case .left(let tag):
          present.removeAll { $0.identifier == tag.identifier && $0.technology == tag.technology }
          goesOn = try await report(.left(tag, reader))
        case .readerLost(let error): goesOn = try await report(.lost(reader, error))
        case .readerReturned: goesOn = try await report(.back(reader))
        }
        guard goesOn else { return }
      }
    }

    private var addresses: [ReaderAddress] {
      readers.members.first { $0.reader === share.reader }?.addresses ?? []
    }

    /// Waits for a lost reader to return.
    ///
    /// - Returns: `false` if `body` has had enough.
    private mutating func resume(after error: NFCError, of lost: Reader) async throws -> Bool {
      let addresses = addresses
      for tag in present {
        guard try await report(.left(tag, lost)) else { return false }
      }
      present = []
      guard !addresses.isEmpty else { throw error }
      guard try await report(.lost(lost, error)) else { return false }
      await lost.close()
      let reader = try await reopen(addresses)
      guard readers.replace(lost, by: reader) else {
        await reader.close()
        throw CancellationError()
      }
      share = ReaderShare(reader: reader, technologies: share.technologies)
      return try await report(.back(reader))
    }

    private func reopen(_ addresses: [ReaderAddress]) async throws -> Reader {
      while true {
        try await Task.sleep(for: Self.period)
        for address in addresses {
          do {
            return try await Reader.open(address)
          } catch is NFCError {
            // The reader has not returned yet, or is not ready.
          }
        }
      }
    }

    private func report(_ event: ReadersEvent) async throws -> Bool {
      do {
        return try await body(event)
      } catch {
        throw BodyFailure(error: error)
      }
    }
  }
}

extension NFCError {
  /// Whether the reader is lost or cannot be used now, whatever the state of the others.
  package var isReaderFailure: Bool {
    (code == .readerUnavailable || code == .readerLost) && !isCardInUse
  }
}
