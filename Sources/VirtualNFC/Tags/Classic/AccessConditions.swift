/// The access conditions of a MIFARE Classic sector: three bits for each of four groups of blocks.
///
/// Group 3 is the sector trailer. In a sector of four blocks, groups 0 to 2 are the data blocks; in a
/// sector of sixteen, each group has five blocks. Source: MF1S50YYX data sheet, revision 3.0, 8.7 with
/// tables 6 to 8 (MF1S70YYX the same).
struct AccessConditions: Hashable, Sendable {
  /// An operation on a block.
  enum Operation: Hashable, Sendable, CaseIterable {
    case read
    case write
    case increment
    case decrementTransferRestore
  }

  /// The fields of a sector trailer that a key may write.
  struct TrailerFields: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let keyA = TrailerFields(rawValue: 1)
    static let accessBits = TrailerFields(rawValue: 2)
    static let keyB = TrailerFields(rawValue: 4)
    static let all: TrailerFields = [.keyA, .accessBits, .keyB]
  }

  static let trailerGroup = 3

  /// C1 C2 C3 of each group as a number, with C1 as its most significant bit, as in the data sheet's
  /// tables.
  let groups: [UInt8]

  /// The place of each bit in figure 10 of the data sheet: its byte in the trailer, and the bit number
  /// for group 0. The bits of the other groups are to the left of it.
  private static let places: [(bit: (byte: Int, place: Int), inverse: (byte: Int, place: Int))] = [
    (bit: (7, 4), inverse: (6, 0)),  // C1
    (bit: (8, 0), inverse: (6, 4)),  // C2
    (bit: (8, 4), inverse: (7, 0)),  // C3
  ]

  /// Parses bytes 6 to 8 of a sector trailer; `nil` if a bit and its inverse are equal, which blocks the
  /// sector.
  init?(trailer: [UInt8]) {
    guard trailer.count == 16 else { return nil }
    var groups: [UInt8] = []
    for group in 0...Self.trailerGroup {
      var bits: UInt8 = 0
      for (bit, inverse) in Self.places {
        let isSet = trailer[bit.byte] >> UInt8(bit.place + group) & 1
        let isClear = trailer[inverse.byte] >> UInt8(inverse.place + group) & 1
        guard isSet != isClear else { return nil }
        bits = bits << 1 | isSet
      }
      groups.append(bits)
    }
    self.groups = groups
  }

  /// Creates access conditions from four numbers of three bits; further ones are ignored, missing ones
  /// are 0.
  init(groups: [UInt8]) {
    self.groups = (0..<4).map { $0 < groups.count ? groups[$0] & 7 : 0 }
  }

  /// Bytes 6 to 8 of a sector trailer.
  var bytes: [UInt8] {
    var bytes: [UInt8] = [0, 0, 0]
    for (group, bits) in groups.enumerated() {
      for (index, (bit, inverse)) in Self.places.enumerated() {
        let isSet = bits >> UInt8(2 - index) & 1
        bytes[bit.byte - 6] |= isSet << UInt8(bit.place + group)
        bytes[inverse.byte - 6] |= (1 - isSet) << UInt8(inverse.place + group)
      }
    }
    return bytes
  }

  // MARK: The data sheet's tables

  /// The keys that permit an operation.
  private struct Keys: OptionSet {
    let rawValue: UInt8
    static let a = Keys(rawValue: 1)
    static let b = Keys(rawValue: 2)
    static let either: Keys = [.a, .b]

    func has(_ key: MIFAREClassic.Key) -> Bool { contains(key == .a ? .a : .b) }
  }

  /// A row of table 7, for sector trailers; key A can never be read.
  private struct TrailerRow {
    let keyAWrite: Keys
    let accessBitsRead: Keys
    let accessBitsWrite: Keys
    let keyBRead: Keys
    let keyBWrite: Keys

    init(_ row: (Keys, Keys, Keys, Keys, Keys)) {
      (keyAWrite, accessBitsRead, accessBitsWrite, keyBRead, keyBWrite) = row
    }
  }

  /// Table 7, in the order of C1 C2 C3 as a number.
  private static let trailerTable: [TrailerRow] = [
    // key A written, access bits read, written, key B read, written
    TrailerRow((.a, .a, [], .a, .a)),  // 000
    TrailerRow((.a, .a, .a, .a, .a)),  // 001
    TrailerRow(([], .a, [], .a, [])),  // 010
    TrailerRow((.b, .either, .b, [], .b)),  // 011
    TrailerRow((.b, .either, [], [], .b)),  // 100
    TrailerRow(([], .either, .b, [], [])),  // 101
    TrailerRow(([], .either, [], [], [])),  // 110
    TrailerRow(([], .either, [], [], [])),  // 111
  ]

  /// Table 8, for data blocks, in the same order.
  private static let dataTable: [[Operation: Keys]] = [
    dataRow(.either, .either, .either, .either),  // 000
    dataRow(.either, [], [], .either),  // 001
    dataRow(.either, [], [], []),  // 010
    dataRow(.b, .b, [], []),  // 011
    dataRow(.either, .b, [], []),  // 100
    dataRow(.b, [], [], []),  // 101
    dataRow(.either, .b, .b, .either),  // 110
    dataRow([], [], [], []),  // 111
  ]

  private static func dataRow(
    _ read: Keys, _ write: Keys, _ increment: Keys, _ decrementTransferRestore: Keys
  ) -> [Operation: Keys] {
    [
      .read: read, .write: write, .increment: increment,
      .decrementTransferRestore: decrementTransferRestore,
    ]
  }

  private var trailerRow: TrailerRow { Self.trailerTable[Int(groups[Self.trailerGroup] & 7)] }

  /// Whether key B can be read with key A. Such a key B is data and cannot authenticate (table 8, note
  /// 1).
  var isKeyBReadable: Bool { trailerRow.keyBRead.contains(.a) }

  /// Returns whether a data block of a group may be accessed.
  ///
  /// - Parameter keyBOpens: whether key B is a key even if its bytes are readable on a Classic, as in a
  ///   MIFARE Plus.
  func allows(
    _ operation: Operation, group: Int, with key: MIFAREClassic.Key, keyBOpens: Bool = false
  ) -> Bool {
    guard groups.indices.contains(group), group != Self.trailerGroup else { return false }
    if key == .b, isKeyBReadable, !keyBOpens { return false }
    return Self.dataTable[Int(groups[group] & 7)][operation]?.has(key) ?? false
  }

  /// Returns whether the trailer may be read. Fields that may not be read are returned as zeros.
  func allowsTrailerRead(with key: MIFAREClassic.Key) -> Bool {
    trailerRow.accessBitsRead.has(key)
  }

  /// Whether any key may write the access bits (table 7).
  var canChangeAccessBits: Bool {
    [MIFAREClassic.Key.a, .b].contains { writableTrailerFields(with: $0).contains(.accessBits) }
  }

  /// Returns the fields of the trailer that a key may write (table 7).
  func writableTrailerFields(with key: MIFAREClassic.Key) -> TrailerFields {
    var fields: TrailerFields = []
    if trailerRow.keyAWrite.has(key) { fields.insert(.keyA) }
    if trailerRow.accessBitsWrite.has(key) { fields.insert(.accessBits) }
    if trailerRow.keyBWrite.has(key) { fields.insert(.keyB) }
    return fields
  }
}
