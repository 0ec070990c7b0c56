/// A tag that is connected through this package's reader: everything that does not depend on its kind.
protocol ConnectedTag: NDEFTag {
  var handle: TagHandle { get }

  /// Sends a command of the tag, in the form of its raw command: one exchange.
  func sendRaw(_ command: [UInt8], _ link: TagLink) throws -> [UInt8]
}

extension ConnectedTag {
  public var identifier: [UInt8] { handle.target.identifier }
  public var reader: Reader { handle.reader }
  public var technology: TagTechnology { handle.target.technology }
  public var isAvailable: Bool { get async { await handle.isAvailable } }

  public func connect() async throws { try await handle.connect() }
  public func isPresent() async throws -> Bool { try await handle.isPresent() }

  public func exclusively<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result {
    try await handle.performCommand { try body($0.sending(sendRaw)) }
  }

  /// Sends a command of the program.
  ///
  /// - Parameter timeout: the time limit; `nil` for the default of the tag's family.
  func transmit(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8] {
    try await handle.performCommand { try sendRaw(command, $0.allowing(timeout)) }
  }

  public func queryNDEFStatus() async throws -> NDEFStatus { try await handle.queryNDEFStatus() }
  public func readNDEFBytes() async throws -> [UInt8]? { try await handle.readNDEFBytes() }
  public func writeNDEFBytes(_ message: [UInt8], verify: Bool) async throws {
    try await handle.writeNDEFBytes(message, verify: verify)
  }
  public func formatNDEF(wipe: Bool) async throws { try await handle.formatNDEF(wipe: wipe) }
  public func makeReadOnly() async throws { try await handle.makeReadOnly() }
  public func readOnlyPlan() async throws -> ChangePlan {
    let steps = try await handle.readOnlyPlan().map(\.planned)
    let handle = handle
    return ChangePlan(
      for: self, steps, effects: steps.isEmpty ? [] : [.locksMemory],
      recovery: "request the lock again, which completes it",
      performing: { try await handle.makeReadOnly() })
  }
  public func discardCachedContent() { handle.discardCachedContent() }
}
