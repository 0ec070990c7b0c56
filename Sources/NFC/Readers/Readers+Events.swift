import NFCCore

/// What has happened to one of several readers, or in its field.
public enum ReadersEvent: Sendable {
  /// A tag has come.
  case arrived(DetectedTag, Reader)
  /// A tag that had come was not found any more, or its reader was lost: the very tag that has arrived.
  case left(DetectedTag, Reader)
  /// A reader was lost: unplugged, or its service has stopped. It is waited for.
  case lost(Reader, NFCError)
  /// A reader that was lost is back, and polls again.
  case back(Reader)
}

extension Readers {
  /// Polls all readers, and calls `body` for everything that happens, until it says that it has enough or the
  /// task is cancelled.
  ///
  /// The events of one reader come one after the other, on the reader's own thread; it polls on when `body` has
  /// returned, and is the program's own meanwhile. Readers do not wait for each other, so `body` may be called
  /// for several of them at the same time.
  ///
  /// A reader that is lost is opened again when it is back, by the address that stays the same (serial number,
  /// socket, port), if the group has opened it.
  ///
  /// - Parameters:
  ///   - options: what to look for, as in ``firstTag(polling:within:where:)``.
  ///   - pause: between two rounds in which nothing has happened.
  ///   - onCardInUse: is called, once each time, when another program has the card that is there; polling goes on
  ///     until it is free or another comes.
  ///   - body: whether to go on.
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
            // What the caller's own code throws is not the reader's, whatever it is.
            throw failure.error
          } catch let error as NFCError {
            return error
          }
        }
      }
      // One that ends without an error has enough: then all have. A reader that is lost for good leaves the
      // others, if there are any.
      defer { group.cancelAll() }
      var problem: NFCError?
      while let outcome = try await group.next() {
        guard let error = outcome else { return }
        problem = error
      }
      if let problem { throw problem }
    }
  }

  /// Marks what the caller's own code has thrown.
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
    /// The tags that have come and not left yet.
    var present: [DetectedTag] = []

    /// How soon a reader that is back is noticed.
    private static let period = Duration.milliseconds(500)

    mutating func run() async throws {
      while true {
        let reader = share.reader
        do {
          // On the reader's own thread, which it then need not change for each exchange.
          try await withTaskExecutorPreference(reader.taskExecutor) { try await poll() }
          return
        } catch let error as NFCError where error.isReaderFailure {
          guard try await goOn(after: error, of: reader) else { return }
        }
      }
    }

    /// Ends without an error when `body` has enough.
    private mutating func poll() async throws {
      let reader = share.reader
      // A reader that the program has opened is left to its driver to reach again.
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

    /// Waits for a reader that was lost to come back.
    ///
    /// - Returns: `false` if `body` has enough.
    private mutating func goOn(after error: NFCError, of lost: Reader) async throws -> Bool {
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
            // It is not back yet, or not ready.
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
  /// The reader is lost or cannot be used now, whatever the others do.
  package var isReaderFailure: Bool {
    (code == .readerUnavailable || code == .readerLost) && !isCardInUse
  }
}
