import SwiftNFCCore

/// The certificates and lists in a file.
struct TrustFile {
  private(set) var certificates: [Certificate] = []
  private(set) var revocationLists: [RevocationList] = []
  private(set) var lists: [SignedData] = []

  /// id-icao-cscaMasterList.
  private static let masterList = ASN1ObjectIdentifier.icaoSecurity.appending(2)

  init(_ file: [UInt8]) throws(DataObjectError) {
    if file.first == UInt8(BERObject.Universal.sequence) {
      try addDER(file)
      return
    }
    let lines = file.split { $0 == 0x0A || $0 == 0x0D }
    let isPEM = lines.contains { $0.starts(with: Self.begin) }
    if isPEM { try addPEM(lines) } else { try addLDIF(file) }
  }

  private mutating func addDER(_ bytes: [UInt8]) throws(DataObjectError) {
    if let certificate = Certificate(bytes) {
      certificates.append(certificate)
      return
    }
    if let list = RevocationList(bytes) {
      revocationLists.append(list)
      return
    }
    let list = try SignedData(bytes[...])
    guard list.contentType == Self.masterList else {
      throw DataObjectError("the signed data is not a master list", at: 0)
    }
    lists.append(list)
    // CscaMasterList: a version and a set of certificates.
    guard let set = try BERObject(list.content).children().last else {
      throw DataObjectError("the master list is malformed", at: 0)
    }
    certificates += try set.children().compactMap { Certificate($0) }
  }

  // MARK: PEM (RFC 7468)

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)

  private mutating func addPEM(_ lines: [ArraySlice<UInt8>]) throws(DataObjectError) {
    var text: [UInt8]?
    for line in lines {
      if line.starts(with: Self.begin) {
        text = []
      } else if line.starts(with: Self.end) {
        guard let content = text, let bytes = Base64.decode(content) else {
          throw DataObjectError("a block of PEM is malformed", at: line.startIndex)
        }
        text = nil
        try addDER(bytes)
      } else {
        text?.append(contentsOf: line)
      }
    }
  }

  // MARK: LDIF (RFC 2849)

  private static let listAttributes = ["cscamasterlistdata", "pkdmasterlistcontent"]
  private static let certificateAttributes = [
    "usercertificate;binary", "usercertificate", "cacertificate;binary", "cacertificate",
    "certificaterevocationlist;binary", "certificaterevocationlist",
  ]

  private mutating func addLDIF(_ file: [UInt8]) throws(DataObjectError) {
    var name = ""
    var value: [UInt8] = []
    var isBase64 = false
    var hasAttribute = false
    func isKnown(_ name: String) -> Bool {
      Self.listAttributes.contains(name) || Self.certificateAttributes.contains(name)
    }
    func finish(_ this: inout TrustFile) throws(DataObjectError) {
      guard isBase64, isKnown(name) else { return }
      hasAttribute = true
      guard let bytes = Base64.decode(value) else {
        throw DataObjectError("an attribute of the LDIF is not base64", at: 0)
      }
      try this.addDER(bytes)
    }
    for line in file.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A }) {
      let line = line.last == 0x0D ? line.dropLast() : line
      // A line that begins with a space continues the one before.
      if line.first == 0x20 {
        if isBase64 { value += line.dropFirst() }
        continue
      }
      try finish(&self)
      (name, value, isBase64) = ("", [], false)
      guard let colon = line.firstIndex(of: 0x3A) else { continue }
      name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let rest = line[(colon + 1)...]
      isBase64 = rest.first == 0x3A
      if isBase64, isKnown(name) { value = Array(rest.dropFirst().drop { $0 == 0x20 }) }
    }
    try finish(&self)
    guard hasAttribute else {
      throw DataObjectError(
        "it is neither a certificate, nor a list of them, nor an LDIF with one", at: 0)
    }
  }
}

/// Base64 (RFC 4648, 4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Decodes text in which blanks are ignored; `nil` for another character, and for bits that are left over.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (buffer, bits, padding) = (UInt32(0), 0, 0)
    for character in text where character != 0x20 && character != 0x09 {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = values[Int(character)] else { return nil }
      buffer = (buffer << 6 | UInt32(value)) & 0xFFFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    guard padding <= 2, bits < 6 else { return nil }
    return bytes
  }
}
