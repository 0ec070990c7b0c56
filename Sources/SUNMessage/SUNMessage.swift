/// The data that an NTAG 424 DNA, or another chip with Secure Dynamic Messaging, has inserted into
/// a link: its UID, the number of reads, a part of its file, and a MAC over them (Secure Unique NFC
/// message, SUN). NTAG 223 DNA and NTAG 224 DNA insert UID, number of reads and a MAC as well
/// (``SUNMode/suncmac``).
///
/// ```swift
/// let message = try SUNMessage(url: "https://ntag.nxp.com/424?e=EF963FF7…&c=94EED9EE65337086")
/// let reading = try message.verified(metaReadKey: key, fileReadKey: key)
/// // A counter for each chip; nil for a chip that is new.
/// let last = lastCounters[reading.uid ?? []]
/// let isNew = last.map { reading.readCounter ?? 0 > $0 } ?? true  // otherwise copied, or loaded again
/// ```
///
/// The value does no I/O. A verified link was made by the chip. Only a counter that is greater than
/// the last one seen shows that it was made just now.
///
/// Source: NXP AN12196; NT4H2421Gx data sheet, 9.3; for NTAG 223 DNA and NTAG 224 DNA, NXP AN12998, as
/// Proxmark3 cites it (`ntag22x_libsuncmac.py`).
public struct SUNMessage: Hashable, Sendable {
  /// UID and read counter as the link contains them.
  public enum PICCData: Hashable, Sendable {
    /// Encrypted: 16 bytes, or 24 of a chip that uses LRP.
    case encrypted([UInt8])
    /// Readable by everyone; either may be missing.
    case plain(uid: [UInt8]?, readCounter: UInt32?)
  }

  /// UID and read counter as the link contains them.
  public let piccData: PICCData
  /// The encrypted part of the file (SDMENCFileData), in whole blocks of 16 bytes.
  public let encryptedFileData: [UInt8]?
  /// SDMMAC or SUNCMAC, 8 bytes.
  public let mac: [UInt8]
  /// The status that a StatusDetect chip inserts; `nil` for every other chip.
  public let tamperStatus: SUNTamperStatus?

  /// The link as the chip sent it, in UTF-8.
  let link: [UInt8]
  let places: [SUNError.Part: Range<Int>]

  /// UIDs of other lengths are not defined (NT4H2421Gx data sheet, table 21).
  static let uidSize = 7
  static let counterSize = 3
  static let macSize = 8

  /// Parses a link whose query contains the parts.
  ///
  /// In addition to parameters with these names, two other forms are accepted: one parameter with
  /// all parts, separated by an `x`, and one parameter with encrypted PICC data, file data and MAC
  /// one after the other.
  ///
  /// - Throws: ``SUNError/missing(_:)``, ``SUNError/malformed(_:_:)``.
  public init(url: String, names: SUNParameterNames = .common) throws(SUNError) {
    let link = Array(url.utf8)
    try self.init(link: link, places: SUNQuery(link).places(names))
  }

  /// Parses a link with the parts at the positions of a template.
  ///
  /// - Throws: ``SUNError/differsFromTemplate(offset:)``, ``SUNError/malformed(_:_:)``.
  public init(url: String, template: SUNTemplate) throws(SUNError) {
    let link = Array(url.utf8)
    try self.init(link: link, places: template.places(in: link))
  }

