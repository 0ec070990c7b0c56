import NFC
import Testing
import VirtualNFC

/// Tears one write over the real libnfc at each of its exchanges: a tag is taken away, put back, read
/// and written again.
struct TearBench {
  let tag: VirtualTag
  let old: [UInt8]
  let new: [UInt8]

  init(_ tag: VirtualTag, old: Int, new: Int) {
    self.tag = tag
    self.old = message(old)
    self.new = message(new, seed: 100)
  }

  func run(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let bench = try await Bench(tag)
    let ndef = try #require(try await bench.tag().ndef)
    try await ndef.writeNDEFBytes(old, verify: false)
    let image = tag.memory
    // Counted on a tag that has just been found, as those are that are torn away.
    let fresh = try #require(try await bench.tag().ndef)
    let count = try await bench.counting {
      try await fresh.writeNDEFBytes(new, verify: false)
    }.exchanges
    #expect(try await fresh.readNDEFBytes() ?? [] == new, sourceLocation: sourceLocation)
    for exchange in 0..<count {
      tag.memory = image
      let torn = try #require(try await bench.tag().ndef)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      let error = await #expect(
        throws: NFCError.self, "\(old.count) to \(new.count), exchange \(exchange)",
        sourceLocation: sourceLocation
      ) {
        try await torn.writeNDEFBytes(new, verify: false)
      }
      #expect(error?.code == .tagConnectionLost, sourceLocation: sourceLocation)
      bench.virtual.setFaults([])
      bench.field.place(tag)
      let back = try #require(try await bench.tag().ndef)
      let found = try await back.readNDEFBytes() ?? []
      #expect(
        found == old || found == [] || found == new,
        "\(old.count) to \(new.count), exchange \(exchange): \(found.count) bytes",
        sourceLocation: sourceLocation)
      try await back.writeNDEFBytes(new, verify: false)
      #expect(
        try await back.readNDEFBytes() ?? [] == new, "\(old.count) to \(new.count), \(exchange)",
        sourceLocation: sourceLocation)
    }
    await bench.reader.close()
  }
}
