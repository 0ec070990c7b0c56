import SwiftNFCCore

/// The part of a tag's memory that a recording shows.
struct TagMemory {
  /// How messages are stored in it.
  enum Kind: Hashable {
    case type1, type2, type3, type4, type5, classic
    /// It describes the structure of other memories.
    case structure
    case other
  }

  /// Identifies a memory of a tag.
  struct Name: Hashable {
    let tag: [UInt8]
    let kind: Kind
    /// The number of a file or service.
    let number: Int
  }

  private var bytes: [Int: UInt8] = [:]

  mutating func set(_ bytes: some Sequence<UInt8>, at address: Int) {
    for (index, byte) in bytes.enumerated() { self.bytes[address + index] = byte }
  }

  /// Returns the addresses that describe the structure of the memory: container, locks,
  /// configuration, and the headers of messages.
  func structure(of name: Name) -> Set<Int> {
    switch name.kind {
    case .structure,
      .type1 where bytes[8] != Self.capabilityMagic:
      return Set(bytes.keys)
    case .type1:
      // UID and container at the beginning, locks at the end (NFC Forum Type 1 Tag Operation, 2).
      return Set(0..<12).union(104..<128).union(fields(in: Array(12..<104) + Array(128..<2048)))
    case .type2:
      let start = 16
      let size = bytes[12] == Self.capabilityMagic ? Int(bytes[14] ?? 0) * 8 : 0
      guard size > 0 else { return Set(0..<start) }
      let end = start + size
      // Locks and configuration; the other sectors of an NTAG I²C hold only data.
      let last = max(end, Type2Content.sectorSize)
      return Set(0..<start).union(bytes.keys.filter { (end..<last).contains($0) })
        .union(fields(in: Array(start..<end)))
    case .type5:
      guard let magic = bytes[0], [0xE1, 0xE2].contains(magic) else { return [] }
      let start = bytes[2] == 0 ? 8 : 4
      let end = min(Self.largest, 1 + (bytes.keys.max() ?? 0))
      return Set(0..<start).union(fields(in: Array(start..<max(start, end))))
    case .classic: return classicStructure
    case .type3: return type3Structure(isNDEF: name.number == 0)
    case .type4: return type4Structure
    case .other: return []
    }
  }

  private static let capabilityMagic: UInt8 = 0xE1
  /// The size of the largest memory of any tag.
  private static let largest = 1 << 17

  /// The length, which has two bytes, or four in version 3 of the mapping (NFC Forum Type 4 Tag, 4.2), and the headers
  /// of the message.
  private var type4Structure: Set<Int> {
    let digits = (0..<4).map { bytes[$0] }
    guard let high = digits[0], let low = digits[1] else { return [] }
    // Two zeros are no message, or the upper half of a length before one that begins.
    if high == 0, low == 0, let third = digits[2], let fourth = digits[3], third | fourth != 0,
      let header = bytes[4], header & Self.messageBegin != 0
    {
      let length = Int(third) << 8 | Int(fourth)
      return Set(0..<4).union(headers(of: Array(4..<4 + length)))
    }
    // Another file than that of the message may begin with anything.
    let length = Int(high) << 8 | Int(low)
    guard length == 0 || digits[2].map({ $0 & Self.messageBegin != 0 }) ?? true else { return [] }
    return Set(0..<2).union(headers(of: Array(2..<2 + length)))
  }

  private static let messageBegin: UInt8 = 0x80

  /// The manufacturer's block, the sector trailers, and if there is one, the directory, which says in which sectors
  /// messages are (AN1304, 2.3; AN10787, 3).
  private var classicStructure: Set<Int> {
    let blockSize = 16
    var kept = Set(0..<blockSize)
    var stream: [Int] = []
    for block in 0..<256 where block < 128 ? block % 4 == 3 : block % 16 == 15 {
      kept.formUnion(block * blockSize..<(block + 1) * blockSize)
    }
    for (first, count, sectors) in [(1, 2, 1...15), (64, 3, 17...39)] {
      let place = first * blockSize..<(first + count) * blockSize
      let directory = place.compactMap { bytes[$0] }
      guard directory.count == place.count,
        directory[0] == MiFareApplicationDirectory.check(directory.dropFirst())
      else { continue }
      kept.formUnion(place)
      for sector in sectors {
        let entry = 2 + 2 * (sector - sectors.lowerBound)
        guard directory[entry..<entry + 2].elementsEqual(Self.messageSector) else { continue }
        let blocks =
          sector < 32 ? 4 * sector..<4 * sector + 3 : 16 * (sector - 24)..<16 * (sector - 24) + 15
        stream += blocks.lowerBound * blockSize..<blocks.upperBound * blockSize
      }
    }
    return kept.union(fields(in: stream))
  }

