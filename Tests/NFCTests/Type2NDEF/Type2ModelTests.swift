import SwiftNFCSeededRandom
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// Random sequences of everything that can be done with a tag, against a simple model of what its memory may be:
/// a read gives what was written last (or nothing, or what was there before, after a tear); bits that can only be
/// set are set by a lock or a format only; what no procedure owns stays as it is.
@Suite struct Type2ModelTests {
  struct Chip: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let record: Type2Chip
    let blank: any VirtualChip
  }

  static let chips = [
    Chip(testDescription: "Ultralight", record: .ultralight, blank: MIFAREUltralight()),
    Chip(testDescription: "Ultralight C", record: .ultralightC, blank: MIFAREUltralightC()),
    Chip(
      testDescription: "Ultralight EV1", record: .ultralightEV1,
      blank: MIFAREUltralightEV1(.mf0ul11)),
    Chip(
      testDescription: "Ultralight EV1, 128 bytes", record: .ultralightEV1Large,
      blank: MIFAREUltralightEV1(.mf0ul21, formatted: false)),
    Chip(testDescription: "NTAG203", record: .ntag203, blank: NTAG203()),
    Chip(testDescription: "NTAG210", record: .ntag210, blank: NTAG21x(.ntag210)),
    Chip(testDescription: "NTAG213", record: .ntag213, blank: NTAG21x(.ntag213)),
    Chip(testDescription: "NTAG215", record: .ntag215, blank: NTAG21x(.ntag215)),
    Chip(testDescription: "NTAG216", record: .ntag216, blank: NTAG21x(.ntag216)),
    Chip(testDescription: "NTAG I2C 1K", record: .ntagI2C1K, blank: NTAGI2C(.nt3h1101)),
    Chip(testDescription: "NTAG I2C 2K", record: .ntagI2C2K, blank: NTAGI2C(.nt3h1201)),
  ]

  @Test(arguments: chips) func randomSequences(_ chip: Chip) throws {
    for seed in 0..<30 {
      var run = Run(chip, seed: UInt64(seed))
      for _ in 0..<14 { try run.step() }
    }
  }

  /// One sequence.
  private struct Run {
    private let record: Type2Chip
    private var driver: ChipDriver
    private var mapping: Type2Mapping
    private var random: SplitMix64
    private let seed: UInt64
    /// What a read may give; `nil` for a tag that is not formatted or is broken.
    private var messages: Set<[UInt8]>?
    private var done: [String] = []

    init(_ chip: Chip, seed: UInt64) {
      record = chip.record
      driver = ChipDriver(chip.blank)
      mapping = Type2Mapping()
      random = SplitMix64(seed: seed &* 0x9E37 &+ 1)
      self.seed = seed
      var first = Type2Mapping()
      do {
        messages = [try first.read(ChipDriver(chip.blank).link) ?? []]
      } catch {
        messages = nil
      }
    }

    private enum Operation: String, CaseIterable {
      case status, read, read2, write, write2, write3, erase, format, lock, leave, wired, broken
    }

    mutating func step() throws {
      let operation = Operation.allCases.randomElement(using: &random) ?? .read
      let before = driver.chip.memory
      // Some are torn; a tear that comes too late does nothing.
      let tear = Int.random(in: 0..<4, using: &random) == 0
      let torn: ChipDriver? =
        tear ? ChipDriver(driver.chip, tear: Int.random(in: 0..<12, using: &random)) : nil
      let active = torn ?? driver
      if torn != nil { mapping = Type2Mapping() }
      mapping.beginCall()
      done.append(operation.rawValue + (tear ? " torn" : ""))
      var mayLock = false
      var mayFormat = false
      active.asked = []
      do {
        switch operation {
        case .status: _ = try mapping.status(active.link)
        case .read, .read2: try check(mapping.read(active.link) ?? [])
        case .write, .write2, .write3:
          let status = try mapping.statusForWriting(active.link)
          let length = Int.random(in: 0...max(0, min(status.capacity, 300)), using: &random)
          try write(message(length, seed: UInt8.random(in: 1...250, using: &random)), active)
        case .erase: try write([], active)
        case .format:
          mayFormat = true
          active.asked = [.oneTimeBits]
          messages = nil
          try mapping.format(wipe: true, active.link)
          messages = [[]]
        case .lock:
          mayLock = Int.random(in: 0..<3, using: &random) == 0
          if mayLock {
            active.asked = [.lockBits, .oneTimeBits]
            try mapping.lock(active.link)
          }
        case .leave:
          mapping = Type2Mapping()
          driver = ChipDriver(driver.chip)
          return
        case .wired:
          guard record.hasWiredSide, messages != nil else { return }
          // The host writes a message of its own, while the tag is connected.
          let new = message(40, seed: UInt8.random(in: 1...250, using: &random))
          driver.chip.memory.replaceSubrange(16..<59, with: [0x03, 40] + new + [0xFE])
          messages = [new]
          return
        case .broken:
          guard isOpen else { return }
          driver.chip.memory.replaceSubrange(16..<20, with: [0xFD, 0xFF, 0xFF, 0xFE])
          mapping = Type2Mapping()
          messages = nil
          return
        }
      } catch let error as NFCError {
        mapping = Type2Mapping()
        if error.code != .tagConnectionLost, torn == nil { try expectRefused(operation, before) }
      }
      if let torn {
        driver = ChipDriver(torn.chip)
        mapping = Type2Mapping()
      }
      expectBits(from: before, mayLock: mayLock, mayFormat: mayFormat)
    }

    private mutating func write(_ message: [UInt8], _ active: ChipDriver) throws {
      let old = messages
      if let old { messages = old.union([[], message]) }
      try mapping.checkedWrite(message, verify: false, active.link)
      messages = [message]
      // What the tag holds, looked at by somebody else.
      var reader = Type2Mapping()
      try check(reader.read(ChipDriver(active.chip).link) ?? [])
    }

    private func check(_ found: [UInt8]) throws {
      guard let messages else { return }
      #expect(
        messages.contains(found),
        "\(record.name), seed \(seed): \(done.joined(separator: ", "))")
    }

    /// A refusal leaves everything as it was.
    private mutating func expectRefused(_ operation: Operation, _ before: [UInt8]) throws {
      guard [.write, .write2, .write3, .erase].contains(operation) else { return }
      #expect(
        driver.chip.memory == before,
        "\(record.name), seed \(seed): \(done.joined(separator: ", "))")
    }

    /// Whether the first page of the message can be written.
    private var isOpen: Bool {
      let memory = driver.chip.memory
      return messages != nil && memory[10] & 0x10 == 0 && memory[15] == 0
    }

    private func expectBits(from before: [UInt8], mayLock: Bool, mayFormat: Bool) {
      let after = driver.chip.memory
      let names = "\(record.name), seed \(seed): \(done.joined(separator: ", "))"
      for area in record.pages?.areas ?? [] {
        let range =
          area.pages.lowerBound
          * 4..<min(
            (area.pages.upperBound + 1) * 4, after.count)
        let isSame = before[range].elementsEqual(after[range])
        switch area.use {
        case .user: break
        case .identifierAndLocks, .locks: #expect(isSame || mayLock, "\(names)")
        case .oneTime: #expect(isSame || mayLock || mayFormat, "\(names)")
        case .counter, .configuration, .secret, .key, .reserved: #expect(isSame, "\(names)")
        }
      }
    }
  }
}
