/// The access conditions of a MIFARE Classic sector: three bits for each of four groups of blocks.
///
/// Group 3 is the sector trailer. In a sector of four blocks groups 0 to 2 are the data blocks; in
/// one of sixteen each is five of them.
/// Source: MF1S50YYX data sheet, revision 3.0, 8.7 with tables 6 to 8 (MF1S70YYX the same).
struct AccessConditions: Hashable, Sendable {
  /// What a block is accessed for.
  enum Operation: Hashable, Sendable, CaseIterable {
    case read
    case write
    case increment
    case decrementTransferRestore
  }

  /// What of a sector trailer a key may write.
  struct TrailerFields: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let keyA = TrailerFields(rawValue: 1)
    static let accessBits = TrailerFields(rawValue: 2)
    static let keyB = TrailerFields(rawValue: 4)
    static let all: TrailerFields = [.keyA, .accessBits, .keyB]
  }

  static let trailerGroup = 3

  /// C1 C2 C3 of each group as a number, C1 its most significant bit, as the data sheet's tables
  /// write them.
  let groups: [UInt8]

  /// Reads bytes 6 to 8 of a sector trailer; `nil` if a bit and its inverse do not differ, which
  /// blocks the sector.
  init?(trailer: [UInt8]) {
    guard trailer.count == 16 else { return nil }
    let (byte6, byte7, byte8) = (trailer[6], trailer[7], trailer[8])
    let (c1, c2, c3) = (byte7 >> 4, byte8 & 0x0F, byte8 >> 4)
    guard ~byte6 & 0x0F == c1, ~byte6 >> 4 == c2, ~byte7 & 0x0F == c3 else { return nil }
    groups = (0..<4).map { group in
      (c1 >> group & 1) << 2 | (c2 >> group & 1) << 1 | (c3 >> group & 1)
    }
  }

  /// Four numbers of three bits; further ones are ignored, missing ones are 0.
  init(groups: [UInt8]) {
    self.groups = (0..<4).map { $0 < groups.count ? groups[$0] & 7 : 0 }
  }

  /// Bytes 6 to 8 of a sector trailer.
  var bytes: [UInt8] {
    var (c1, c2, c3): (UInt8, UInt8, UInt8) = (0, 0, 0)
    for (group, bits) in groups.enumerated() {
      c1 |= (bits >> 2 & 1) << group
      c2 |= (bits >> 1 & 1) << group
      c3 |= (bits & 1) << group
    }
    return [~c2 << 4 | ~c1 & 0x0F, c1 << 4 | ~c3 & 0x0F, c3 << 4 | c2]
  }

  /// Whether key B can be read by key A. It then is data and opens nothing (table 8, note 1).
  var isKeyBReadable: Bool { [0b000, 0b010, 0b001].contains(groups[Self.trailerGroup]) }

  /// Table 8: whether a data block of a group may be accessed.
  func allows(_ operation: Operation, group: Int, with key: MIFAREClassic.Key) -> Bool {
    guard groups.indices.contains(group), group != Self.trailerGroup else { return false }
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

  /// Table 7: whether the trailer may be read. What may not be read of it is zeros.
  func allowsTrailerRead(with key: MIFAREClassic.Key) -> Bool {
    key == .a || !isKeyBReadable
  }

  /// Table 7: what of the trailer a key may write.
  func writableTrailerFields(with key: MIFAREClassic.Key) -> TrailerFields {
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
