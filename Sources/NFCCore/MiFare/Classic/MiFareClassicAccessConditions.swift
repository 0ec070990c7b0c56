/// The access conditions of a MIFARE Classic sector: three bits for each of four groups of blocks.
///
/// Group 3 is the sector trailer. In a sector of four blocks groups 0 to 2 are the data blocks; in one
/// of sixteen each is five of them.
///
/// Source: MF1S50YYX and MF1S70YYX data sheets, 8.7, tables 6 to 8.
public struct MiFareClassicAccessConditions: Hashable, Sendable {
  /// What a data block is accessed for.
  public enum Operation: Hashable, Sendable, CaseIterable {
    /// READ.
    case read
    /// WRITE.
    case write
    /// INCREMENT.
    case increment
    /// DECREMENT, TRANSFER and RESTORE, which the card allows together.
    case decrementTransferRestore
  }

  /// The parts of a sector trailer.
  public struct TrailerFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Key A, which no card shows.
    public static let keyA = TrailerFields(rawValue: 1)
    /// The access bits and the general purpose byte.
    public static let accessBits = TrailerFields(rawValue: 2)
    /// Key B.
    public static let keyB = TrailerFields(rawValue: 4)
    /// The whole trailer.
    public static let all: TrailerFields = [.keyA, .accessBits, .keyB]
  }

  static let trailerGroup = 3
  static let groupCount = 4

  /// C1 C2 C3 of each of the four groups as a number, C1 its most significant bit, as the tables of the
  /// data sheet write them.
  public let groups: [UInt8]

  /// - Parameter groups: four numbers of three bits; `nil` for anything else.
  public init?(groups: [UInt8]) {
    guard groups.count == Self.groupCount, groups.allSatisfy({ $0 < 8 }) else { return nil }
    self.groups = groups
  }

  private init(data: UInt8, trailer: UInt8) { groups = [data, data, data, trailer] }

  /// Reads the three bytes 6 to 8 of a trailer; `nil` if a bit and its inverse do not differ, which
  /// closes the sector for good.
  public init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 3 else { return nil }
    let (c1, c2, c3) = (bytes[1] >> 4, bytes[2] & 0x0F, bytes[2] >> 4)
    guard ~bytes[0] & 0x0F == c1, ~bytes[0] >> 4 == c2, ~bytes[1] & 0x0F == c3 else { return nil }
    groups = (0..<Self.groupCount).map { group in
      (c1 >> group & 1) << 2 | (c2 >> group & 1) << 1 | (c3 >> group & 1)
    }
  }

  /// Bytes 6 to 8 of a trailer: each bit and its inverse.
  public var bytes: [UInt8] {
    var (c1, c2, c3): (UInt8, UInt8, UInt8) = (0, 0, 0)
    for (group, bits) in groups.enumerated() {
      c1 |= (bits >> 2 & 1) << group
      c2 |= (bits >> 1 & 1) << group
      c3 |= (bits & 1) << group
    }
    return [~c2 << 4 | ~c1 & 0x0F, c1 << 4 | ~c3 & 0x0F, c3 << 4 | c2]
  }

  /// FF 07 80, as on chip delivery: key A may do everything, key B is data (data sheet, 8.7.2).
  public static let transport = MiFareClassicAccessConditions(data: 0b000, trailer: 0b001)
  /// 78 77 88, of the application directory: either key reads, key B writes (AN1304, 6.4.1).
  public static let applicationDirectory = MiFareClassicAccessConditions(
    data: 0b100, trailer: 0b011)
  /// 7F 07 88, of NFC sectors: either key reads and writes, key B changes the trailer (AN1304, 6.4.1).
  public static let ndef = MiFareClassicAccessConditions(data: 0b000, trailer: 0b011)
  /// 07 8F 0F, of NFC sectors that are read-only for good: either key reads, nothing writes (AN1304,
  /// 6.4.1).
  public static let ndefReadOnly = MiFareClassicAccessConditions(data: 0b010, trailer: 0b110)

  /// Whether key B can be read with key A. It then is data and opens nothing (table 8, note 1).
  public var isKeyBReadable: Bool { [0b000, 0b010, 0b001].contains(groups[Self.trailerGroup]) }

  /// Whether a key may change the access bits again. Where none may, every condition of the sector is what
  /// it is for good, even if keys or data can still be written: all but 001, 011 and 101 (table 7).
  public var areAccessBitsWritable: Bool {
    [MiFareClassicKeyType.a, .b].contains {
      writableTrailerFields(with: $0).contains(.accessBits)
    }
  }

  /// Whether nobody can write a data block, and nobody can change that.
  var isReadOnlyForGood: Bool {
    guard !areAccessBitsWritable else { return false }
    return (0..<Self.trailerGroup).allSatisfy { group in
      [MiFareClassicKeyType.a, .b].allSatisfy { key in
        MiFareClassicAccessConditions.Operation.allCases.allSatisfy {
          $0 == .read || !allows($0, group: group, with: key)
        }
      }
    }
  }

  /// Table 8: whether a data block of a group may be accessed.
  ///
  /// - Parameter group: 0 to 2; `false` for any other.
  public func allows(
    _ operation: Operation, group: Int, with key: MiFareClassicKeyType
  ) -> Bool {
    guard (0..<Self.trailerGroup).contains(group) else { return false }
    if key == .b, isKeyBReadable { return false }
    switch (groups[group], operation) {
    case (0b000, _): return true
    case (0b010, .read), (0b100, .read), (0b110, .read), (0b001, .read): return true
    case (0b011, .read), (0b101, .read): return key == .b
    case (0b100, .write), (0b110, .write), (0b011, .write): return key == .b
    case (0b110, .increment): return key == .b
    case (0b110, .decrementTransferRestore), (0b001, .decrementTransferRestore): return true
    default: return false
    }
  }

  /// Table 7: what of the trailer a key may read. Key A never; what may not be read is zeros.
  public func readableTrailerFields(with key: MiFareClassicKeyType) -> TrailerFields {
    switch key {
    case .a: isKeyBReadable ? [.accessBits, .keyB] : .accessBits
    case .b: isKeyBReadable ? [] : .accessBits
    }
  }

  /// Table 7: what of the trailer a key may write.
  public func writableTrailerFields(with key: MiFareClassicKeyType) -> TrailerFields {
    switch (groups[Self.trailerGroup], key) {
    case (0b000, .a): [.keyA, .keyB]
    case (0b001, .a): .all
    case (0b100, .b): [.keyA, .keyB]
    case (0b011, .b): .all
    case (0b101, .b): .accessBits
    default: []
    }
  }
}

extension MiFareClassicAccessConditions: CustomStringConvertible {
  public var description: String { bytes.hexadecimal }
}