  /// The application identifier of NDEF in a directory: function cluster 03, application E1 (AN1304, 2.2).
  private static let messageSector: [UInt8] = [0x03, 0xE1]

  /// The attribute block, which its checksum shows; the message follows it (NFC Forum Type 3 Tag Operation, 6.1).
  /// FeliCa Lite has its configuration from block 80 on.
  private func type3Structure(isNDEF: Bool) -> Set<Int> {
    guard isNDEF else { return [] }
    let (blockSize, firstSystemBlock) = (16, 0x80)
    let system = Set(bytes.keys.filter { $0 >= firstSystemBlock * blockSize })
    let attributes = (0..<blockSize).compactMap { bytes[$0] }
    guard attributes.count == blockSize, attributes[0] >> 4 == 1,
      attributes.dropLast(2).reduce(0, { $0 + Int($1) })
        == Int(attributes[14]) << 8 | Int(attributes[15])
    else { return system }
    let length = attributes[11..<14].reduce(0) { $0 << 8 | Int($1) }
    return Set(0..<blockSize).union(system)
      .union(headers(of: Array(blockSize..<blockSize + min(length, Self.largest))))
  }

  // MARK: Messages

  /// Returns the addresses of tags, lengths, and fields that belong to the structure (NFC Forum
  /// Type 2 Tag Operation, 2.3).
  private func fields(in stream: [Int]) -> Set<Int> {
    var kept: Set<Int> = []
    var position = 0
    while position < stream.count, let tag = bytes[stream[position]] {
      kept.insert(stream[position])
      position += 1
      // NULL and terminator have no length.
      if tag == 0x00 { continue }
      guard tag != 0xFE, position < stream.count, let first = bytes[stream[position]] else { break }
      kept.insert(stream[position])
      position += 1
      var length = Int(first)
      if first == 0xFF {
        guard position + 1 < stream.count, let high = bytes[stream[position]],
          let low = bytes[stream[position + 1]]
        else { break }
        kept.formUnion(stream[position...position + 1])
        length = Int(high) << 8 | Int(low)
        position += 2
      }
      let value = Array(stream[position..<min(stream.count, position + length)])
      // Lock and memory control, which have three bytes; a message.
      if tag == 0x01 || tag == 0x02, value.count == 3 { kept.formUnion(value) }
      if tag == 0x03 { kept.formUnion(headers(of: value)) }
      position += length
    }
    return kept
  }

  /// Returns the addresses of each record's header, lengths and type, and of the bytes that
  /// describe the payload (NFC Forum NDEF, 3.2; RTDs of text, URI and Smart Poster).
  ///
  /// - Parameter depth: the maximum number of nested messages.
  private func headers(of message: [Int], depth: Int = 4) -> Set<Int> {
    guard depth > 0 else { return [] }
    var kept: Set<Int> = []
    var position = 0
    func byte(_ index: Int) -> Int? {
      index < message.count ? bytes[message[index]].map(Int.init) : nil
    }
    // What is not a message has no structure: the first record, and only that, has the flag MB.
    while let header = byte(position), (header & 0x80 != 0) == (position == 0),
      let typeLength = byte(position + 1)
    {
      var next = position + 2
      var payloadLength = 0
      for _ in 0..<(header & 0x10 != 0 ? 1 : 4) {
        guard let digit = byte(next) else { return kept }
        payloadLength = payloadLength << 8 | digit
        next += 1
      }
      var identifierLength = 0
      if header & 0x08 != 0 {
        identifierLength = byte(next) ?? 0
        next += 1
      }
      guard next <= message.count else { return kept }
      let type = next..<min(message.count, next + typeLength)
      let payload = type.upperBound + identifierLength
      kept.formUnion(message[position..<type.upperBound])
      guard payload <= message.count else { return kept }
      let end = min(message.count, payload + payloadLength)
      if header & 0x07 == 1 {
        switch type.compactMap(byte).map({ UInt8($0) }) {
        case Array("U".utf8): kept.formUnion(message[payload..<min(end, payload + 1)])
        case Array("T".utf8):
          let language = (byte(payload) ?? 0) & 0x3F
          kept.formUnion(message[payload..<min(end, payload + 1 + language)])
        case Array("Sp".utf8):
          kept.formUnion(headers(of: Array(message[payload..<end]), depth: depth - 1))
        default: break
        }
      }
      guard end > position, header & 0x40 == 0 else { return kept }
      position = end
    }
    return kept
  }
}