  init(link: [UInt8], places: [SUNError.Part: Range<Int>]) throws(SUNError) {
    var link = link
    func bytes(_ part: SUNError.Part, _ isLong: (Int) -> Bool) throws(SUNError) -> [UInt8]? {
      guard let place = places[part] else { return nil }
      guard let bytes = HexadecimalText.bytes(link[place]), isLong(bytes.count) else {
        throw .malformed(part, part.form)
      }
      return bytes
    }
    guard let mac = try bytes(.mac, { $0 == Self.macSize }) else { throw .missing(.mac) }
    self.mac = mac
    encryptedFileData = try bytes(.fileData) { $0 > 0 && $0 % AESBlock.size == 0 }
    if let data = try bytes(.piccData, { SUNMode(piccDataSize: $0) != nil }) {
      // The status stands after a readable UID and counter; in a link of another chip, nothing covers it.
      guard places[.tamperStatus] == nil else { throw .missing(.uid) }
      piccData = .encrypted(data)
    } else {
      let uid = try bytes(.uid) { $0 == Self.uidSize }
      let counter = try bytes(.counter) { $0 == Self.counterSize }
      guard uid != nil || counter != nil else { throw .missing(.piccData) }
      piccData = .plain(
        uid: uid, readCounter: counter.map { $0.reduce(0) { $0 << 8 | UInt32($1) } })
    }
    if let place = places[.tamperStatus] {
      guard let status = SUNTamperStatus(link[place]) else {
        throw .malformed(.tamperStatus, SUNError.Part.tamperStatus.form)
      }
      tamperStatus = status
    } else {
      tamperStatus = nil
    }
    // The chip writes capitals (data sheet, 9.3.3) and computes the MAC over them; programs that
    // pass on links may change them.
    for place in places.values {
      for index in place { link[index] = HexadecimalText.capital(link[index]) }
    }
    self.link = link
    self.places = places
  }
}

/// The cryptography of the chip.
@nonexhaustive
public enum SUNMode: String, Hashable, Sendable {
  /// AES-128 with CMAC (NXP AN12196).
  case aes = "AES"
  /// The leakage resilient primitive of NXP AN12304.
  case lrp = "LRP"
  /// SUNCMAC of NTAG 223 DNA and NTAG 224 DNA: AES-128 with CMAC over UID, counter and, for StatusDetect chips, tamper
  /// status, with the chip's key itself (NXP AN12998).
  case suncmac = "SUNCMAC"

  /// Creates the mode from the length of the encrypted PICC data: 16 bytes, or 24 with 8 random
  /// ones before them (data sheet, 9.3.4).
  init?(piccDataSize: Int) {
    switch piccDataSize {
    case SUNMode.aes.piccDataSize: self = .aes
    case SUNMode.lrp.piccDataSize: self = .lrp
    default: return nil
    }
  }

  var piccDataSize: Int { self == .lrp ? 24 : 16 }
}

/// The content of a verified message.
public struct SUNReading: Hashable, Sendable {
  /// The UID, 7 bytes; `nil` if the chip does not include it in the link.
  public let uid: [UInt8]?
  /// The number of times that the chip has been read, starting with 1; `nil` if the chip does not
  /// include it in the link. An NTAG 223 DNA or NTAG 224 DNA whose counter is off includes 0 every time.
  public let readCounter: UInt32?
  /// The decrypted part of the file.
  public let fileData: [UInt8]?
  /// The cryptography that the message was verified with.
  public let mode: SUNMode
  /// The part of the link that the MAC covers in addition to UID and counter; often empty. Anyone
  /// who has the link may have changed the rest of it.
  public let authenticatedText: String
  /// The verified status of a StatusDetect chip; `nil` for every other chip.
  public let tamperStatus: SUNTamperStatus?
}

extension SUNError.Part {
  var form: String {
    switch self {
    case .piccData: "32 hexadecimal digits, or 48 with LRP"
    case .uid: "14 hexadecimal digits"
    case .counter: "6 hexadecimal digits"
    case .fileData: "32 hexadecimal digits or a multiple"
    case .mac: "16 hexadecimal digits"
    case .tamperStatus: "two of the characters C, O, I and 0, and 8 hexadecimal digits"
    }
  }

  /// Returns whether this part can have this number of digits.
  func canHave(digits: Int) -> Bool {
    switch self {
    case .piccData: SUNMode(piccDataSize: digits / 2) != nil && digits % 2 == 0
    case .uid: digits == 2 * SUNMessage.uidSize
    case .counter: digits == 2 * SUNMessage.counterSize
    case .fileData: digits > 0 && digits % (2 * AESBlock.size) == 0
    case .mac: digits == 2 * SUNMessage.macSize
    case .tamperStatus: digits == SUNTamperStatus.length
    }
  }
}

/// Hexadecimal digits in ASCII.
enum HexadecimalText {
  static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let values = text.map(value)
    guard text.count % 2 == 0, !values.contains(nil) else { return nil }
    let digits = values.compactMap { $0 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  static func isHexadecimal(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { value($0) != nil }
  }

  static func capital(_ letter: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) ? letter & 0xDF : letter
  }

  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
