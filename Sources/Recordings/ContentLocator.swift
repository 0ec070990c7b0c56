import SwiftNFCCore

/// Finds the parts of memories in the exchanges of one reader.
struct ContentLocator {
  typealias Window = ContentReplacement.Window

  /// A memory, or a part that belongs to none, and the bytes of it in a command and its answer.
  struct Finding {
    var kind = TagMemory.Kind.other
    var number = 0
    var windows: [Window] = []
  }

  private var targets: [[UInt8]: Target] = [:]
  private var selected: Target?
  private var card = CardContent()
  private var type2 = Type2Content()

  mutating func find(
    in call: RecordedCall
  ) -> (memory: TagMemory.Name, windows: [ContentReplacement.Window])? {
    switch (call.request, call.outcome) {
    case (_, .targets(let found)):
      for target in found { targets[target.identifier] = target }
      turn(to: found.last)
    case (.select(let identifier), _): turn(to: targets[identifier])
    case (.exchange(let command, let framing, _), let outcome):
      var answer: [UInt8] = []
      if case .answer(let bytes) = outcome { answer = bytes.bytes }
      // A frame in its form on the air ends with its check bytes.
      let check = framing == .bare ? 2 : 0
      return find(
        Array(command.bytes.dropLast(min(check, command.bytes.count))),
        Array(answer.dropLast(answer.count > check ? check : 0)))
    default: break
    }
    return nil
  }

  private mutating func turn(to target: Target?) {
    selected = target
    card = CardContent()
    type2 = Type2Content()
  }

  private mutating func find(
    _ command: [UInt8], _ answer: [UInt8]
  ) -> (memory: TagMemory.Name, windows: [ContentReplacement.Window])? {
    guard let selected, !command.isEmpty else { return nil }
    let found: Finding
    switch selected {
    case .iso14443a(let target) where !target.supportsISO14443Part4:
      found = type2.find(command, answer, isClassic: target.sak & 0x08 != 0)
    case .iso14443a, .iso14443b, .iso14443bPrime: found = card.find(command, answer)
    case .iso15693: found = VicinityContent.find(command, answer)
    case .feliCa: found = Self.feliCa(command, answer)
    case .jewel: found = Finding(kind: .type1, windows: Self.jewel(command, answer))
    case .iso14443b2sr: found = Finding(windows: Self.serialBlocks(command, answer))
    case .iso14443b2ct: found = Finding(windows: Self.ticketWords(command, answer))
    case .iClass: found = Finding(windows: Self.iClass(command, answer))
    case .barcode: return nil
    }
    guard !found.windows.isEmpty else { return nil }
    return (
      TagMemory.Name(tag: selected.identifier, kind: found.kind, number: found.number),
      found.windows
    )
  }

  /// Returns the rest of an answer from an offset; nothing if there is none.
  static func answer(_ answer: [UInt8], from offset: Int, at address: Int = 0) -> [Window] {
    guard answer.count > offset else { return [] }
    return [
      Window(isInAnswer: true, offset: offset, count: answer.count - offset, address: address)
    ]
  }

  /// Returns the rest of a command from an offset; nothing if there is none.
  static func command(_ command: [UInt8], from offset: Int, at address: Int = 0) -> [Window] {
    guard command.count > offset else { return [] }
    return [
      Window(isInAnswer: false, offset: offset, count: command.count - offset, address: address)
    ]
  }

  // MARK: FeliCa

  /// Read and Write Without Encryption (FeliCa Card User's Manual, excerpted edition, 4.4.5, 4.4.6).
  private static func feliCa(_ command: [UInt8], _ answer: [UInt8]) -> Finding {
    let start = Int(command[0]) == command.count ? 1 : 0
    let services = start + 9
    guard command.count > services, [0x06, 0x08].contains(command[start]) else {
      return Finding()
    }
    let serviceCount = Int(command[services])
    var position = services + 1 + 2 * serviceCount
    guard serviceCount > 0, position < command.count else { return Finding() }
    let count = Int(command[position])
    position += 1
    var blocks: [Int] = []
    for _ in 0..<count {
      guard position + 1 < command.count else { return Finding() }
      let isShort = command[position] & 0x80 != 0
      guard isShort || position + 2 < command.count else { return Finding() }
      blocks.append(
        Int(command[position + 1]) + (isShort ? 0 : Int(command[position + 2]) << 8))
      position += isShort ? 2 : 3
    }
    let isRead = command[start] == 0x06
    let data =
      isRead ? (answer.first.map { Int($0) == answer.count } ?? false ? 1 : 0) + 12 : position
    let windows = blocks.enumerated().map { index, block in
      Window(isInAnswer: isRead, offset: data + index * 16, count: 16, address: block * 16)
    }
    // A message is in one service. Blocks of several services would be mixed up in one memory.
    guard serviceCount == 1 else { return Finding(windows: windows) }
    // A read-only service is the same memory as the read-write service (FeliCa Lite-S User's
    // Manual, 3.1).
    let service = Int(command[services + 1]) | Int(command[services + 2]) << 8
    return Finding(kind: .type3, number: service >> 6, windows: windows)
  }

