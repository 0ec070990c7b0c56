@testable import VirtualNFC

/// MIFARE Classic as an NFC tag: NXP AN1304, AN1305 (TLVs) and AN10787 (application directory); libfreefare's
/// mifare-classic-write-ndef makes the same.
extension FieldTag {
  private static let readOnlyBits = "078F0F43"
  private static let ndefKey = "D3F7D3F7D3F7"
  private static let openBits = "7F078840"
  private static let transportKey = "FFFFFFFFFFFF"

  private static func row(
    _ name: String, _ content: Content, capacity: Int? = nil, _ patches: [Int: String] = [:],
    _ make: @escaping @Sendable () -> VirtualTag = { .classic1K() }
  ) -> FieldTag {
    FieldTag("classic: \(name)", content, capacity: capacity) { patched(make(), patches) }
      .with { $0.lockKinds = [.accessBits] }
  }

  private static func trailer(_ sector: Int) -> Int { (4 * sector + 3) * 16 }
  private static func block(_ number: Int) -> Int { number * 16 }

  /// The trailers of some sectors.
  private static func trailers(
    _ sectors: ClosedRange<Int>, keyA: String = ndefKey, _ bits: String = openBits,
    keyB: String = transportKey
  ) -> [Int: String] {
    Dictionary(uniqueKeysWithValues: sectors.map { (trailer($0), keyA + bits + keyB) })
  }

  /// The application directory of a 1K card on which only some sectors are for NFC; another application has the rest.
  private static func directory(nfc: Set<Int>, check error: UInt8 = 0) -> String {
    let content = (1...15).reduce(into: [UInt8(0x01)]) { bytes, sector in
      bytes += nfc.contains(sector) ? [0x03, 0xE1] : [0x38, 0x48]
    }
    let bytes = [ApplicationDirectory.check(content) ^ error] + content
    return bytes.map { String($0 >> 4, radix: 16) + String($0 & 0x0F, radix: 16) }.joined()
  }

  private static let message = [block(4): "\(linkTLV) FE"]

  static let classic: [FieldTag] = [
    row("1K by AN1304", .message([]), capacity: 716),
    row("Mini", .message([]), capacity: 190) { .classicMini() },
    row("4K", .message([]), capacity: 3356) { .classic4K() },
    row("with a link", .message(link), capacity: 716, message),
    row(
      "NULL TLVs in front", .message(link), capacity: 714,
      [block(4): "0000 \(linkTLV) FE"]),
    row(
      "a long length for a short message", .message(link), capacity: 716,
      [block(4): "03FF0009 \(linkText) FE"]),
    row(
      "no terminator, old bytes after it", .message(link), capacity: 716,
      [block(4): "\(linkTLV) 55667788"]),
    row(
      "a proprietary TLV after the message", .message(link), capacity: 712,
      [block(4): "\(linkTLV) \(foreignTLV) FE"]
    ).keeping(foreign),
    row(
      "a proprietary TLV in front", .message(link), capacity: 712,
      [block(4): "\(foreignTLV) \(linkTLV) FE"]
    ).keeping(foreign),
    row(
      "half-written: the length is still 0", .message([]), capacity: 716,
      [block(4): "0300 D101055504"]),
    row("a length beyond the area", .broken, capacity: 716, [block(4): "03FF0300 D101"]),
    row("a TLV of 65 534 bytes", .broken, capacity: 716, [block(4): "FDFFFFFE"]),
    row(
      "another application from sector 2 on", .message(link), capacity: 46,
      message.merging([
        block(1): directory(nfc: [1]), block(12): "DEADBEEF", trailer(3): "A5A4A3A2A1A0",
      ]) { $1 }
    ).keeping([0xDE, 0xAD, 0xBE, 0xEF]),
    row(
      "NFC sectors with a gap", .message(link), capacity: 94,
      message.merging([block(1): directory(nfc: [1, 5]), block(12): "DEADBEEF"]) { $1 }
    ).keeping([0xDE, 0xAD, 0xBE, 0xEF]),
    row(
      "a directory with a wrong check", .unformatted,
      message.merging([block(1): directory(nfc: [1], check: 1)]) { $1 }
    ).formatting(.refused(.unsupported), wiping: .done),
    row(
      "half-locked: the first sector is still open", .message(link), capacity: 716,
      message.merging(trailers(2...15, readOnlyBits)) { $1 }
    ).with {
      $0.cells.write = .refused(.readOnly)
    },
    row(
      "half-locked: the first sector only", .message(link), capacity: 716,
      message.merging(trailers(1...1, readOnlyBits)) { $1 }
    ).readOnly(),
    row(
      "read-only by its general purpose byte, its bits open", .message(link), capacity: 716,
      message.merging(trailers(1...15, "7F078843")) { $1 }
    ).readOnly(),
    row(
      "locked as a whole", .message(link), capacity: 716,
      message.merging(trailers(1...15, readOnlyBits)) { $1 }
    ).readOnly(),
    row(
      "key B is not known", .message(link), capacity: 716,
      message.merging(trailers(5...5, keyB: "B0B1B2B3B4B5")) { $1 }
    ).locking(.refused(.notAuthenticated)),
    row(
      "key A of a sector is not the public one", .message(link), capacity: 716,
      message.merging(trailers(9...9, keyA: "A0B1C2D3E4F5")) { $1 }
    ).with {
      $0.cells.write = .refused(.notAuthenticated)
      $0.cells.lock = .refused(.notAuthenticated)
    },
    row("blank", .unformatted) { .classic1K(formatted: false) }.formatting(.done),
    row("blank Mini", .unformatted) { .classicMini(formatted: false) }.formatting(.done),
    row("in use for something else", .unformatted, [block(20): "DEADBEEF"]) {
      .classic1K(formatted: false)
    },
    row(
      "a ticket with keys of its own", .closed,
      trailers(0...15, keyA: "A0B1C2D3E4F5", "FF078069", keyB: "010203040506")
    ) { .classic1K(formatted: false) },
  ]
}
