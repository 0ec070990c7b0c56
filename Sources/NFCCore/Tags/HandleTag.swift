/// A tag over a reader of ours: everything that does not depend on its kind.
protocol HandleTag: NDEFTag {
  var handle: TagHandle { get }
}

extension HandleTag {
  public var identifier: [UInt8] { handle.target.identifier }
  public var technology: TagTechnology { handle.target.technology }
  public var isAvailable: Bool { get async { await handle.isAvailable } }

  public func connect() async throws { try await handle.connect() }

  public func queryNDEFStatus() async throws -> NDEFStatus { try await handle.queryNDEFStatus() }
  public func readNDEFBytes() async throws -> [UInt8]? { try await handle.readNDEFBytes() }
  public func writeNDEFBytes(_ message: [UInt8], verify: Bool) async throws {
    try await handle.writeNDEFBytes(message, verify: verify)
  }
  public func formatNDEF() async throws { try await handle.formatNDEF() }
  public func writeLock() async throws { try await handle.writeLock() }
}
