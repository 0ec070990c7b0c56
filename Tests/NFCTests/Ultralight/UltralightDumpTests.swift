import NFC
import TestSupport
import Testing
import VirtualNFC

@Suite(.replayed) struct UltralightDumpTests {
  static func commands(_ bench: Bench) async throws -> UltralightCommands {
    let tag = try await bench.tag(.iso14443).miFare
    return try #require(tag.ultralight)
  }

  static func chip(_ name: String) -> VirtualTag {
    switch name {
    case "ultralight": .ultralight()
    case "ultralight-c": .ultralightC()
    case "ultralight-ev1": .ultralightEV1()
    case "ultralight-ev1-128": .ultralightEV1With128Bytes()
    case "ntag203": .ntag203()
    case "ntag210": .ntag210()
    case "ntag212": .ntag212()
    case "ntag213": .ntag213()
    case "ntag215": .ntag215()
    default: .ntag216()
    }
  }

  /// The bytes as they are, but for the last pages: password and acknowledge, or keys, cannot be read.
  ///
  /// READ carries 4 pages, FAST_READ 65 over this reader. Knowing the chip is GET_VERSION; a chip without
  /// it falls silent, is woken, and is asked one or two things more.
  @Test(arguments: [
    (chip: "ultralight", size: 64, secrets: 0, exchanges: 4), ("ultralight-c", 176, 0, 11),
    ("ultralight-ev1", 80, 8, 1), ("ultralight-ev1-128", 164, 8, 1), ("ntag203", 168, 0, 11),
    ("ntag210", 80, 8, 1), ("ntag212", 164, 8, 1), ("ntag213", 180, 8, 1),
    ("ntag215", 540, 8, 3), ("ntag216", 924, 8, 4),
  ])
  func dumps(chip: String, size: Int, secrets: Int, exchanges: Int) async throws {
    let tag = Self.chip(chip)
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    let first = try await bench.counting { try await ultralight.dump() }
    #expect(first.result.bytes.count == size)
    #expect(first.result.isComplete)
    #expect(
      first.result.bytes
        == Array(tag.memory.prefix(size - secrets)) + [UInt8](repeating: 0, count: secrets))
    let second = try await bench.counting { try await ultralight.dump() }
    #expect(second.result == first.result)
    #expect(second.exchanges == exchanges)
    if secrets > 0 { #expect(first.exchanges == exchanges + 1) }
  }

