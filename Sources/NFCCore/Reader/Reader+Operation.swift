import Synchronization

extension Reader {
  /// One operation of the driver, and whether its task has been cancelled.
  final class Operation: Sendable {
    private struct State {
      var isCancelled = false
      /// How many sections that a cancellation does not stop are open, one within the other.
      var sections = 0
      /// Whether such a section has failed: this is reported to the program, even if it was
      /// cancelled.
      var hasFailedInSection = false
      /// Whether a command which changes the tag was sent.
      var hasSentChange = false
      /// Whether the tag has carried out such a command, or may have: its answer was lost.
      var mayHoldChange = false
    }

    private let state = Mutex(State())
    /// What makes the reader act as a card, if this is one of its operations.
    let emulation: EmulationToken?

    init(_ emulation: EmulationToken? = nil) { self.emulation = emulation }

    /// Whether an error results from the cancellation.
    var isCancelled: Bool {
      state.withLock { $0.isCancelled && !$0.hasFailedInSection }
    }

    /// Whether a command that changes the tag was sent, whatever has become of it.
    var hasSentChange: Bool { state.withLock { $0.hasSentChange } }
    /// Whether the tag has carried out such a command, or may have.
    var mayHoldChange: Bool { state.withLock { $0.mayHoldChange } }

    /// See ``TagLink/changing(_:isRefusal:_:)``.
    func changing<Result>(
      isRefusal: (Result) -> Bool, _ send: () throws -> Result
    ) throws -> Result {
      let hadSentChange = state.withLock { state in
        defer { state.hasSentChange = true }
        return state.hasSentChange
      }
      do {
        let result = try send()
        if !isRefusal(result) { state.withLock { $0.mayHoldChange = true } }
        return result
      } catch {
        let failure = error as? NFCError
        if failure?.cause == .unsupportedByReader {
          // The reader has sent nothing.
          state.withLock { $0.hasSentChange = hadSentChange }
        } else if failure?.group != .refusal {
          state.withLock { $0.mayHoldChange = true }
        }
        throw error
      }
    }

    /// The tag has carried out a command that it seemed to refuse, or may have.
    func setMayHoldChange() {
      state.withLock {
        $0.hasSentChange = true
        $0.mayHoldChange = true
      }
    }

    /// See ``TagLink/changesWereTakenBack()``.
    func changesWereTakenBack() {
      state.withLock {
        $0.hasSentChange = false
        $0.mayHoldChange = false
      }
    }

    /// Returns whether the radio is to be stopped.
    func cancel() -> Bool {
      state.withLock {
        $0.isCancelled = true
        return $0.sections == 0
      }
    }

    func checkCancellation() throws {
      if state.withLock({ $0.isCancelled && $0.sections == 0 }) { throw CancellationError() }
    }

    /// See ``TagLink/uninterrupted(_:)``.
    func uninterrupted<Result>(_ body: () throws -> Result) throws -> Result {
      try state.withLock {
        if $0.isCancelled, $0.sections == 0 { throw CancellationError() }
        $0.sections += 1
      }
      UninterruptedSections.begin()
      defer {
        state.withLock { $0.sections -= 1 }
        UninterruptedSections.end()
      }
      do {
        return try body()
      } catch {
        state.withLock { $0.hasFailedInSection = true }
        throw error
      }
    }
  }
}
