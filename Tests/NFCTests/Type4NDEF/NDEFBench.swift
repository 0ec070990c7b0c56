import NFC
import Testing
import VirtualNFC

/// A tag whose NDEF message is read and written through the real libnfc.
struct NDEFBench: Sendable {
  let tag: VirtualTag
  let bench: Bench
  let options: PollingOptions

  init(
    _ tag: VirtualTag, _ options: PollingOptions = .iso14443,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    self.tag = tag
    self.options = options
    bench = try await Bench(tag, sourceLocation: sourceLocation)
  }

  /// The tag, found again and connected: nothing is known about it.
  func connected() async throws -> any NDEFTag {
    try #require(try await bench.tag(options).ndef)
  }

  /// Host commands of `body`, all of them commands to the tag.
  func commands(_ body: () async throws -> Void) async throws -> Int {
    try await bench.counting(body).commands
  }

  /// Tears the tag away before every exchange of a write, and looks what it holds when it is back.
  ///
  /// - Returns: the number of exchanges.
  @discardableResult
  func tearEveryExchange(from old: [UInt8], to new: [UInt8]) async throws -> Int {
    bench.virtual.setFaults([])
    bench.field.place(tag)
    try await connected().writeNDEFBytes(old, verify: false)
    let memory = tag.memory
    let whole = try await connected()
    let count = try await bench.counting {
      try await whole.writeNDEFBytes(new, verify: false)
    }.exchanges
    for moment in 0..<count {
      tag.memory = memory
      let torn = try await connected()
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      let error = await #expect(throws: NFCError.self, "torn at \(moment) of \(count)") {
        try await torn.writeNDEFBytes(new, verify: false)
      }
      #expect(
        error?.code == .tagConnectionLost,
        "\(tag.name) torn at \(moment) of \(count): \(error.map { "\($0)" } ?? "no error")")
      bench.virtual.setFaults([])
      bench.field.place(tag)
      let again = try await connected()
      let found = try await again.readNDEFBytes() ?? []
      #expect(found.isEmpty || found == old || found == new, "torn at \(moment) of \(count)")
      // A write begins with a question to the tag: nothing is in doubt yet.
      if moment == 0 { #expect(error?.recovery == nil, "torn at the first of \(count)") }
      // Whoever has lost the old message is told.
      if found != old {
        #expect(error?.recovery != nil, "torn at \(moment) of \(count)")
      }
      try await again.writeNDEFBytes(new, verify: true)
    }
    return count
  }

  /// Expects an error, and that nothing is written.
  func expectRefusal(
    _ code: NFCError.Code, at place: NFCError.Place? = nil,
    _ body: (any NDEFTag) async throws -> Void
  ) async throws {
    let memory = tag.memory
    let ndef = try await connected()
    let error = await #expect(throws: NFCError.self) { try await body(ndef) }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "no error")")
    if let place { #expect(error?.place == place) }
    #expect(tag.memory == memory)
  }
}

/// Bytes that stand for a message: mappings do not look into it.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 31) &+ seed }
}
