import SwiftNFCCore

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
  case readerLost(Reader, NFCError)
  /// A lost reader has returned, or a missing one has come, and polls.
  case readerReturned(Reader)
  /// A named reader could not be opened, with the reason. It comes first, and the group waits for the reader; see
  /// ``Readers/MissingReaderBehavior/wait``.
  case readerMissing(ReaderAddress, NFCError)
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
  /// does not change (serial number, socket, port). A reader that was missing when the group was opened is opened
  /// when it comes.
  ///
  /// - Parameters:
  ///   - options: the technologies to look for, as in ``firstTag(polling:within:where:)``.
  ///   - period: the time from one look into the field to the next, between which the carrier is off, as in
  ///     ``Reader/events(polling:period:survivesReaderLoss:onCardInUse:)``; `nil` polls all the time.
  ///   - onCardInUse: called once each time that another program uses the card that is present;
  ///     polling continues until that card is free or another arrives.
  ///   - body: handles an event and returns whether to continue.
  /// - Throws: ``NFCError/Code/unsupported`` as ``firstTag(polling:within:where:)``; ``NFCError/Code/readerLost``
  ///   if no reader is left that could come back; what `body` throws.
  public func forEachEvent(
    polling options: PollingOptions = .all, period: Duration? = nil,
    onCardInUse: (@Sendable (NFCError) -> Void)? = nil,
    _ body: @escaping @Sendable (ReadersEvent) async throws -> Bool
  ) async throws {
    try check(options)
    let shares = shares(of: options.technologies)
    let missing = missingReaders
    guard !shares.isEmpty || !missing.isEmpty else {
      throw Self.refusal(options.technologies, all)
    }
    try await withThrowingTaskGroup(of: NFCError?.self) { group in
      @Sendable func poll(_ share: ReaderShare) async throws {
        var poll = Poll(
          readers: self, share: share, period: period, onCardInUse: onCardInUse, body: body)
        try await poll.run()
      }
      for share in shares {
        group.addTask { try await Self.errorOfReader { try await poll(share) } }
      }
      for absent in missing {
        group.addTask {
          try await Self.errorOfReader {
            let share = try await self.share(of: options.technologies, after: absent, body)
            if let share { try await poll(share) }
          }
        }
      }
      // A reader that ends without an error has returned false, and then all have. A reader that is
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

  /// Runs the polling of a reader, and returns the error that ends it; `nil` if the caller has returned false.
  private static func errorOfReader(
    _ poll: @Sendable () async throws -> Void
  ) async throws -> NFCError? {
    do {
      try await poll()
      return nil
    } catch let failure as BodyFailure {
      // An error from the caller's own code does not belong to the reader, whatever it is.
      throw failure.error
    } catch let error as NFCError {
      return error
    }
  }

  /// Waits for a missing reader, and adds it to the group.
  ///
  /// - Returns: the technologies that it polls; `nil` if `body` has returned false.
  /// - Throws: `unsupported` if it supports none of them.
  private func share(
    of technologies: [TagTechnology], after absent: MissingReader,
    _ body: @Sendable (ReadersEvent) async throws -> Bool
  ) async throws -> ReaderShare? {
    guard try await Self.report(.readerMissing(absent.address, absent.error), to: body) else {
      return nil
    }
    let reader = try await Self.openWhenPresent([absent.address])
    let member = try await Member(reader, at: absent.address)
    guard let share = add(member, at: absent.address, polling: technologies) else {
      await reader.close()
      throw CancellationError()
    }
    guard !share.isEmpty else { throw Self.refusal(technologies, [reader]) }
    guard try await Self.report(.readerReturned(reader), to: body) else { return nil }
    return ReaderShare(reader: reader, technologies: share)
  }

  /// The interval for checking whether a reader is there.
  private static let period = Duration.milliseconds(500)

  /// Waits until a reader can be opened at one of its addresses.
  private static func openWhenPresent(_ addresses: [ReaderAddress]) async throws -> Reader {
    while true {
      try await Task.sleep(for: period)
      for address in addresses {
        do {
          return try await Reader.open(address)
        } catch is NFCError {
          // The reader is not there yet, or is not ready.
        }
      }
    }
  }

  /// Marks an error from the caller's own code.
  private struct BodyFailure: Error {
    let error: any Error
  }

  private static func report(
    _ event: ReadersEvent, to body: @Sendable (ReadersEvent) async throws -> Bool
  ) async throws -> Bool {
    do {
      return try await body(event)
    } catch {
      throw BodyFailure(error: error)
    }
  }

  /// The polling of one reader, from one loss to the next.
  private struct Poll {
    let readers: Readers
    var share: ReaderShare
    let period: Duration?
    let onCardInUse: (@Sendable (NFCError) -> Void)?
    let body: @Sendable (ReadersEvent) async throws -> Bool
    /// The tags that have arrived and not left yet.
    var present: [DetectedTag] = []

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

    /// Polls, and ends without an error when `body` has returned false.
    private mutating func poll() async throws {
      let reader = share.reader
      // A reader that the program has opened is reached again by its own driver.
      let events = reader.events(
        for: share.technologies, period: period, survivesReaderLoss: addresses.isEmpty,
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
        case .readerLost(let error): goesOn = try await report(.readerLost(reader, error))
        case .readerReturned: goesOn = try await report(.readerReturned(reader))
        }
        guard goesOn else { return }
      }
    }

    private var addresses: [ReaderAddress] {
      readers.members.first { $0.reader === share.reader }?.addresses ?? []
    }

    /// Waits for a lost reader to return.
    ///
    /// - Returns: `false` if `body` has returned false.
    private mutating func resume(after error: NFCError, of lost: Reader) async throws -> Bool {
      let addresses = addresses
      for tag in present {
        guard try await report(.left(tag, lost)) else { return false }
      }
      present = []
      guard !addresses.isEmpty else { throw error }
      guard try await report(.readerLost(lost, error)) else { return false }
      await lost.close()
      let reader = try await Readers.openWhenPresent(addresses)
      guard readers.replace(lost, by: reader) else {
        await reader.close()
        throw CancellationError()
      }
      share = ReaderShare(reader: reader, technologies: share.technologies)
      return try await report(.readerReturned(reader))
    }

    private func report(_ event: ReadersEvent) async throws -> Bool {
      try await Readers.report(event, to: body)
    }
  }
}

extension NFCError {
  /// Whether the reader is lost or cannot be used now, whatever the state of the others.
  package var isReaderFailure: Bool {
    (code == .readerUnavailable || code == .readerLost) && !isCardInUse
  }
}
