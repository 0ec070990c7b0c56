import NDEF
import TagImages
import TravelDocuments

@testable import SwiftNFCCore

/// Hands bytes to a decoder, as the seeded run of the tests and the longer one of Scripts/fuzz do.
///
/// Every decoder is to end with a value or an error, whatever it is given: a trap ends the process.
/// What it accepts must come back from its encoding, where it has one.
enum DecoderFuzz: UInt8, CaseIterable, Sendable {
  case message, typedRecords, tagLengthValues, type12Container, type3AttributeBlock
  case type4Container, type5Container, commandAPDU, responseAPDU
  case iso15693Request, iso15693Response, iso15693SystemInformation
  case accessConditions, applicationDirectory, tagImage, travelDocument

  /// The first byte chooses the decoder; the rest is for it.
  ///
  /// - Returns: what is wrong, `nil` if nothing is.
  static func run(_ input: [UInt8]) -> String? {
    guard let first = input.first,
      let decoder = DecoderFuzz(rawValue: first % UInt8(allCases.count))
    else { return nil }
    return decoder.decode(Array(input.dropFirst())) ? nil : "\(decoder) is not consistent"
  }

  /// Whether the decoder agrees with itself.
  private func decode(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .message: return Self.message(bytes)
    case .typedRecords: return Self.typedRecords(bytes)
    case .tagLengthValues: return Self.tagLengthValues(bytes)
    case .type12Container:
      _ = Type2CapabilityContainer(bytes)
      return ControlledArea(tag: bytes.first ?? 0, value: Array(bytes.dropFirst()))
        .map { $0.bytes.lowerBound >= 0 } ?? true
    case .type3AttributeBlock:
      _ = try? Type3AttributeBlock(bytes)
      return true
    case .type4Container:
      _ = try? Type4CapabilityContainer.neededLength(bytes)
      _ = try? Type4CapabilityContainer(bytes)
      return true
    case .type5Container:
      _ = try? Type5CapabilityContainer(decoding: bytes)
      return true
    case .commandAPDU:
      guard let command = APDU(bytes) else { return true }
      return command.encoded == bytes
    case .responseAPDU:
      _ = try? ResponseAPDU(bytes)
      return true
    case .iso15693Request:
      _ = try? ISO15693Request(decoding: bytes)
      return true
    case .iso15693Response:
      _ = try? ISO15693Response(decoding: bytes)
      _ = try? ISO15693Block.decode(
        bytes, count: bytes.first.map { Int($0) } ?? 0, hasSecurityStatus: bytes.count % 2 == 0)
      return true
    case .iso15693SystemInformation:
      for form in [ISO15693SystemInformation.Form.ordinary, .protocolExtension, .extended] {
        _ = try? ISO15693SystemInformation(decoding: bytes, form: form)
      }
      return true
    case .travelDocument:
      Self.travelDocument(bytes)
      return true
    case .accessConditions:
      _ = MiFareClassicAccessConditions(bytes: bytes)
      return (try? MiFareClassicSectorTrailer(bytes)).map { $0.bytes == bytes } ?? true
    case .applicationDirectory:
      for part in MiFareApplicationDirectory.Part.allCases {
        _ = try? MiFareApplicationDirectory(bytes, part: part)
        guard bytes.count > 1 else { continue }
        let checked = [MiFareApplicationDirectory.check(bytes.dropFirst())] + bytes.dropFirst()
        _ = try? MiFareApplicationDirectory(checked, part: part)
      }
      return true
    case .tagImage: return Self.tagImage(bytes)
    }
  }

  /// A file in the format that the first byte chooses. What is written is read again, and holds all that it does
  /// not say it lost.
  private static func tagImage(_ bytes: [UInt8]) -> Bool {
    let formats = ImageFormat.allCases
    let format = formats[Int(bytes.first ?? 0) % formats.count]
    guard let image = try? format.decode(Array(bytes.dropFirst())) else { return true }
    _ = image.comparison(with: image)
    return formats.allSatisfy { other in
      guard let encoding = try? other.encode(image) else { return true }
      guard let copy = try? other.decode(encoding.bytes) else { return false }
      return copy.kind != image.kind || (try? other.encode(copy).bytes) == encoding.bytes
    }
  }

  private static func message(_ bytes: [UInt8]) -> Bool {
    let (lenient, error) = NDEFMessage.decodeLeniently(bytes)
    if let strict = try? NDEFMessage(decoding: bytes) {
      guard strict == lenient, error == nil else { return false }
    } else if error == nil {
      return false
    }
    let canonical = lenient.encoded()
    for record in lenient.records { _ = try? record.decoded }
    return (try? NDEFMessage(decoding: canonical)) == lenient
      && canonical.count == lenient.encodedLength
  }

  /// The types that are decoded, so that a run need not guess them.
  private static let types: [(TypeNameFormat, String)] = [
    (.wellKnown, "U"), (.wellKnown, "T"), (.wellKnown, "Sp"), (.wellKnown, "Hs"),
    (.wellKnown, "Hr"), (.wellKnown, "Hc"), (.wellKnown, "ac"), (.wellKnown, "Sig"),
    (.wellKnown, "Di"), (.wellKnown, "err"), (.wellKnown, "act"),
    (.media, "application/vnd.wfa.wsc"), (.media, "application/vnd.bluetooth.ep.oob"),
    (.media, "application/vnd.bluetooth.le.oob"), (.media, "text/vcard"),
    (.media, "image/png"), (.external, "android.com:pkg"), (.external, "example.com:t"),
    (.absoluteURI, "https://example.com"), (.unknown, ""),
  ]

  private static func typedRecords(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    let (format, type) = types[Int(first) % types.count]
    let record = NDEFRecord(
      typeNameFormat: format, type: Array(type.utf8), payload: Array(bytes.dropFirst()))
    guard let typed = try? record.decoded else { return true }
    return survives(typed)
  }

  private static func survives<Typed: NDEFTypedRecord>(_ typed: Typed) -> Bool {
    (try? Typed(typed.record)) == typed
  }

  private static func tagLengthValues(_ bytes: [UInt8]) -> Bool {
    var offset = 0
    func byte(_ offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }
    while let step = try? TagLengthValue.step(at: offset, size: bytes.count, byte) {
      guard case .block(let block) = step else { break }
      guard block.end > offset, block.end <= bytes.count else { return false }
      _ = block.following(size: bytes.count, byte)
      offset = block.end
    }
    return true
  }
}

extension DecoderFuzz {
  /// The files of a travel document, its zone, and the lists of those who sign it.
  private static func travelDocument(_ bytes: [UInt8]) {
    _ = try? BERObject(bytes).children()
    _ = try? SecurityInfos(bytes)
    _ = try? SecurityInfos(dataGroup: bytes)
    _ = try? CommonData(bytes)
    _ = try? ChipAttributes(bytes)
    _ = try? ApplicationDirectory(bytes)
    _ = try? PersonalDetails(bytes)
    _ = try? IssueDetails(bytes)
    _ = try? PersonToNotify.all(in: bytes)
    _ = try? FacialRecord.all(in: bytes)
    _ = FacialRecord(bytes[...])
    _ = DocumentImage(bytes[...])
    _ = try? DisplayedImages.all(in: bytes)
    _ = Certificate(bytes)
    var store = TrustStore()
    try? store.add(bytes, name: "list")
    if let zone = try? MachineReadableZone(String(decoding: bytes, as: UTF8.self)) {
      _ = try? AccessPassword(zone)
    }
  }
}
