import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct TopazTests {
  /// A chip of the family with its differences.
  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var headerROM: [UInt8]
    var size: Int
    var isDynamic: Bool { size > 120 }
    var testDescription: String { name }

    func make(ndef: [UInt8]? = []) throws -> any VirtualChip {
      let uid: [UInt8] = [0xB4, 0x02, 0x15, 0x08, 0x00, 0x10, 0x25]
      guard let ndef else {
        return isDynamic
          ? Topaz512(uid: uid, formatted: false) : Topaz96(uid: uid, formatted: false)
      }
      if isDynamic { return try Topaz512(uid: uid, ndef: ndef) }
      return try Topaz96(uid: uid, ndef: ndef)
    }
  }

  /// HR0 and HR1 of both chips, as in nfcpy.
  static let kinds = [
    Kind(name: "topaz96", headerROM: [0x11, 0x48], size: 120),
    Kind(name: "topaz512", headerROM: [0x12, 0x4C], size: 512),
  ]

  @Test(arguments: kinds) func identification(_ kind: Kind) throws {
    let session = TopazSession(try kind.make())
    #expect(session.chip.name == kind.name)
    #expect(session.uid == [0xB4, 0x02, 0x15, 0x08])
    #expect(session.chip.memory.count == kind.size)
    #expect(session.request(0x26) == .typeA(bare: [0x00, 0x0C]))
    #expect(session.request(0x52) == .typeA(bare: [0x00, 0x0C]))
    #expect(session.request(0x30) == nil)
    #expect(session.send([0x78, 0, 0, 0, 0, 0, 0]) == kind.headerROM + session.uid)
    // There is no anticollision.
    #expect(session.chip.receive(.typeA(bare: [0x93, 0x20])) == nil)
    #expect(session.send([0x78, 0, 0, 0, 0, 0, 0]) == kind.headerROM + session.uid)
  }

  @Test(arguments: kinds) func silentBeforeARequest(_ kind: Kind) throws {
    let session = TopazSession(try kind.make())
    #expect(session.read(0) != nil)
    session.chip.powerOff()
    session.chip.powerOn()
    #expect(session.read(0) == nil)
    #expect(session.send([0x78, 0, 0, 0, 0, 0, 0]) == nil)
  }

  @Test(arguments: kinds) func readCommands(_ kind: Kind) throws {
    let session = TopazSession(try kind.make(ndef: [0xD0, 0, 0]))
    let memory = session.chip.memory
    #expect(session.readAll() == kind.headerROM + memory.prefix(120))
    for address in 0..<UInt8(120) {
      #expect(session.read(address) == [address, memory[Int(address)]])
    }
    #expect((session.read(0x7F) != nil) == kind.isDynamic)
    #expect(session.read(0x80) == nil)
  }

  /// A tag does not answer commands with another UID, a wrong check or a wrong length.
  @Test(arguments: kinds) func silence(_ kind: Kind) throws {
    let session = TopazSession(try kind.make())
    let memory = session.chip.memory
    for code: UInt8 in [0x00, 0x01, 0x53, 0x1A] {
      #expect(session.send([code, 0x10, 0x55, 0xB4, 0x02, 0x15, 0x09]) == nil)
      #expect(session.send([code, 0x10, 0x55] + session.uid.dropLast()) == nil)
    }
    for code: UInt8 in [0x02, 0x10, 0x54, 0x1B] {
      #expect(session.send([code, 0x10] + [UInt8](repeating: 1, count: 12)) == nil)
    }
    #expect(session.send([0x44, 0x10, 0] + session.uid) == nil)
    #expect(session.send([0x44, 0x10] + [UInt8](repeating: 0, count: 8) + session.uid) == nil)
    #expect(session.chip.receive(.typeA([0x01, 0x10, 0] + session.uid)) == nil)
    let command = [0x01, 0x10, 0] + session.uid
    #expect(session.chip.receive(.typeB(command)) == nil)
    #expect(session.chip.memory == memory)
  }

  /// In a field with two tags, a command is for one of them.
  @Test func echoOfUIDChoosesTheTag() throws {
    let tags = [VirtualTag.topaz96(), .topaz512()]
    #expect(tags[0].identifier != tags[1].identifier)
    for tag in tags {
      tag.setPower(true)
      #expect(tag.receive(.typeA(bare: [0x26], bitsInLastByte: 7)) != nil)
    }
    let command = [0x00, 0, 0] + tags[1].identifier
    let frame = RadioFrame(command + CyclicRedundancyCheck.b(command), modulation: .typeA)
    #expect(tags[0].receive(frame) == nil)
    #expect(tags[1].receive(frame)?.bytes.prefix(2) == [0x12, 0x4C])
  }

  @Test(arguments: kinds) func writeCommands(_ kind: Kind) throws {
    let session = TopazSession(try kind.make())
    #expect(session.writeErase(0x20, 0x0F) == [0x20, 0x0F])
    #expect(session.writeNoErase(0x20, 0x31) == [0x20, 0x3F])
    #expect(session.writeErase(0x20, 0x80) == [0x20, 0x80])
    #expect(session.read(0x20) == [0x20, 0x80])
    for address in UInt8(8)..<104 {
      #expect(session.writeErase(address, address ^ 0xFF) == [address, address ^ 0xFF])
    }
    #expect(Array(session.chip.memory[8..<104]) == (UInt8(8)..<104).map { $0 ^ 0xFF })
  }

  @Test(arguments: kinds) func systemBlocksStayAsTheyAre(_ kind: Kind) throws {
    let session = TopazSession(try kind.make())
    let memory = session.chip.memory
    for address in Array(UInt8(0)..<8) + Array(104..<112) {
      #expect(session.writeErase(address, 0xFF) == [address, memory[Int(address)]])
      #expect(session.writeNoErase(address, 0xFF) == [address, memory[Int(address)]])
    }
    // Erase does not clear lock bits or one-time bits either.
    for address in UInt8(112)..<120 {
      #expect(session.writeErase(address, 0xFF) == [address, memory[Int(address)]])
    }
    for address in UInt8(112)..<114 {
      #expect(session.writeNoErase(address, 0xFF) == [address, memory[Int(address)]])
    }
    #expect(session.chip.memory == memory)
  }

  @Test(arguments: kinds) func oneTimeBits(_ kind: Kind) throws {
    let session = TopazSession(try kind.make())
    for address in UInt8(114)..<120 {
      #expect(session.writeNoErase(address, 0x01) == [address, 0x01])
      #expect(session.writeNoErase(address, 0x80) == [address, 0x81])
      #expect(session.writeNoErase(address, 0x00) == [address, 0x81])
      #expect(session.writeErase(address, 0x00) == [address, 0x81])
    }
  }

  /// Each of the bits of LOCK-0 and LOCK-1 locks its block and no other.
  @Test(arguments: kinds) func staticLocks(_ kind: Kind) throws {
    for block in 1...12 {
      var chip = try kind.make()
      // Block E's own bit, set on delivery, protects the lock bytes.
      chip.memory[0x71] &= ~0x40
      let session = TopazSession(chip)
      let address = UInt8(112 + block / 8)
      let before = session.chip.memory[Int(address)]
      #expect(
        session.writeNoErase(address, 1 << (block % 8)) == [address, before | 1 << (block % 8)])
      for other in 1...12 {
        let byte = UInt8(other * 8 + 7)
        let old = session.chip.memory[Int(byte)]
        let isLocked = other == block
        #expect(session.writeErase(byte, 0x5A) == [byte, isLocked ? old : 0x5A])
        #expect(session.writeNoErase(byte, 0xA5) == [byte, isLocked ? old : 0xFF])
      }
    }
  }

  // MARK: Topaz 512

  @Test func staticChipHasNoDynamicCommands() throws {
    let session = TopazSession(try Self.kinds[0].make())
    #expect(session.read8(1) == nil)
    #expect(session.readSegment(0) == nil)
    #expect(session.writeErase8(3, [1, 2, 3, 4, 5, 6, 7, 8]) == nil)
    #expect(session.writeNoErase8(3, [1, 2, 3, 4, 5, 6, 7, 8]) == nil)
    #expect(session.read(0x18) == [0x18, 0])
  }

  @Test func dynamicReads() throws {
    let session = TopazSession(
      try Self.kinds[1].make(ndef: (0..<400).map { UInt8(truncatingIfNeeded: $0) }))
    let memory = session.chip.memory
    for segment in 0..<4 {
      #expect(
        session.readSegment(UInt8(segment))
          == [UInt8(segment << 4)] + memory[segment * 128..<segment * 128 + 128])
    }
    for block in 0..<64 {
      #expect(session.read8(UInt8(block)) == [UInt8(block)] + memory[block * 8..<block * 8 + 8])
    }
    #expect(session.read8(64) == [64] + [UInt8](repeating: 0, count: 8))
    #expect(session.readSegment(15)?.count == 129)
  }

  @Test func dynamicWrites() throws {
    let session = TopazSession(try Self.kinds[1].make())
    let bytes: [UInt8] = [1, 2, 4, 8, 16, 32, 64, 128]
    for block in Array(UInt8(1)...12) + Array(16...63) {
      #expect(session.writeErase8(block, bytes) == [block] + bytes)
      #expect(
        session.writeNoErase8(block, [UInt8](repeating: 1, count: 8))
          == [block] + bytes.map { $0 | 1 })
    }
    let memory = session.chip.memory
    for block: UInt8 in [0, 13, 14, 15, 64, 255] {
      let first = Int(block) * 8
      let old = block < 64 ? Array(memory[first..<first + 8]) : [UInt8](repeating: 0, count: 8)
      #expect(session.writeErase8(block, bytes) == [block] + old)
    }
    #expect(session.chip.memory == memory)
  }

  /// Bit n of the 48 from byte 7A on locks block 10h + n: the lock control TLV 01 03 F2 30 33.
  @Test func dynamicLocks() throws {
    let bytes = [UInt8](repeating: 0x5A, count: 8)
    for bit in 0..<48 {
      let session = TopazSession(try Self.kinds[1].make())
      let address = UInt8(0x7A + bit / 8)
      #expect(session.writeNoErase(address, 1 << (bit % 8)) == [address, 1 << (bit % 8)])
      #expect(session.writeErase(address, 0) == [address, 1 << (bit % 8)])
      for block in [15 + bit, 16 + bit, 17 + bit] where (16..<64).contains(block) {
        let old = Array(session.chip.memory[block * 8..<block * 8 + 8])
        #expect(
          session.writeErase8(UInt8(block), bytes)
            == [UInt8(block)] + (block == 16 + bit ? old : bytes))
      }
    }
    // One command sets several bits; the two bytes before them are reserved.
    let session = TopazSession(try Self.kinds[1].make())
    #expect(
      session.writeNoErase8(15, [UInt8](repeating: 0xFF, count: 8))
        == [15, 0, 0] + [UInt8](repeating: 0xFF, count: 6))
    #expect(session.writeErase8(16, bytes) == [16] + [UInt8](repeating: 0, count: 8))
    #expect(session.writeErase8(12, bytes) == [12] + bytes)
  }

  // MARK: Contents

  @Test func formatted() throws {
    let small = VirtualTag.topaz96().memory
    #expect(Array(small[7..<16]) == [0x00, 0xE1, 0x10, 0x0E, 0x00, 0x03, 0x00, 0xFE, 0x00])
    #expect(Array(small[112..<114]) == [0x01, 0x60])
    let large = VirtualTag.topaz512().memory
    #expect(
      Array(large[8..<26])
        == [UInt8](hexadecimal: "E1103F00 0103F23033 0203F00203 0300FE 00"))
    #expect(Array(large[112..<114]) == [0x01, 0xE0])
  }

  @Test(arguments: kinds) func blank(_ kind: Kind) throws {
    let memory = try kind.make(ndef: nil).memory
    #expect(memory[8..<104].allSatisfy { $0 == 0 })
    #expect(memory[114...].allSatisfy { $0 == 0 })
    #expect(memory[0..<7] == [0xB4, 0x02, 0x15, 0x08, 0x00, 0x10, 0x25])
  }

  /// 462 bytes is also nfcpy's capacity of a Topaz 512.
  @Test(arguments: zip(kinds, [90, 462])) func longestMessage(kind: Kind, capacity: Int) throws {
    let message = (0..<capacity).map { UInt8(truncatingIfNeeded: $0 * 3) }
    let memory = try kind.make(ndef: message).memory
    let start = kind.isDynamic ? 26 : 14
    let data = Array(memory[start..<104]) + (kind.isDynamic ? Array(memory[128...]) : [])
    #expect(data == message)
    #expect(throws: VirtualTagError.messageTooLarge(capacity: capacity)) {
      try kind.make(ndef: message + [0])
    }
  }

  @Test(arguments: kinds) func memoryKeepsItsSizeAndUID(_ kind: Kind) throws {
    var chip = try kind.make()
    let uid = Array(chip.memory.prefix(7))
    chip.memory = [UInt8](repeating: 0xEE, count: 2000)
    #expect(chip.memory == uid + [UInt8](repeating: 0xEE, count: kind.size - 7))
    chip.memory = []
    #expect(chip.memory.count == kind.size)
  }

  @Test(arguments: kinds) func anyFrameIsSurvived(_ kind: Kind) throws {
    var random = SplitMix64(seed: 0x546F_7061_7A)
    let session = TopazSession(try kind.make())
    let codes: [UInt8] = [0x78, 0x00, 0x01, 0x53, 0x1A, 0x10, 0x02, 0x54, 0x1B]
    var answers = 0
    for _ in 0..<3000 {
      let count = [0, 2, 2, 5, 9, 9].randomElement(using: &random) ?? 0
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if let code = codes.randomElement(using: &random) { bytes.insert(code, at: 0) }
      bytes += session.uid.prefix(Int.random(in: 3...4, using: &random))
      if Bool.random(using: &random) {
        if session.send(bytes) != nil { answers += 1 }
      } else {
        _ = session.chip.receive(
          RadioFrame(
            bytes, modulation: .typeA, bitsInLastByte: Int.random(in: 1...8, using: &random)))
      }
    }
    #expect(answers > 40)
    #expect(session.chip.memory.count == kind.size)
    #expect(session.chip.memory.prefix(4) == session.uid[...])
  }
}
