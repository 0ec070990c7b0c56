import Testing
import VirtualNFC

/// A tag as it comes from the field: formatted by somebody else, half-locked, half-written, protected.
struct FieldTag: Sendable, CustomTestStringConvertible {
  /// What the message area is before anything is done.
  enum Content: Sendable, Equatable {
    /// A message, maybe none.
    case message([UInt8])
    /// TLVs that break off.
    case broken
    /// No capability container, or no message behind it.
    case unformatted
  }

  /// What comes of locking it.
  enum Locking: Sendable, Equatable {
    case completes
    /// Refused before anything is written.
    case refused
  }

  let testDescription: String
  let content: Content
  let locking: Locking
  /// Bytes beside the message, with their address, that nobody may change.
  let kept: [Int: [UInt8]]
  let chip: any VirtualChip

  init(
    _ name: String, _ chip: any VirtualChip, area: String? = nil, container: String? = nil,
    patches: [Int: [UInt8]] = [:], content: Content, locking: Locking = .completes,
    kept: [Int: [UInt8]] = [:]
  ) {
    var chip = chip
    var memory = chip.memory
    func put(_ bytes: [UInt8], at address: Int) {
      memory.replaceSubrange(address..<address + bytes.count, with: bytes)
    }
    if let container { put([UInt8](hexadecimal: container) ?? [], at: 12) }
    if let area { put([UInt8](hexadecimal: area) ?? [], at: 16) }
    for (address, bytes) in patches { put(bytes, at: address) }
    chip.memory = memory
    testDescription = name
    self.chip = chip
    self.content = content
    self.locking = locking
    self.kept = kept
  }
}

extension FieldTag {
  /// `https://a.be`, as one record.
  private static let link: [UInt8] = [0xD1, 0x01, 0x05, 0x55, 0x04, 0x61, 0x2E, 0x62, 0x65]
  private static let linkText = "D10105550461 2E6265"
  /// The lock control TLV that Adafruit_PN532 puts on every NTAG.
  private static let adafruit = "0103A01044 0309 \(linkText) FE"

  static let all: [FieldTag] = [
    FieldTag("as delivered", NTAG21x(.ntag213), content: .message([])),
    FieldTag(
      "Adafruit on NTAG213", NTAG21x(.ntag213), area: adafruit, content: .message(link)),
    FieldTag(
      "Adafruit on NTAG215", NTAG21x(.ntag215), area: adafruit, content: .message(link)),
    FieldTag(
      "Adafruit on NTAG216", NTAG21x(.ntag216), area: adafruit, content: .message(link)),
    FieldTag(
      "NTAG213 without a lock control TLV", NTAG21x(.ntag213), area: "0309 \(linkText) FE",
      content: .message(link)),
    FieldTag(
      "NTAG212 without a lock control TLV", NTAG21x(.ntag212), area: "0309 \(linkText) FE",
      content: .message(link)),
    FieldTag(
      "Android: NULL TLVs in front", NTAG21x(.ntag215), area: "0000 0309 \(linkText) FE",
      content: .message(link)),
    FieldTag(
      "a long length for a short message", NTAG21x(.ntag216), area: "03FF0009 \(linkText) FE",
      content: .message(link)),
    FieldTag(
      "no terminator, old bytes after it", NTAG21x(.ntag213),
      area: "0103A00C34 0309 \(linkText) 55667788", content: .message(link)),
    FieldTag(
      "a proprietary TLV after the message", NTAG21x(.ntag215),
      area: "0309 \(linkText) FD02AABB FE", content: .message(link),
      kept: [27: [0xFD, 0x02, 0xAA, 0xBB]]),
    FieldTag(
      "a proprietary TLV in front", NTAG21x(.ntag216), area: "FD02AABB 0309 \(linkText) FE",
      content: .message(link), kept: [16: [0xFD, 0x02, 0xAA, 0xBB]]),
    FieldTag(
      "a container and no message", NTAG21x(.ntag215), area: "FE000000",
      content: .unformatted, locking: .refused),
    FieldTag(
      "other TLVs and no message", NTAG21x(.ntag216), area: "FD02AABB FE",
      content: .unformatted, locking: .refused, kept: [16: [0xFD, 0x02, 0xAA, 0xBB]]),
    FieldTag(
      "half-written: the length is still 0", NTAG21x(.ntag215), area: "0300D1010555 0461",
      content: .message([])),
    FieldTag(
      "a length beyond the area", NTAG21x(.ntag213), area: "0103A00C34 0391D0",
      content: .broken, locking: .refused),
    FieldTag(
      "a TLV of 65 534 bytes", NTAG21x(.ntag215), area: "FDFFFFFE0300", content: .broken,
      locking: .refused),
    FieldTag(
      "a broken Ultralight", MIFAREUltralight(), area: "03FF0040", content: .broken,
      locking: .refused),
    FieldTag(
      "half-locked: the container says read-only", NTAG21x(.ntag213),
      container: "E110120F", content: .message([])),
    FieldTag(
      "half-locked: only the dynamic bits are set", NTAG21x(.ntag216),
      patches: [0xE2 * 4: [0xFF, 0x3F, 0x7F]], content: .message([])),
    FieldTag(
      "half-locked: only the static bits are set", NTAG21x(.ntag215),
      patches: [10: [0xF0, 0xFF]], content: .message([])),
    FieldTag(
      "half-locked Ultralight C", MIFAREUltralightC(), patches: [0xA0: [0xEE]],
      content: .message([])),
    FieldTag(
      "frozen in the middle", NTAG21x(.ntag213), patches: [0x28 * 4 + 2: [0x01]],
      content: .message([]), locking: .refused),
    FieldTag(
      "frozen static bits", NTAG21x(.ntag213), patches: [10: [0x02]], content: .message([]),
      locking: .refused),
    FieldTag(
      "a password for writing from page 10h on", NTAG21x(.ntag213),
      patches: [0x29 * 4 + 3: [0x10]], content: .message([]), locking: .refused),
    FieldTag(
      "a password for reading from page 10h on", NTAG21x(.ntag213),
      area: "0103A00C34 0309 \(linkText) FE",
      patches: [0x29 * 4 + 3: [0x10], 0x2A * 4: [0x80]], content: .message(link),
      locking: .refused),
    FieldTag("Ultralight C by AN1303", MIFAREUltralightC(), content: .message([])),
    FieldTag(
      "libfreefare's Ultralight C without a TLV", MIFAREUltralightC(),
      area: "0309 \(linkText) FE", content: .message(link)),
    FieldTag("NTAG203", NTAG203(), content: .message([])),
    FieldTag("Ultralight EV1", MIFAREUltralightEV1(.mf0ul11), content: .message([])),
    FieldTag("Ultralight EV1, 128 bytes", MIFAREUltralightEV1(.mf0ul21), content: .message([])),
    FieldTag("NTAG I2C 1K", NTAGI2C(.nt3h1101), content: .message([])),
    FieldTag("NTAG I2C 2K", NTAGI2C(.nt3h1201), content: .message([])),
  ]
}
