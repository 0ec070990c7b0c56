import Testing
import VirtualNFC

@testable import NFCCore

/// Every procedure over every tag from the field, on the chip itself.
@Suite struct Type2FieldTests {
  /// Pages that are written to try whether a tag is closed, through the raw command.
  private func isClosed(_ page: Int, _ driver: ChipDriver) throws -> Bool {
    var memory = Type2Memory()
    let back = ChipDriver(driver.chip)
    do {
      try memory.write([0x55, 0xAA, 0x55, 0xAA], page: page, back.link)
      return false
    } catch let error as NFCError where error.code == .readOnly {
      return true
    }
  }

  private func dataPages(_ chip: any VirtualChip) -> Range<Int> {
    4..<4 + Int(chip.memory[14]) * 2
  }

  private func expectKept(_ tag: FieldTag, _ chip: any VirtualChip) {
    for (address, bytes) in tag.kept {
      #expect(Array(chip.memory[address..<address + bytes.count]) == bytes)
    }
  }

  @Test(arguments: FieldTag.all) func reads(_ tag: FieldTag) throws {
    let driver = ChipDriver(tag.chip)
    var mapping = Type2Mapping(chip: nil)
    switch tag.content {
    case .message(let message):
      #expect(try mapping.read(driver.link) ?? [] == message)
      mapping.beginCall()
      #expect(try mapping.status(driver.link).access != .notSupported)
    case .broken:
      let error = #expect(throws: NFCError.self) { try mapping.read(driver.link) }
      #expect(error?.code == .malformedContent)
    case .unformatted:
      let error = #expect(throws: NFCError.self) { try mapping.read(driver.link) }
      #expect(error?.code == .notNDEF)
    }
    #expect(driver.chip.memory == tag.chip.memory)
  }

  /// Locked as a whole, or not at all; and nothing but lock bits and the container has changed.
  @Test(.asking(.lockBits, .oneTimeBits), arguments: FieldTag.all) func locks(_ tag: FieldTag)
    throws
  {
    let driver = ChipDriver(tag.chip)
    var mapping = Type2Mapping(chip: nil)
    guard tag.locking == .completes else {
      #expect(throws: NFCError.self) { try mapping.lock(driver.link) }
      #expect(driver.chip.memory == tag.chip.memory)
      return
    }
    try mapping.lock(driver.link)
    for page in dataPages(tag.chip) where page < 256 { #expect(try isClosed(page, driver)) }
    #expect(try isClosed(3, driver))
    #expect(driver.chip.memory[15] & 0x0F == 0x0F)
    let user = dataPages(tag.chip)
    #expect(
      driver.chip.memory[user.lowerBound * 4..<user.upperBound * 4]
        == tag.chip.memory[user.lowerBound * 4..<user.upperBound * 4])
    var again = Type2Mapping(chip: nil)
    let locked = driver.chip.memory
    try again.lock(driver.link)
    #expect(driver.chip.memory == locked)
    again.beginCall()
    #expect(try again.status(driver.link).access == .readOnly)
  }

  /// Torn at every exchange, the lock is completed by the next call.
  @Test(
    .asking(.lockBits, .oneTimeBits), arguments: FieldTag.all.filter { $0.locking == .completes })
  func tornLocksAreCompleted(_ tag: FieldTag) throws {
    let whole = ChipDriver(tag.chip)
    var mapping = Type2Mapping(chip: nil)
    try mapping.lock(whole.link)
    for exchange in 0..<whole.exchanges {
      let torn = ChipDriver(tag.chip, tear: exchange)
      var mapping = Type2Mapping(chip: nil)
      do {
        try mapping.lock(torn.link)
        // Torn at the second half of SECTOR_SELECT, which silence acknowledges, when all was done.
        #expect(torn.chip.memory == whole.chip.memory)
      } catch is NFCError {
        // Completed below.
      }
      let back = ChipDriver(torn.chip)
      var again = Type2Mapping(chip: nil)
      try again.lock(back.link)
      #expect(back.chip.memory == whole.chip.memory, "exchange \(exchange)")
    }
  }

  /// As long as the status says that it can be, and up to what it says; what stands beside the message stays.
  @Test(arguments: FieldTag.all) func writes(_ tag: FieldTag) throws {
    let driver = ChipDriver(tag.chip)
    var mapping = Type2Mapping(chip: nil)
    let status = try mapping.statusForWriting(driver.link)
    guard status.access == .readWrite else {
      #expect(throws: NFCError.self) {
        try mapping.checkedWrite([1], verify: false, driver.link)
      }
      #expect(driver.chip.memory == tag.chip.memory)
      return
    }
    let longest = message(status.capacity, seed: 9)
    mapping.beginCall()
    #expect(throws: NFCError.self) {
      try mapping.checkedWrite(longest + [1], verify: false, driver.link)
    }
    #expect(driver.chip.memory == tag.chip.memory)
    var writer = Type2Mapping(chip: nil)
    do {
      try writer.checkedWrite(longest, verify: true, driver.link)
    } catch let error as NFCError where error.code == .readOnly {
      // A password for writing is found out only by writing; the old message is there.
      var reader = Type2Mapping(chip: nil)
      let found = try reader.read(ChipDriver(driver.chip).link) ?? []
      #expect(tag.content == .message(found))
      return
    }
    var reader = Type2Mapping(chip: nil)
    #expect(try reader.read(ChipDriver(driver.chip).link) ?? [] == longest)
    // What follows a longer message moves on.
    for bytes in tag.kept.values {
      #expect(driver.chip.memory.contains(bytes))
    }
  }

  /// Erased, or formatted: readable, empty and writable afterwards.
  @Test(arguments: FieldTag.all) func formats(_ tag: FieldTag) throws {
    let driver = ChipDriver(tag.chip)
    var mapping = Type2Mapping(chip: nil)
    guard try mapping.statusForWriting(driver.link).access != .readOnly else {
      let error = #expect(throws: NFCError.self) {
        try mapping.format(wipe: false, driver.link)
      }
      #expect(error?.code == .readOnly)
      return
    }
    mapping.beginCall()
    try mapping.format(wipe: false, driver.link)
    var reader = Type2Mapping(chip: nil)
    #expect(try reader.read(ChipDriver(driver.chip).link) == nil)
    #expect(driver.chip.memory[12..<16] == tag.chip.memory[12..<16])
    expectKept(tag, driver.chip)
  }
}
