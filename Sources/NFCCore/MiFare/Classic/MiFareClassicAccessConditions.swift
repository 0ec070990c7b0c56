/// The access conditions of a MIFARE Classic sector: three bits for each of four groups of blocks.
///
/// Group 3 is the sector trailer. In a sector of four blocks, groups 0 to 2 are the data blocks; in
/// a sector of sixteen, each of these groups is five blocks.
///
/// Source: MF1S50YYX and MF1S70YYX data sheets, 8.7, tables 6 to 8.
public struct MiFareClassicAccessConditions: Hashable, Sendable {
  /// An operation on a data block.
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

    /// Key A, which no card reveals.
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

  /// The bits C1 C2 C3 of each of the four groups as a number, C1 being the most significant bit,
  /// as in the tables of the data sheet.
  public let groups: [UInt8]

  /// - Parameter groups: four numbers of three bits; `nil` for anything else.
  public init?(groups: [UInt8]) {
    guard groups.count == Self.groupCount, groups.allSatisfy({ $0 < 8 }) else { return nil }
    self.groups = groups
  }

  private init(data: UInt8, trailer: UInt8) { groups = [data, data, data, trailer] }

  /// Parses bytes 6 to 8 of a trailer; `nil` if a bit equals its inverse, which closes the sector
  /// permanently.
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

  /// FF 07 80, the value on delivery: key A has all rights, key B is data (data sheet, 8.7.2).
  public static let transport = MiFareClassicAccessConditions(data: 0b000, trailer: 0b001)
  /// 78 77 88, for the application directory: either key reads, key B writes (AN1304, 6.4.1).
  public static let applicationDirectory = MiFareClassicAccessConditions(
    data: 0b100, trailer: 0b011)
  /// 7F 07 88, for NFC sectors: either key reads and writes, key B changes the trailer (AN1304,
  /// 6.4.1).
  public static let ndef = MiFareClassicAccessConditions(data: 0b000, trailer: 0b011)
  /// 07 8F 0F, for NFC sectors that are permanently read-only: either key reads, nothing writes
  /// (AN1304, 6.4.1).
  public static let ndefReadOnly = MiFareClassicAccessConditions(data: 0b010, trailer: 0b110)

  /// Whether key B can be read with key A. It is then data and opens nothing (table 8, note 1).
  public var isKeyBReadable: Bool { [0b000, 0b010, 0b001].contains(groups[Self.trailerGroup]) }

  /// Whether a key may change the access bits again. If not, the conditions of the sector are
  /// permanent, even if keys or data can still be written: all values except 001, 011 and 101
  /// (table 7).
  public var areAccessBitsWritable: Bool {
    [MiFareClassicKeyType.a, .b].contains {
      writableTrailerFields(with: $0).contains(.accessBits)
    }
  }

  /// Whether no key can write a data block, or change this condition.
  var isPermanentlyReadOnly: Bool {
    guard !areAccessBitsWritable else { return false }
    return (0..<Self.trailerGroup).allSatisfy { group in
      [MiFareClassicKeyType.a, .b].allSatisfy { key in
        MiFareClassicAccessConditions.Operation.allCases.allSatisfy {
          $0 == .read || !allows($0, group: group, with: key)
        }
      }
    }
  }

  /// Returns whether a data block of a group may be accessed, according to table 8.
  ///
  /// - Parameter group: 0 to 2; the result is `false` for any other.
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

  /// Returns the fields of the trailer that a key may read, according to table 7. Key A can never
  /// be read; fields that may not be read are zeros.
  public func readableTrailerFields(with key: MiFareClassicKeyType) -> TrailerFields {
    switch key {
    case .a: isKeyBReadable ? [.accessBits, .keyB] : .accessBits
    case .b: isKeyBReadable ? [] : .accessBits
    }
  }

  /// Returns the fields of the trailer that a key may write, according to table 7.
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
