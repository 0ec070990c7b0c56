import VirtualNFC

/// Type 2 tags: NFC Forum Type 2 Tag 1.2; data sheets of NTAG21x, MIFARE Ultralight, Ultralight C and EV1; AN1303 for
/// Ultralight C; what Adafruit_PN532, Android and libfreefare write.
extension FieldTag {
  private static func row(
    _ name: String, _ chip: any VirtualChip, _ content: Content, capacity: Int? = nil,
    area: String? = nil, container: String? = nil, _ patches: [Int: String] = [:]
  ) -> FieldTag {
    var patches = patches
    if let container { patches[12] = container }
    if let area { patches[16] = area }
    let hasPassword = ["ntag21", "ultralight-c", "ultralight-ev1"].contains {
      chip.name.hasPrefix($0)
    }
    return FieldTag("type 2: \(name)", content, capacity: capacity) { [patches] in
      patched(VirtualTag(chip), patches)
    }.with {
      $0.lockKinds = [.lockBits, .oneTimeBits]
      if hasPassword { $0.cells.protect = .done }
    }
  }

  /// The container is right, and no message was ever begun: formatting begins one.
  private func withoutMessage() -> FieldTag { formatting(.done) }

  /// The lock control TLV that Adafruit_PN532 puts on every NTAG: bits at byte 160, where an NTAG213 has them.
  private static let adafruit = "0103A01044 \(linkTLV) FE"
  private static let delivered213 = "0103A00C34"

