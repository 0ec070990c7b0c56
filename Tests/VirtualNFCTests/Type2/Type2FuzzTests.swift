import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests any frames in any order: a chip never traps, and bits that can only be set are never cleared.
@Suite struct Type2FuzzTests {
  /// The bytes of a chip's memory in which a reader can never clear a bit, from the data sheets.
  static func oneTimeBytes(_ name: String) -> [Int] {
    let lockPage: Int? =
      switch name {
      case "ntag212", "ultralight-ev1-128": 0x24
      case "ntag203", "ultralight-c", "ntag213": 0x28
      case "ntag215": 0x82
      case "ntag216", "ntag-i2c-1k": 0xE2
      case "ntag-i2c-2k": 0x1E0
      default: nil
      }
    let isOld = name == "ntag203" || name == "ultralight-c"
    let locks = lockPage.map { page in (0..<(isOld ? 2 : 3)).map { page * 4 + $0 } } ?? []
    return [10, 11, 12, 13, 14, 15] + locks
  }

  static let codes: [UInt8] = [
    0x30, 0x3A, 0xA2, 0xA2, 0xA2, 0xA0, 0x60, 0x39, 0xA5, 0x3E, 0x3C, 0x1B, 0x1A, 0xAF, 0x4B, 0xC2,
    0x50, 0x26, 0x52, 0x93,
  ]
  static let argumentCounts = [0, 1, 1, 2, 4, 5, 5, 5, 15, 16, 20]

  static func frame(_ generator: inout SplitMix64, pages: Int) -> RadioFrame {
    let random = generator.bytes(4)
    switch random[0] % 16 {
    case 0:
      // Random bytes without check bytes.
      let bytes = generator.bytes(Int(random[1] % 20))
      return RadioFrame(
        bytes, modulation: random[2] % 8 == 0 ? .typeB : .typeA,
        bitsInLastByte: Int(random[3] % 10),
        parity: random[2] % 8 == 1 ? bytes.map { $0 & 1 == 1 } : nil)
    case 1:
      return .typeA(generator.bytes(Int(random[1] % 20)))
    default:
      let count = argumentCounts[Int(random[1]) % argumentCounts.count]
      var bytes = [codes[Int(random[2]) % codes.count]] + generator.bytes(count)
      // Most addresses are valid, and many have special rules.
      if count > 0 {
        bytes[1] = random[3] % 4 == 0 ? random[3] >> 4 : UInt8(Int(bytes[1]) % min(pages, 256))
      }
      return .typeA(bytes)
    }
  }

  @Test(arguments: Type2Chips.all.map(\.name), [1, 2, 3] as [UInt8])
  func anyFrames(name: String, seed: UInt8) throws {
    var bench = try Type2Bench(named: name)
    var generator = SplitMix64(seed: [seed] + Array(name.utf8))
    let oneTime = Self.oneTimeBytes(name)
    let size = bench.chip.memory.count
    let identity = bench.chip.memory.prefix(9)
    var previous = bench.chip.memory
    var answered = 0
    for _ in 0..<600 {
      let answer = bench.chip.receive(Self.frame(&generator, pages: size / 4))
      let isMute = answer?.bitsInLastByte == 4 && answer?.bytes != [0x0A] || answer == nil
      if answer != nil { answered += 1 }
      if isMute, generator.next() % 4 != 0 { bench.ensureSelected() }
      if generator.next() % 64 == 0 {
        bench.chip.powerOff()
        if generator.next() % 4 != 0 { bench.chip.powerOn() }
        bench.select()
      }
      let memory = bench.chip.memory
      try #require(memory.count == size)
      for index in oneTime {
        try #require(memory[index] & previous[index] == previous[index], "byte \(index)")
      }
      try #require(memory.prefix(9) == identity)
      previous = memory
    }
    // The test is meaningful only if the chip was awake for much of it. A plain Ultralight is silent
    // where the others refuse.
    #expect(answered > (name == "ultralight" ? 50 : 150))
  }

  /// With any content of the memory, no frame traps.
  @Test(arguments: Type2Chips.all.map(\.name))
  func anyMemory(name: String) throws {
    var generator = SplitMix64(seed: Array(name.utf8))
    for _ in 0..<8 {
      var bench = try Type2Bench(named: name)
      bench.chip.memory = generator.bytes(bench.chip.memory.count)
      bench.chip.powerOff()
      bench.chip.powerOn()
      for page in stride(from: 0, through: 255, by: 5) {
        bench.ensureSelected()
        let answer = bench.send([0x30, UInt8(page)])
        #expect(answer.count == 32 || answer == "N0", "\(answer)")
        bench.ensureSelected()
        let write = bench.send([0xA2, UInt8(page), 1, 2, 3, 4])
        #expect(write == "A" || write == "N0", "\(write)")
        bench.ensureSelected()
        _ = bench.send([0x3A, 0, UInt8(page)])
      }
    }
  }
}