  @Test func readsPages() async throws {
    let tag = VirtualTag.ntag216()
    tag.memory.replaceSubrange(16..<904, with: (0..<888).map { UInt8(truncatingIfNeeded: $0) })
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    #expect(try await ultralight.readPages(4..<226) == Array(tag.memory[16..<904]))
    let (bytes, _, exchanges) = try await bench.counting {
      try await ultralight.readPages(10..<75)
    }
    #expect(bytes == Array(tag.memory[40..<300]))
    #expect(exchanges == 1)
    #expect(try await ultralight.readPage(5) == Array(tag.memory[20..<24]))
    #expect(try await ultralight.readPages(9..<9) == [])
    await #expect { try await ultralight.readPages(230..<257) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
    await #expect { try await ultralight.readPages(228..<240) } throws: {
      ($0 as? NFCError)?.code == .tagRefused && ($0 as? NFCError)?.place == .page(228)
    }
    // It is awake again.
    #expect(try await ultralight.version() == [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x13, 0x03])
  }

  /// 222 pages of user memory, and with the configuration asked for by name four more.
  @Test func restoresUserPagesOnly() async throws {
    let tag = VirtualTag.ntag216(formatted: false)
    var image = tag.memory
    for index in image.indices { image[index] ^= 0x81 }
    image.replaceSubrange(
      227 * 4..<231 * 4,
      with: [
        0x04, 0x00, 0x00, 0xFF, 0x00, 0x05, 0x00, 0x00, 0x31, 0x32, 0x33, 0x34, 0x41, 0x42, 0, 0,
      ])
    image[227 * 4] = 0x00
    image[228 * 4 + 1] = 0x05
    image[228 * 4] = 0x02
    let before = tag.memory
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    let plan = try await ultralight.restorePlan(image)
    #expect(tag.memory == before)
    #expect(plan.steps.compactMap(\.place?.number) == Array(4..<226))
    #expect(
      plan.omissions.compactMap(\.place.number).sorted() == [0, 1, 2, 3, 226, 227, 228, 229, 230])
    let (report, _, exchanges) = try await bench.counting {
      try await ultralight.perform(plan, accepting: Set(plan.effects))
    }
    #expect(report.isComplete)
    #expect(exchanges == 222)
    #expect(Array(tag.memory[16..<904]) == Array(image[16..<904]))
    #expect(Array(tag.memory[..<16]) == Array(before[..<16]))
    #expect(Array(tag.memory[904...]) == Array(before[904...]))

    let more = try await ultralight.restorePlan(image, extras: [.configuration, .password])
    #expect(more.steps.compactMap(\.place?.number) == [229, 230, 228, 227])
    #expect(more.effects == [.mayClosePermanently, .forgetsPassword])
    try await ultralight.perform(more, accepting: Set(more.effects))
    #expect(Array(tag.memory[908...]) == Array(image[908...]))
    await #expect { try await ultralight.restorePlan(Array(image.dropLast())) } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
  }

  /// AUTH0 may take effect at once, and then closes every page from it on that is not written yet.
  @Test func whatAUTH0ClosesIsWrittenBeforeIt() async throws {
    let tag = VirtualTag.ntag213()
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    var image = tag.memory
    image[41 * 4 + 3] = 4
    image[42 * 4] = 0x80
    image.replaceSubrange(43 * 4..<44 * 4, with: [0x11, 0x22, 0x33, 0x44])
    image.replaceSubrange(44 * 4..<44 * 4 + 2, with: [0xAB, 0xCD])
    image.replaceSubrange(20..<24, with: [1, 2, 3, 4])
    let plan = try await ultralight.restorePlan(image, extras: [.configuration, .password])
    // Page 4 has the length of a message that continues in page 5: it is empty meanwhile.
    #expect(plan.steps.compactMap(\.place?.number) == [4, 5, 4, 43, 44, 42, 41])
    let report = try await ultralight.perform(plan, accepting: Set(plan.effects))
    #expect(report.isComplete && report.changedPlaces.map(\.number) == [5, 43, 44, 42, 41])
    #expect(Array(tag.memory[164..<180]) == Array(image[164..<180]))
  }

  @Test(.asking(.lockBits, .configurationLock)) func locksOnlyWhenAskedByName() async throws {
    let tag = VirtualTag.ntag213()
    var image = tag.memory
    // As a dump has the password.
    image.replaceSubrange(43 * 4..<45 * 4, with: [UInt8](repeating: 0, count: 8))
    image[10] = 0xF0
    image[42 * 4] = 0x40
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    for extras: UltralightRestoreExtras in [[], .configuration, .password, .oneTimePage] {
      let plan = try await ultralight.restorePlan(image, extras: extras)
      #expect(plan.steps.isEmpty)
      #expect(plan.omissions.map(\.place.number) == [2, 42])
      #expect(
        plan.omissions.allSatisfy {
          if case .notRequested = $0.reason { true } else { false }
        })
    }
    let plan = try await ultralight.restorePlan(image, extras: [.locks, .configuration])
    #expect(plan.steps.compactMap(\.place?.number) == [2, 42])
    #expect(plan.effects == [.locksMemory, .locksConfiguration])
    let refused = await #expect(throws: NFCError.self) {
      try await ultralight.perform(plan, accepting: [.locksMemory])
    }
    #expect(refused?.code == .invalidParameter && tag.memory[10] == 0)
    try await ultralight.perform(plan, accepting: Set(plan.effects))
    #expect(tag.memory.dropLast(8) == image.dropLast(8))
    // Pages 4 to 7 are locked now: they stay, and the rest is written.
    image[16] ^= 0xFF
    image[60] ^= 0xFF
    let report = try await ultralight.perform(try await ultralight.restorePlan(image))
    #expect(report.changedPlaces.map(\.number) == [15])
    #expect(report.omissions.map(\.place.number) == [4])
    #expect(report.omissions.first?.reason == .impossible("it is locked"))
    #expect(!report.isComplete)
  }

  @Test(arguments: ["ultralight", "ultralight-c", "ntag203"])
  func reportsLockedPages(chip: String) async throws {
    let tag = Self.chip(chip)
    // Page 5 is locked (MF0ICU1 data sheet, 7.5.2).
    tag.memory[10] = 0x20
    var image = tag.memory
    if chip == "ultralight-c" { image.removeLast(16) }
    image[20] ^= 0xFF
    image[24] ^= 0xFF
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    let report = try await ultralight.perform(try await ultralight.restorePlan(image))
    #expect(report.changedPlaces.map(\.number) == [6])
    #expect(report.omissions.map(\.place.number) == [5])
    #expect(tag.memory[24] == image[24])
  }

  /// Protected from a page on: what is in front of it is read, and the page is named.
  @Test(arguments: [
    ("ntag216", 0xE5, 100), ("ntag216", 0xE5, 4), ("ntag216", 0xE5, 227), ("ntag213", 0x2B, 11),
  ])
  func dumpsAProtectedTag(chip: String, passwordPage: Int, first: Int) async throws {
    let tag = Self.chip(chip)
    let configuration = (passwordPage - 2) * 4
    tag.memory.replaceSubrange(
      configuration..<configuration + 16,
      with: [4, 0, 0, UInt8(first), 0x80, 5, 0, 0, 0x31, 0x32, 0x33, 0x34, 0x41, 0x42, 0, 0])
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    let dump = try await ultralight.dump()
    #expect(dump.firstProtectedPage == first)
    #expect(Array(dump.bytes.prefix(first * 4)) == Array(tag.memory.prefix(first * 4)))
    #expect(dump.bytes.dropFirst(first * 4).allSatisfy { $0 == 0 })
    let whole = try await ultralight.dump(password: [0x31, 0x32, 0x33, 0x34])
    #expect(whole.isComplete)
    #expect(whole.bytes.dropLast(8) == tag.memory.dropLast(8))
    await #expect { try await ultralight.dump(password: [1, 2, 3, 4]) } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed
    }
  }

  /// READ goes on with page 0 where protection begins; it must not be taken for content.
  @Test(arguments: [5, 6, 7, 8, 39]) func dumpsAProtectedUltralightC(first: Int) async throws {
    let tag = VirtualTag.ultralightC()
    tag.memory.replaceSubrange(16..<160, with: (0..<144).map { UInt8(truncatingIfNeeded: $0 + 1) })
    tag.memory.replaceSubrange(168..<176, with: [UInt8(first), 0, 0, 0, 0, 0, 0, 0])
    let bench = try await Bench(tag)
    let ultralight = try await Self.commands(bench)
    let dump = try await ultralight.dump()
    #expect(dump.firstProtectedPage == first)
    #expect(Array(dump.bytes.prefix(first * 4)) == Array(tag.memory.prefix(first * 4)))
    #expect(dump.bytes.dropFirst(first * 4).allSatisfy { $0 == 0 })
  }

  /// A user's copy of page 0 is content.
  @Test func aCopyOfPageZeroIsRead() async throws {
    let tag = VirtualTag.ultralight()
    tag.memory.replaceSubrange(24..<28, with: tag.memory[0..<4])
    let bench = try await Bench(tag)
    let dump = try await Self.commands(bench).dump()
    #expect(dump.isComplete)
    #expect(dump.bytes == tag.memory)
  }

  @Test func anInterruptedRestoreCanBeRepeated() async throws {
    let bench = try await Bench()
    for moment in [0, 1, 5, 11] {
      let tag = VirtualTag.ultralight()
      var image = tag.memory
      for index in 16..<64 { image[index] = UInt8(index) }
      bench.field.place(tag)
      var ultralight = try await Self.commands(bench)
      let plan = try await ultralight.restorePlan(image)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect { try await ultralight.perform(plan, accepting: Set(plan.effects)) } throws: {
        ($0 as? NFCError)?.code == .tagConnectionLost
      }
      bench.virtual.setFaults([])
      bench.field.place(tag)
      ultralight = try await Self.commands(bench)
      #expect(try await ultralight.perform(try await ultralight.restorePlan(image)).isComplete)
      #expect(tag.memory == image)
      bench.field.remove(tag)
    }
  }
}
