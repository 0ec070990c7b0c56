import NFC
import Testing
import VirtualNFC

/// A tag is taken away at every exchange of a write; what it then holds is the old message, none or the
/// new one, and it can be written again.
@Suite struct Type2TearTests {
  struct Chip: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lengths: [Int]
    let blank: @Sendable () throws -> VirtualTag
  }

  static let chips = [
    Chip(testDescription: "Ultralight", lengths: [0, 1, 13, 46]) { .ultralight() },
    Chip(testDescription: "Ultralight EV1", lengths: [0, 1, 13, 46]) { .ultralightEV1() },
    Chip(testDescription: "Ultralight C", lengths: [0, 1, 13, 137]) { .ultralightC() },
    Chip(testDescription: "NTAG213", lengths: [0, 1, 13, 137]) { .ntag213() },
    Chip(testDescription: "NTAG203", lengths: [0, 137]) { .ntag203() },
    Chip(testDescription: "NTAG216", lengths: [0, 1, 13, 137, 254, 255]) { .ntag216() },
    Chip(testDescription: "NTAG I2C 1K", lengths: [0, 13, 254, 255]) { .ntagI2C1K() },
  ]

  @Test(arguments: chips) func tearsAtEveryExchange(_ chip: Chip) async throws {
    for old in chip.lengths {
      for new in chip.lengths where old != new || old > 0 {
        try await TearBench(chip.blank(), old: old, new: new).run()
      }
    }
  }

  @Test(arguments: [0, 137, 868]) func tearsALongMessage(_ old: Int) async throws {
    try await TearBench(.ntag216(), old: old, new: 868).run()
  }

  /// The length's form and the pages that it lies in: with NULL TLVs in front, tag, length and the rest
  /// of a long length lie in any page.
  @Test(arguments: 0..<4) func tearsWhereverTheLengthLies(_ padding: Int) async throws {
    for (old, new) in [(13, 255), (255, 13), (254, 255), (255, 256), (256, 254)] {
      let tag = VirtualTag.ntag215()
      var memory = tag.memory
      let area = [UInt8](repeating: 0, count: padding) + [0x03, 0x00, 0xFE]
      memory.replaceSubrange(16..<(16 + area.count), with: area)
      tag.memory = memory
      try await TearBench(tag, old: old, new: new).run()
    }
  }
}

/// Tears one write at each of its exchanges.
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
    // From here on, counted from the first exchange of a write on a tag that has just been found.
    let fresh = try #require(try await bench.tag().ndef)
    let count = try await bench.counting {
      try await fresh.writeNDEFBytes(new, verify: false)
    }.exchanges
    #expect(try await fresh.readNDEFBytes() ?? [] == new, sourceLocation: sourceLocation)
    for exchange in 0..<count {
      tag.memory = image
      let torn = try #require(try await bench.tag().ndef)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      await #expect(
        throws: NFCError.self, "\(old.count) to \(new.count), exchange \(exchange)",
        sourceLocation: sourceLocation
      ) {
        try await torn.writeNDEFBytes(new, verify: false)
      }
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
