import NFC
import VirtualNFC

/// A virtual ISO 15693 tag on a virtual PC/SC reader.
public struct VicinityBench: Sendable {
  public let field = VirtualField()
  public let virtual: VirtualPCSCReader
  public let reader: Reader
  public let placed: VirtualTag

  public init(_ tag: VirtualTag) async throws {
    ReplayedReaders.begin()
    field.place(tag)
    let virtual = VirtualPCSCReader(field)
    self.virtual = virtual
    placed = tag
    reader = try await Reader.open(over: { virtual.service() })
  }

  /// Returns the tag after it was found and connected.
  public func found() async throws -> DetectedTag {
    guard let found = try await reader.tagsInField().first else {
      throw NFCError(.noTag, "there is no tag in the field")
    }
    try await found.connect()
    return found
  }

  public func tag() async throws -> any ISO15693Tag {
    guard case .iso15693(let tag) = try await found() else {
      throw NFCError(.wrongTag, "no ISO 15693 tag")
    }
    return tag
  }

  /// Returns the tag after the field was off, which resets the tag's state.
  public func again() async throws -> any ISO15693Tag {
    virtual.setFaults([])
    field.remove(placed)
    _ = try await reader.tagsInField()
    field.place(placed)
    return try await tag()
  }

  /// Removes the tag at an exchange of `body`. Returns `false` if `body` has no such exchange.
  public func tearing(at exchange: Int, _ body: () async throws -> Void) async -> Bool {
    virtual.setFaults([VirtualPCSCReader.Fault(.tagLeaves, at: exchange)])
    do {
      try await body()
      return false
    } catch {
      return true
    }
  }
}
