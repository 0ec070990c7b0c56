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
  func structure(of kind: Kind) -> Set<Int> {
    switch kind {
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
      return Set(0..<start).union(bytes.keys.filter { $0 >= end })
        .union(fields(in: Array(start..<end)))
    case .type5:
      guard let magic = bytes[0], [0xE1, 0xE2].contains(magic) else { return [] }
      let start = bytes[2] == 0 ? 8 : 4
      let end = min(Self.largest, 1 + (bytes.keys.max() ?? 0))
      return Set(0..<start).union(fields(in: Array(start..<max(start, end))))
    case .classic: return classicStructure
    case .type3: return type3Structure
    case .type4:
      guard let high = bytes[0], let low = bytes[1] else { return [] }
      let length = Int(high) << 8 | Int(low)
      return Set(0..<2).union(headers(of: Array(2..<2 + length)))
    case .other: return []
    }
  }

  private static let capabilityMagic: UInt8 = 0xE1
  /// The size of the largest memory of any tag.
  private static let largest = 1 << 17

  /// The manufacturer's block, the directory and the sector trailers; messages occupy the data
  /// blocks of sectors 1 to 15 and from 17 on (AN1304, 2.3).
  private var classicStructure: Set<Int> {
    let blockSize = 16
    var kept: Set<Int> = []
    var stream: [Int] = []
    for block in 0..<256 {
      let addresses = block * blockSize..<(block + 1) * blockSize
      let isTrailer = block < 128 ? block % 4 == 3 : block % 16 == 15
      if isTrailer || block < 4 || 64..<68 ~= block {
        kept.formUnion(addresses)
      } else {
        stream += addresses
      }
    }
    return kept.union(fields(in: stream))
  }

  /// The attribute block; the message follows it (NFC Forum Type 3 Tag Operation, 6.1). FeliCa Lite
  /// has its configuration from block 80 on.
  private var type3Structure: Set<Int> {
    let (blockSize, firstSystemBlock) = (16, 0x80)
    let system = Set(bytes.keys.filter { $0 >= firstSystemBlock * blockSize })
    guard let version = bytes[0], version >> 4 == 1 else { return system }
    let length = (11..<14).reduce(0) { $0 << 8 | Int(bytes[$1] ?? 0) }
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
      // Lock and memory control; a message.
      if tag == 0x01 || tag == 0x02 { kept.formUnion(value) }
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
    while let header = byte(position), let typeLength = byte(position + 1) {
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
      guard end > position else { return kept }
      position = end
    }
    return kept
  }
}