  // MARK: Topaz

  /// RALL, RSEG, READ8, READ, WRITE (NFC Forum Type 1 Tag Operation, 4).
  private static func jewel(_ command: [UInt8], _ answer: [UInt8]) -> [Window] {
    guard command.count > 1 else { return [] }
    let operand = Int(command[1])
    // Some readers remove the address that precedes the data of an answer.
    func last(_ count: Int, _ address: Int) -> [Window] {
      answer.count >= count ? Self.answer(answer, from: answer.count - count, at: address) : []
    }
    switch command[0] {
    case 0x00: return Self.answer(answer, from: 2)
    case 0x10: return Self.answer(answer, from: 1, at: (operand >> 4) * 128)
    case 0x02: return last(8, operand * 8)
    case 0x01: return last(1, operand)
    case 0x53, 0x1A:
      guard command.count > 2 else { return [] }
      return [Window(isInAnswer: false, offset: 2, count: 1, address: operand)] + last(1, operand)
    case 0x54, 0x1B:
      guard command.count > 9 else { return [] }
      let written = Window(isInAnswer: false, offset: 2, count: 8, address: operand * 8)
      return [written] + last(8, operand * 8)
    default: return []
    }
  }

  // MARK: Others

  /// Read_block and Write_block of ST SRx (SRIX4K data sheet, 8).
  private static func serialBlocks(_ command: [UInt8], _ answer: [UInt8]) -> [Window] {
    switch command[0] {
    case 0x08: Self.answer(answer, from: 0)
    case 0x09: Self.command(command, from: 2)
    default: []
    }
  }

  /// READ of ASK CTx, whose address is in the low bits of its code.
  private static func ticketWords(_ command: [UInt8], _ answer: [UInt8]) -> [Window] {
    command[0] & 0xE0 == 0xC0 ? Self.answer(answer, from: 0) : []
  }

  /// READ, READ4 and UPDATE of PicoPass, which have an address.
  private static func iClass(_ command: [UInt8], _ answer: [UInt8]) -> [Window] {
    switch command[0] & 0x0F {
    case 0x0C where command.count > 1, 0x06 where command.count > 1:
      Self.answer(answer, from: 0)
    case 0x07: Self.command(command, from: 2)
    default: []
    }
  }
}

/// The pages of Ultralight and NTAG and the blocks of MIFARE Classic in exchanges.
struct Type2Content {
  private typealias Window = ContentReplacement.Window

  /// What the next frame contains instead of a command.
  private enum Frame {
    case command, sector
    /// The data of COMPATIBILITY WRITE, for this address.
    case data(Int)
  }

  private var next = Frame.command
  private var sector = 0

  /// The pages of a sector, in bytes: an NTAG I²C has several.
  static let sectorSize = 1024

  /// READ, FAST_READ, WRITE and COMPATIBILITY WRITE (NTAG21x data sheet, 10), SECTOR SELECT (NT3H1101/1201 data sheet,
  /// 10.9); READ and WRITE of MIFARE Classic.
  mutating func find(
    _ command: [UInt8], _ answer: [UInt8], isClassic: Bool
  ) -> ContentLocator.Finding {
    let kind: TagMemory.Kind = isClassic ? .classic : .type2
    let unit = isClassic ? 16 : 4
    let current = next
    next = .command
    switch current {
    case .command: break
    case .sector:
      sector = Int(command[0])
      return .init()
    case .data(let address):
      return .init(kind: kind, windows: ContentLocator.command(command, from: 0, at: address))
    }
    guard command.count > 1 else { return .init() }
    let address = sector * Self.sectorSize + Int(command[1]) * unit
    switch command[0] {
    case 0x30, 0x3A:
      guard answer.count >= unit else { return .init() }
      return .init(kind: kind, windows: ContentLocator.answer(answer, from: 0, at: address))
    case 0xA0 where command.count == 2:
      if !answer.isEmpty { next = .data(address) }
      return .init()
    case 0xA0, 0xA2:
      return .init(kind: kind, windows: ContentLocator.command(command, from: 2, at: address))
    case 0xC2 where !isClassic && command[1] == 0xFF:
      if !answer.isEmpty { next = .sector }
      return .init()
    default: return .init()
    }
  }
}
