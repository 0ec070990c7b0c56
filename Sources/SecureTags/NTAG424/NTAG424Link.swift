import NDEF
import SwiftNFCCore
import SUNMessage

/// A link as an NTAG 424 DNA holds it: the NDEF file, and what the chip inserts where.
public struct NTAG424Link: Hashable, Sendable {
  /// The link with its placeholders.
  public let template: SUNTemplate
  /// The NDEF file: two bytes of length, and one URI record with zeros where the chip inserts data.
  public let file: [UInt8]
  /// The settings of the file that belong to the link.
  public let dynamicMessaging: NTAG424DynamicMessaging
  /// The options that the link was created with.
  public let options: Options

  /// The size of the NDEF file (NT4H2421Gx data sheet, table 5).
  public static let fileSize = 256
  /// The number of the NDEF file of an NTAG 424 DNA.
  public static let ndefFile = 2
  /// The number of keys of the chip.
  public static let keyCount = 5
  private static let lengthSize = 2

  /// The keys and options of a link.
  public struct Options: Hashable, Sendable {
    /// The number of the key that encrypts UID and counter (SDMMetaRead); not used if they are
    /// readable.
    public var metaReadKey = 2
    /// The number of the key for the MAC and the file data (SDMFileRead).
    public var fileReadKey = 1
    /// What the MAC covers. `automatic` covers the file data if there is any, otherwise nothing of
    /// the link, as most servers expect.
    public var macInput = SUNMACInput.automatic
    /// The data to encrypt, any bytes, padded with the digit zero (30). Whoever reads the file with a key finds them
    /// there as they are; see ``hasFileDataOutsideLinks``.
    public var fileData: [UInt8] = []
    /// The number of reads after which the file can no longer be read, 1 to 16777214; `nil` for no
    /// limit.
    public var counterLimit: Int?

    /// Whether the data to encrypt has bytes that no link has, such as blanks.
    public var hasFileDataOutsideLinks: Bool {
      !fileData.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Creates the usual options: the usual keys, and no limit.
    public init() {}
  }

  /// - Throws: ``NFCError/Code/capacityExceeded`` for a link that is too long for the file;
  ///   ``NFCError/Code/invalidParameter`` for options that the chip does not support: keys that it
  ///   does not have, more file data than there is room for, a MAC that begins after its own
  ///   position or the file data.
  public init(_ template: SUNTemplate, _ options: Options = Options()) throws {
    self.template = template
    self.options = options
    try Self.check(options, template)
    let link = template.link
    let record = URIRecord(String(decoding: link, as: UTF8.self)).record
    let encoded = NDEFMessage(records: [record]).encoded()
    guard encoded.count + Self.lengthSize <= Self.fileSize,
      let length = UInt16(exactly: encoded.count)
    else {
      throw NFCError(
        .capacityExceeded,
        "the link takes \(encoded.count + Self.lengthSize) bytes, and the tag has \(Self.fileSize)")
    }
    // The record has a code instead of the usual first characters of a link.
    let prefix = URIRecord.prefixes.prefix(Int(record.payload.first ?? 0) + 1).last ?? ""
    let first = template.places.values.map(\.lowerBound).min() ?? 0
    guard prefix.utf8.count <= first,
      record.payload.dropFirst().elementsEqual(link[prefix.utf8.count...])
    else {
      throw NFCError(.invalidParameter, "the link has a character that is not allowed in a record")
    }
    var file = length.bigEndianBytes + encoded
    if let place = template.places[.fileData] {
      // Only the first half of the place is encrypted (data sheet, 9.3.6). The chip encrypts any bytes, also those
      // that no link has: a phone gets them in hexadecimal.
      let start = file.count - link.count + place.lowerBound
      file.replaceSubrange(start..<start + options.fileData.count, with: options.fileData)
    }
    self.file = file
    dynamicMessaging = try Self.messaging(
      template, options, shift: file.count - link.count, prefixLength: prefix.utf8.count)
  }

  /// Returns the same link for a chip that uses AES or LRP; {picc} is longer with LRP.
  ///
  /// - Throws: ``NFCError/Code/capacityExceeded`` if the link is then too long for the file.
  public func adapted(to mode: SUNMode) throws -> NTAG424Link {
    guard template.mode != mode else { return self }
    do {
      return try NTAG424Link(SUNTemplate(template.text, mode: mode), options)
    } catch let error as SUNTemplateError {
      throw NFCError(.invalidParameter, "\(error)")
    }
  }

  private static func check(_ options: Options, _ template: SUNTemplate) throws {
    guard template.mode != .suncmac, template.places[.tamperStatus] == nil else {
      throw NFCError(
        .invalidParameter, "{tamper} and SUNCMAC are for NTAG 223 DNA and NTAG 224 DNA")
    }
    let keys = 0..<keyCount
    guard keys.contains(options.metaReadKey), keys.contains(options.fileReadKey) else {
      throw NFCError(.invalidParameter, "the tag has keys from 0 to \(keyCount - 1)")
    }
    let room = (template.places[.fileData]?.count ?? 0) / 2
    guard options.fileData.count <= room else {
      throw NFCError(
        .invalidParameter,
        "there are \(options.fileData.count) bytes of file data and room for \(room)")
    }
    if let limit = options.counterLimit {
      guard (1..<NTAG424DynamicMessaging.notMirrored).contains(limit) else {
        throw NFCError(.invalidParameter, "a read limit is 1 to 16777214")
      }
      guard template.places[.counter] != nil || template.places[.piccData] != nil else {
        throw NFCError(.invalidParameter, "a read limit requires a counter in the link")
      }
    }
  }

  private static func messaging(
    _ template: SUNTemplate, _ options: Options, shift: Int, prefixLength: Int
  ) throws -> NTAG424DynamicMessaging {
    func offset(_ part: SUNError.Part) -> Int? {
      template.places[part].map { $0.lowerBound + shift }
    }
    guard let mac = offset(.mac) else {
      throw NFCError(.invalidParameter, "the link has no MAC")
    }
    let fileData = template.places[.fileData].map {
      $0.lowerBound + shift..<$0.upperBound + shift
    }
    let start: Int
    switch options.macInput {
    case .none: start = mac
    case .automatic: start = fileData?.lowerBound ?? mac
    case .fileData:
      guard let fileData else { throw NFCError(.invalidParameter, "the link has no {enc}") }
      start = fileData.lowerBound
    case .firstMirror: start = (template.places.values.map(\.lowerBound).min() ?? 0) + shift
    case .link: start = shift + prefixLength
    case .offset(let place): start = min(max(place, -1), template.link.count) + shift
    }
    guard (shift + prefixLength...min(mac, fileData?.lowerBound ?? mac)).contains(start) else {
      throw NFCError(
        .invalidParameter, "the MAC cannot cover the link from there: it has to cover all of {enc}")
    }
    let identity: NTAG424DynamicMessaging.Identity =
      offset(.piccData).map {
        .encrypted(key: options.metaReadKey, offset: $0, hasUID: true, hasCounter: true)
      } ?? .plain(uidOffset: offset(.uid), counterOffset: offset(.counter))
    let counts = template.places[.counter] != nil || template.places[.piccData] != nil
    return NTAG424DynamicMessaging(
      identity: identity,
      authentication: NTAG424DynamicMessaging.Authentication(
        key: options.fileReadKey, inputOffset: start, offset: mac, fileData: fileData),
      counterRetrieval: counts ? .key(options.fileReadKey) : .nobody,
      counterLimit: options.counterLimit)
  }
}
