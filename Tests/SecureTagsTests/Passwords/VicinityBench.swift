import NFC
import SecureTags
import Testing
import VirtualNFC

/// A virtual tag on a virtual PC/SC reader.
struct VicinityBench: Sendable {
  let field = VirtualField()
  let virtual: VirtualPCSCReader
  let reader: Reader
  let placed: VirtualTag

  init(_ tag: VirtualTag) async throws {
    field.place(tag)
    let virtual = VirtualPCSCReader(field)
    self.virtual = virtual
    placed = tag
    reader = try await Reader.open(over: { virtual.service() })
  }

  /// The tag found and connected.
  func found() async throws -> DetectedTag {
    let found = try #require(try await reader.tagsInField().first)
    try await found.connect()
    return found
  }

  func tag() async throws -> any ISO15693Tag {
    guard case .iso15693(let tag) = try await found() else {
      throw NFCError(.wrongTag, "no ISO 15693 tag")
    }
    return tag
  }

  /// The tag after the field was off, which ends what it knew.
  func again() async throws -> any ISO15693Tag {
    virtual.setFaults([])
    field.remove(placed)
    _ = try await reader.tagsInField()
    field.place(placed)
    return try await tag()
  }

  /// Has the tag leave at an exchange of `body`; `false` if it has no such exchange.
  func tearing(at exchange: Int, _ body: () async throws -> Void) async -> Bool {
    virtual.setFaults([VirtualPCSCReader.Fault(.tagLeaves, at: exchange)])
    do {
      try await body()
      return false
    } catch {
      return true
    }
  }
}

/// Runs `body` in a task that is cancelled at some moment.
func cancelling(after yields: Int, _ body: @escaping @Sendable () async throws -> Void) async {
  let task = Task { try await body() }
  for _ in 0..<yields { await Task.yield() }
  task.cancel()
  _ = await task.result
}
