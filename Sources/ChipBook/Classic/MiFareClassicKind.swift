/// The meaning of a SAK for cards with MIFARE Classic sectors: one row for each SAK.
///
/// All code that needs the meaning of a SAK uses this table. A card that supports ISO/IEC 14443-4
/// in addition to its sectors also has a row: only the way of its activation determines which of
/// the two it is.
///
/// Sources: NXP AN10833, table 6; for other makers' cards the lists of libnfc (`target-subr.c`) and Proxmark3
/// (`cmdhf14a.c`).
package struct MiFareClassicKind: Hashable, Sendable {
  package let sak: UInt8
  let id: ChipID
  /// The number of sectors, as far as the SAK says: a MIFARE Plus of 2 KB in security level 1 has
  /// the SAK of 1 KB.
  package let geometry: MiFareClassicGeometry
  let name: String
  let maker: String

  private init(
    _ sak: UInt8, _ id: ChipID, _ geometry: MiFareClassicGeometry, _ name: String,
    maker: String = "NXP"
  ) {
    self.sak = sak
    self.id = id
    self.geometry = geometry
    self.name = name
    self.maker = maker
  }

  package static let all = [
    // Skylanders figures have it.
    MiFareClassicKind(0x01, "tnp3xxx", .oneK, "TNP3xxx"),
    MiFareClassicKind(0x08, "classic1K", .oneK, "MIFARE Classic 1K"),
    MiFareClassicKind(0x09, "classicMini", .mini, "MIFARE Classic Mini"),
    // Security level 2.
    MiFareClassicKind(0x10, "plus2K", .twoK, "MIFARE Plus 2K"),
    MiFareClassicKind(0x11, "plus4K", .fourK, "MIFARE Plus 4K"),
    MiFareClassicKind(0x18, "classic4K", .fourK, "MIFARE Classic 4K"),
    MiFareClassicKind(0x19, "classic2K", .twoK, "MIFARE Classic 2K"),
    MiFareClassicKind(0x28, "smartMXWithClassic1K", .oneK, "SmartMX with MIFARE Classic 1K"),
    MiFareClassicKind(0x38, "smartMXWithClassic4K", .fourK, "SmartMX with MIFARE Classic 4K"),
    MiFareClassicKind(0x88, "infineonClassic1K", .oneK, "MIFARE Classic 1K", maker: "Infineon"),
    MiFareClassicKind(
      0x98, "mpcosWithClassic4K", .fourK, "MPCOS with MIFARE Classic 4K", maker: "Gemplus"),
  ]

  /// `nil` for a SAK that no card with such sectors has.
  package init?(sak: UInt8) {
    guard let kind = Self.all.first(where: { $0.sak == sak }) else { return nil }
    self = kind
  }

  package var product: TagProduct {
    TagProduct(id, name: name, maker: maker, memorySize: geometry.memorySize)
  }
}
