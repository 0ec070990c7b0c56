/// A link with placeholders for the data that the chip inserts:
/// `https://example.com/?p={picc}&c={mac}`.
///
/// | Place | Stands for | Characters |
/// |---|---|---|
/// | `{uid}` | the UID | 14 |
/// | `{counter}`, `{ctr}` | the read counter | 6 |
/// | `{picc}` | both, encrypted | 32, with LRP 48 |
/// | `{enc}`, `{enc:N}` | N bytes of the file, encrypted; 16 unless given, a multiple of 16 | 2 N |
/// | `{tamper}` | the status of a StatusDetect chip (NTAG 223 DNA, NTAG 224 DNA) | 10 |
/// | `{mac}`, `{cmac}` | the MAC, which every template has | 16 |
///
/// Everything else is part of the link as it is.
public struct SUNTemplate: Hashable, Sendable {
  /// The text as it was written.
  public let text: String
  /// The cryptography that the chip is configured for.
  public let mode: SUNMode

  /// The link in UTF-8 with a zero (30) for each character that the chip inserts.
  package let link: [UInt8]
  /// The bytes of ``link`` that the chip replaces.
  package let places: [SUNError.Part: Range<Int>]

  /// - Throws: ``SUNTemplateError``.
  public init(_ text: String, mode: SUNMode = .aes) throws(SUNTemplateError) {
    self.text = text
    self.mode = mode
    var link: [UInt8] = []
    var places: [SUNError.Part: Range<Int>] = [:]
    var rest = Array(text.utf8)[...]
    while let first = rest.first {
      if first == UInt8(ascii: "}") { throw .unknownPlace(offset: rest.startIndex) }
      guard first == UInt8(ascii: "{") else {
        link.append(first)
        rest = rest.dropFirst()
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: "}")),
        let place = Self.place(rest[(rest.startIndex + 1)..<end], mode)
      else { throw .unknownPlace(offset: rest.startIndex) }
      guard places[place.part] == nil else { throw .repeated(place.part) }
      places[place.part] = link.count..<link.count + place.length
      link += [UInt8](repeating: UInt8(ascii: "0"), count: place.length)
      rest = rest[(end + 1)...]
    }
    self.link = link
    self.places = places
    try check()
  }

  /// Checks the rules of the chip for combinations of parts: NT4H2421Gx data sheet, 10.7.1, tables
  /// 69 and 71.
  private func check() throws(SUNTemplateError) {
    guard let mac = places[.mac] else { throw .missing(.mac) }
    let hasPlain = places[.uid] != nil || places[.counter] != nil
    guard hasPlain || places[.piccData] != nil else { throw .missing(.piccData) }
    guard !hasPlain || places[.piccData] == nil else { throw .bothPlainAndEncrypted }
    if places[.tamperStatus] != nil {
      guard places[.uid] != nil, places[.counter] != nil else {
        throw .missing(places[.uid] == nil ? .uid : .counter)
      }
      guard places[.fileData] == nil else { throw .ofDifferentChips(.fileData, .tamperStatus) }
    }
    guard let fileData = places[.fileData] else { return }
    guard places[.piccData] != nil || (places[.uid] != nil && places[.counter] != nil) else {
      throw .missing(places[.uid] == nil ? .uid : .counter)
    }
    guard fileData.upperBound <= mac.lowerBound else { throw .fileDataAfterMAC }
  }

  /// A size that exceeds every file of a chip.
  private static let longestFileData = 4096

  private static func place(
    _ name: ArraySlice<UInt8>, _ mode: SUNMode
  ) -> (part: SUNError.Part, length: Int)? {
    let text = String(decoding: name, as: UTF8.self)
    switch text {
    case "uid": return (.uid, 2 * SUNMessage.uidSize)
    case "counter", "ctr": return (.counter, 2 * SUNMessage.counterSize)
    case "picc", "picc_data": return (.piccData, 2 * mode.piccDataSize)
    case "mac", "cmac": return (.mac, 2 * SUNMessage.macSize)
    case "tamper": return (.tamperStatus, SUNTamperStatus.length)
    case "enc": return (.fileData, 2 * AESBlock.size)
    default:
      let prefix = "enc:"
      guard text.hasPrefix(prefix), let count = Int(text.dropFirst(prefix.count)),
        (1...longestFileData).contains(count), count % AESBlock.size == 0
      else { return nil }
      return (.fileData, 2 * count)
    }
  }

  /// Returns the places of the parts in a link of this form.
  func places(in other: [UInt8]) throws(SUNError) -> [SUNError.Part: Range<Int>] {
    let filled = Set(places.values.flatMap { Array($0) })
    for index in 0..<min(link.count, other.count)
    where !filled.contains(index) && link[index] != other[index] {
      throw .differsFromTemplate(offset: index)
    }
    guard other.count == link.count else {
      throw .differsFromTemplate(offset: min(other.count, link.count))
    }
    return places
  }
}

/// The reason why a text is not a template.
@nonexhaustive
public enum SUNTemplateError: Error, Hashable, Sendable {
  /// The text in braces at this byte is not a placeholder, or the braces do not match.
  case unknownPlace(offset: Int)
  /// The template contains this part twice.
  case repeated(SUNError.Part)
  /// The chip requires this part in addition to the others.
  case missing(SUNError.Part)
  /// The link contains UID and counter either encrypted or readable, not both.
  case bothPlainAndEncrypted
  /// The chip requires the MAC after the data that it covers.
  case fileDataAfterMAC
  /// No chip inserts both parts.
  case ofDifferentChips(SUNError.Part, SUNError.Part)
}

extension SUNTemplateError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownPlace(let offset):
      "byte \(offset) begins none of {uid}, {counter}, {picc}, {enc}, {enc:N} with N a multiple of 16, {tamper}, {mac}"
    case .repeated(let part): "the \(part) occurs twice in the template"
    case .missing(.mac): "the template has no {mac}"
    case .missing(.piccData): "the template has neither {picc} nor {uid} nor {counter}"
    case .missing(let part):
      "{enc} needs {picc}, or {uid} and {counter}, {tamper} needs the last two, and there is no \(part)"
    case .bothPlainAndEncrypted:
      "{picc} holds UID and counter, and there is also {uid} or {counter}"
    case .fileDataAfterMAC: "{enc} is after {mac}, and the chip supports it only before"
    case .ofDifferentChips(let first, let second): "no chip inserts \(first) and a \(second)"
    }
  }
}
