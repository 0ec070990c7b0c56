/// A file of a travel document that can be read (Doc 9303-10, 3.11 and 4.6).
///
/// Data groups 3 and 4, with fingerprints and irises, cannot be expressed: this module never reads them.
public struct DocumentFile: Hashable, Sendable {
  /// The name, as `--output` uses it: `EF.COM`, `DG1`.
  public let name: String
  /// The file identifier.
  let identifier: UInt16
  /// The short file identifier.
  let shortIdentifier: UInt8
  /// The first byte of the content; `nil` for a file of several objects.
  let tag: UInt8?

  private init(_ name: String, _ identifier: UInt16, short: UInt8, tag: UInt8?) {
    self.name = name
    self.identifier = identifier
    shortIdentifier = short
    self.tag = tag
  }

  /// The protocols that open the chip; in the master file.
  public static let cardAccess = DocumentFile("EF.CardAccess", 0x011C, short: 0x1C, tag: 0x31)
  /// The signed protocols and keys of the chip; in the master file.
  public static let cardSecurity = DocumentFile("EF.CardSecurity", 0x011D, short: 0x1D, tag: 0x30)
  /// The sizes of commands and answers; in the master file.
  public static let attributes = DocumentFile("EF.ATR-INFO", 0x2F01, short: 0x01, tag: nil)
  /// The applications; in the master file.
  public static let directory = DocumentFile("EF.DIR", 0x2F00, short: 0x1E, tag: nil)
  /// The list of data groups, which is not signed.
  public static let commonData = DocumentFile("EF.COM", 0x011E, short: 0x1E, tag: 0x60)
  /// The signed hashes of the data groups.
  public static let securityObject = DocumentFile("EF.SOD", 0x011D, short: 0x1D, tag: 0x77)

  /// A data group.
  public static func group(_ group: DataGroup) -> DocumentFile {
    let number = UInt8(group.number)
    return DocumentFile(
      "DG\(number)", 0x0100 | UInt16(number), short: number, tag: DataGroup.tags[group.number - 1])
  }
}

/// The number of a data group that can be read: 1 to 16 except 3 and 4 (Doc 9303-10, 4.7).
public struct DataGroup: Hashable, Sendable, Comparable {
  /// The number.
  public let number: Int

  /// The tags of data groups 1 to 16.
  static let tags: [UInt8] = [
    0x61, 0x75, 0x63, 0x76, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70,
  ]
  /// Fingerprints and irises: reading them requires terminal authentication, which this module does not have.
  public static let biometric: Set<Int> = [3, 4]

  /// Creates the number of a data group; `nil` for a number that is not one, and for 3 and 4.
  public init?(_ number: Int) {
    guard (1...16).contains(number), !Self.biometric.contains(number) else { return nil }
    self.number = number
  }

  private init(known number: Int) { self.number = number }

  /// The machine readable zone.
  public static let zone = DataGroup(known: 1)
  /// The face.
  public static let face = DataGroup(known: 2)
  /// The signature or usual mark.
  public static let signature = DataGroup(known: 7)
  /// Details of the holder.
  public static let personalDetails = DataGroup(known: 11)
  /// Details of the document.
  public static let issueDetails = DataGroup(known: 12)
  /// Protocols and keys of the chip.
  public static let securityInfos = DataGroup(known: 14)
  /// The key of active authentication.
  public static let activeAuthentication = DataGroup(known: 15)
  /// Persons to notify.
  public static let persons = DataGroup(known: 16)

  /// All of them.
  public static let all = (1...16).compactMap(DataGroup.init)

  /// Returns the number that belongs to a tag of EF.COM's list; `nil` for another tag.
  static func number(ofTag tag: UInt8) -> Int? { tags.firstIndex(of: tag).map { $0 + 1 } }

  public static func < (left: DataGroup, right: DataGroup) -> Bool { left.number < right.number }
}

extension DataGroup: CustomStringConvertible {
  public var description: String { "DG\(number)" }
}
