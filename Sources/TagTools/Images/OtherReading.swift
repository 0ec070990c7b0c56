import NFC
import TagImages

/// Reads a tag that Core NFC does not support, for an image.
struct OtherReading {
  private let tag: OtherTag

  init(_ tag: OtherTag) { self.tag = tag }

  var kind: TagImage.Kind {
    switch tag.target {
    case .jewel: .topaz
    case .iso14443b2sr: .st25tb
    case .iso14443b2ct: .ctx
    case .barcode: .barcode
    case .iClass: .iClass
    case .iso14443bPrime: .bPrime
    case .iso14443b: .iso14443b
    case .iso14443a, .feliCa, .iso15693: .iso14443a
    }
  }

  func read() async throws -> MemoryTag.Content {
    switch tag.target {
    case .iso14443b2sr: return try await SRxMemory(tag).read()
    case .iso14443b2ct(_, let product, let fabrication):
      return try await readTicket([product, fabrication])
    case .iClass: return try await readPicoPass()
    case .barcode(let code):
      return MemoryTag.Content(image: image(bytes: code, unitSize: code.count))
    case .iso14443bPrime(_, let version, let configuration, let answer):
      var image = image()
      image.protocolInfo = [version] + (configuration.map { [$0] } ?? [])
      image.answerToReset = answer.isEmpty ? nil : answer
      return MemoryTag.Content(image: image)
    case .iso14443a(let card):
      var image = image()
      if card.atqa.count == 2 { image.atqa = card.atqa }
      image.sak = card.sak
      return MemoryTag.Content(image: image)
    case .jewel: return try await TopazMemory(tag).read()
    case .iso14443b, .feliCa, .iso15693: return MemoryTag.Content(image: image())
    }
  }

  private func image(bytes: [UInt8] = [], unitSize: Int = 4) -> TagImage {
    var image = TagImage(kind, unitSize: unitSize, bytes: bytes)
    image.uid = tag.identifier
    return image
  }

  static func checked(
    _ answer: [UInt8], count: Int, of what: String
  ) throws -> [UInt8] {
    guard answer.count == count else {
      throw NFCError(
        .tagResponseError, "the answer to reading \(what) has \(answer.count) bytes, not \(count)")
    }
    return answer
  }

  // MARK: CTx

  /// The READ command of a CTx. The number of a word is in its lower five bits (as libnfc reads two words).
  private enum Ticket {
    static let read: UInt8 = 0xC0
    static let wordSize = 2
    /// The numbers of words of a CTS256B and a CTS512B, by their product codes (Proxmark3, `cmdhf14b.c`).
    static let wordCounts: [UInt8: UInt8] = [0x50: 16, 0x60: 32]
    static let fewestWords: UInt8 = 16
    static let mostWords: UInt8 = 32
  }

  private func readTicket(_ codes: [UInt8]) async throws -> MemoryTag.Content {
    let known = codes.first.flatMap { Ticket.wordCounts[$0] }
    var bytes: [UInt8] = []
    for number in 0..<(known ?? Ticket.mostWords) {
      do {
        bytes += try Self.checked(
          try await tag.transceive([Ticket.read | number]), count: Ticket.wordSize,
          of: "word \(number)")
      } catch let error as NFCError
        where error.cause == .noAnswer && known == nil && number == Ticket.fewestWords
      {
        // An unknown ticket without a further word; it must be there still.
        try await tag.connect()
        break
      }
    }
    var image = image(bytes: bytes, unitSize: Ticket.wordSize)
    image.protocolInfo = codes
    return MemoryTag.Content(image: image)
  }

  // MARK: iCLASS

  /// The commands of an iCLASS, from Proxmark3: armsrc/iclass.c for READ, client/src/cmdhficlass.c
  /// (`getMemConfig`, `get_pagemap`) for the configuration block.
  private enum PicoPass {
    static let read: UInt8 = 0x0C
    static let blockSize = 8
    static let configuration = 1
    static let keys = 3...4
    static let applicationIssuer = 5
    /// Byte 5 of the configuration, which indicates 256 blocks instead of 32.
    static let memoryByte = 5
    static let isLarge: UInt8 = 0x80
    /// Byte 7 of the configuration: the fuses, two of which indicate whether there are keys.
    static let fuseByte = 7
    static let cryptographyMask: UInt8 = 0x18
    static let withoutKeys: UInt8 = 0x08
  }

  private func readPicoPass() async throws -> MemoryTag.Content {
    let configuration = try await picoPassBlock(PicoPass.configuration)
    let count = configuration[PicoPass.memoryByte] & PicoPass.isLarge == 0 ? 32 : 256
    let hasKeys =
      configuration[PicoPass.fuseByte] & PicoPass.cryptographyMask != PicoPass.withoutKeys
    var image = TagImage(
      .iClass, memory: .init(unitSize: PicoPass.blockSize, unitCount: count))
    image.uid = tag.identifier
    let isOpen = { number in
      !hasKeys || number <= PicoPass.applicationIssuer && !PicoPass.keys.contains(number)
    }
    for number in 0..<count where isOpen(number) {
      let block =
        number == PicoPass.configuration ? configuration : try await picoPassBlock(number)
      image.memory.set(block, at: number * PicoPass.blockSize)
    }
    return MemoryTag.Content(
      image: image,
      missing: hasKeys
        ? "the keys, and blocks \(PicoPass.applicationIssuer + 1)-\(count - 1), which need one, "
          + "are not read"
        : nil)
  }

  /// Reads a block. The chip's own checksum is at the end of the command, which it covers without the command
  /// code, and at the end of the answer.
  private func picoPassBlock(_ number: Int) async throws -> [UInt8] {
    let address = [UInt8(clamping: number)]
    let answer = try await tag.transceive(
      [PicoPass.read] + address + PicoPassCheck.bytes(over: address))
    let block = Array(answer.prefix(PicoPass.blockSize))
    guard answer == block + PicoPassCheck.bytes(over: block), block.count == PicoPass.blockSize
    else {
      throw NFCError(
        .tagResponseError, "the answer to reading block \(number) is broken", cause: .checksum)
    }
    return block
  }
}

/// The checksum of an iCLASS: CRC-16 with x¹⁶+x¹²+x⁵+1, reflected, initial value E012, least significant byte
/// first (Proxmark3, common/crc16.c, `CRC_ICLASS`).
enum PicoPassCheck {
  static func bytes(over data: [UInt8]) -> [UInt8] {
    var register: UInt16 = 0xE012
    for byte in data {
      register ^= UInt16(byte)
      for _ in 0..<8 { register = register & 1 != 0 ? register >> 1 ^ 0x8408 : register >> 1 }
    }
    return [UInt8(register & 0xFF), UInt8(register >> 8)]
  }
}