  static let type2: [FieldTag] = [
    row("NTAG213 as delivered", NTAG21x(.ntag213), .message([]), capacity: 137),
    row("NTAG210", NTAG21x(.ntag210), .message([]), capacity: 46),
    row("NTAG203", NTAG203(), .message([]), capacity: 137),
    row("Ultralight", MIFAREUltralight(), .message([]), capacity: 46),
    row("Ultralight EV1", MIFAREUltralightEV1(.mf0ul11), .message([])),
    row("Ultralight EV1, 128 bytes", MIFAREUltralightEV1(.mf0ul21), .message([])),
    row("Ultralight C by AN1303", MIFAREUltralightC(), .message([]), capacity: 137),
    row("NTAG I2C 1K", NTAGI2C(.nt3h1101), .message([])),
    row("NTAG I2C 2K", NTAGI2C(.nt3h1201), .message([])),
    row(
      "libfreefare's Ultralight C without a TLV", MIFAREUltralightC(), .message(link),
      capacity: 142, area: "\(linkTLV) FE"),
    row(
      "Adafruit on NTAG213", NTAG21x(.ntag213), .message(link), capacity: 137, area: adafruit),
    // The two bytes that the TLV names are taken for lock bytes by every reader that follows the standard.
    row(
      "Adafruit on NTAG215", NTAG21x(.ntag215), .message(link), capacity: 485, area: adafruit),
    row(
      "Adafruit on NTAG216", NTAG21x(.ntag216), .message(link), capacity: 861, area: adafruit),
    row(
      "NTAG213 without a lock control TLV", NTAG21x(.ntag213), .message(link), capacity: 142,
      area: "\(linkTLV) FE"),
    row(
      "NTAG212 without a lock control TLV", NTAG21x(.ntag212), .message(link), capacity: 126,
      area: "\(linkTLV) FE"),
    row(
      "Android: NULL TLVs in front", NTAG21x(.ntag215), .message(link), capacity: 490,
      area: "0000 \(linkTLV) FE"),
    row(
      "a long length for a short message", NTAG21x(.ntag216), .message(link), capacity: 868,
      area: "03FF0009 \(linkText) FE"),
    row(
      "no terminator, old bytes after it", NTAG21x(.ntag213), .message(link), capacity: 137,
      area: "\(delivered213) \(linkTLV) 55667788"),
    row(
      "a proprietary TLV after the message", NTAG21x(.ntag215), .message(link), capacity: 488,
      area: "\(linkTLV) \(foreignTLV) FE"
    ).keeping(foreign),
    row(
      "a proprietary TLV in front", NTAG21x(.ntag216), .message(link), capacity: 864,
      area: "\(foreignTLV) \(linkTLV) FE"
    ).keeping(foreign),
    row(
      "a container and no message", NTAG21x(.ntag215), .unformatted, capacity: 492,
      area: "FE000000"
    ).withoutMessage(),
    row(
      "other TLVs and no message", NTAG21x(.ntag216), .unformatted, capacity: 864,
      area: "\(foreignTLV) FE"
    ).withoutMessage().keeping(foreign),
    row(
      "half-written: the length is still 0", NTAG21x(.ntag215), .message([]), capacity: 492,
      area: "0300D1010555 0461"),
    row(
      "a length beyond the area", NTAG21x(.ntag213), .broken, capacity: 137,
      area: "\(delivered213) 0391D0"),
    row(
      "a TLV of 65 534 bytes", NTAG21x(.ntag215), .broken, capacity: 492,
      area: "FDFFFFFE0300"),
    row("a broken Ultralight", MIFAREUltralight(), .broken, capacity: 46, area: "03FF0040"),
    row(
      "half-locked: the container says read-only", NTAG21x(.ntag213), .message([]),
      capacity: 137, container: "E110120F"
    ).readOnly(),
    row(
      "half-locked: only the dynamic bits are set", NTAG21x(.ntag216), .message([]),
      capacity: 868, [0xE2 * 4: "FF3F7F"]
    ).readOnly(),
    row(
      "half-locked: only the static bits are set", NTAG21x(.ntag215), .message([]),
      capacity: 492, [10: "F0FF"]
    ).readOnly(),
    row(
      "half-locked Ultralight C", MIFAREUltralightC(), .message([]), capacity: 137,
      [0xA0: "EE"]
    ).readOnly(),
    row(
      "frozen in the middle", NTAG21x(.ntag213), .message([]), capacity: 137,
      [0x28 * 4 + 2: "01"]
    ).locking(.refused(.readOnly)),
    row("frozen static bits", NTAG21x(.ntag213), .message([]), capacity: 137, [10: "02"])
      .locking(.refused(.readOnly)),
    row(
      "a password for writing from page 10h on", NTAG21x(.ntag213), .message([]),
      capacity: 137, [0x29 * 4 + 3: "10"]
    ).with {
      $0.cells.write = .refused(.notAuthenticated)
      $0.cells.lock = .refused(.notAuthenticated)
      $0.cells.protect = .refused(.notAuthenticated)
    },
    row(
      "a password for reading from page 10h on", NTAG21x(.ntag213), .message(link),
      capacity: 41, area: "\(delivered213) \(linkTLV) FE",
      [0x29 * 4 + 3: "10", 0x2A * 4: "80"]
    ).with {
      $0.cells.lock = .refused(.notAuthenticated)
      $0.cells.protect = .refused(.notAuthenticated)
    },
    row("blank Ultralight", MIFAREUltralight(formatted: false), .unformatted)
      .formatting(.done).with { $0.formatKinds = [.oneTimeBits] },
    row("blank Ultralight EV1", MIFAREUltralightEV1(.mf0ul11, formatted: false), .unformatted)
      .formatting(.done).with { $0.formatKinds = [.oneTimeBits] },
    row("blank Ultralight C", MIFAREUltralightC(formatted: false), .unformatted)
      .formatting(.done).with { $0.formatKinds = [.oneTimeBits] },
    row(
      "an Ultralight in use for something else", MIFAREUltralight(formatted: false),
      .unformatted, [32: "DEADBEEF"]
    ).with { $0.formatKinds = [.oneTimeBits] },
    // One-time bits that a ticket has used: no container can be written any more.
    row(
      "an Ultralight whose one-time bits are used", MIFAREUltralight(formatted: false),
      .unformatted, [12: "FFFF0000"]
    ).formatting(.refused(.unsupported)),
  ]
}
