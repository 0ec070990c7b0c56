import VirtualNFC

@testable import SwiftNFCCore

/// Type 3 tags: NFC Forum Type 3 Tag Operation 1.1, 6.1; FeliCa Lite-S User's Manual for MC; how nfcpy formats FeliCa
/// Lite (tt3_sony.py).
extension FieldTag {
  /// An attribute block, with its sum.
  private static func attributes(
    version: UInt8 = 0x10, nbr: UInt8 = 4, nbw: UInt8 = 1, blocks: Int = 13, flag: UInt8 = 0,
    access: UInt8 = 1, length: Int = 0, error: Int = 0
  ) -> String {
    var bytes: [UInt8] = [version, nbr, nbw, UInt8(blocks >> 8), UInt8(blocks & 0xFF)]
    bytes += [0, 0, 0, 0, flag, access]
    bytes += [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    let sum = bytes.reduce(error) { $0 + Int($1) }
    bytes += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
    return bytes.map { String($0 >> 4, radix: 16) + String($0 & 0x0F, radix: 16) }.joined()
  }

  /// MC stands after REG and the six blocks from 82 on.
  private static let configuration = 21 * 16

  private static func row(
    _ name: String, _ content: Content, capacity: Int? = nil, _ patches: [Int: String] = [:],
    _ make: @escaping @Sendable () -> VirtualTag
  ) -> FieldTag {
    FieldTag("type 3: \(name)", content, capacity: capacity) { patched(make(), patches) }
      .with { $0.lockKinds = [.memoryConfiguration] }
  }

  /// A plain tag is locked by RWFlag alone.
  private static func plain(
    _ name: String, _ content: Content, capacity: Int? = nil, _ patches: [Int: String] = [:],
    _ make: @escaping @Sendable () -> VirtualTag = { .type3() }
  ) -> FieldTag {
    row("plain, \(name)", content, capacity: capacity, patches, make)
      .with {
        $0.lockKinds = []
        $0.isLockedByFlagOnly = true
      }
  }

  static let type3: [FieldTag] = [
    row("FeliCa Lite", .message([]), capacity: 208) { .feliCaLite() },
    row("FeliCa Lite-S", .message([]), capacity: 208) { .feliCaLiteS() },
    row(
      "nfcpy on FeliCa Lite", .message(link), capacity: 208,
      [0: attributes(length: 9), 16: linkText]
    ) { .feliCaLite() },
    row(
      "half-written: WriteFlag is still 0F", .message([]), capacity: 208,
      [0: attributes(flag: 0x0F, length: 9), 16: linkText]
    ) { .feliCaLiteS() },
    row("a wrong sum", .broken, capacity: 208, [0: attributes(length: 9, error: 1)]) {
      .feliCaLiteS()
    },
    row("a length beyond the blocks", .broken, capacity: 208, [0: attributes(length: 209)]) {
      .feliCaLiteS()
    },
    row(
      "more blocks than the chip has", .message(link), capacity: 208,
      [0: attributes(blocks: 64, length: 9), 16: linkText]
    ) { .feliCaLiteS() },
    row(
      "fewer blocks than the chip has", .message(link), capacity: 64,
      [0: attributes(blocks: 4, length: 9), 16: linkText, 80: "DEADBEEF"]
    ) { .feliCaLiteS() }.keeping([0xDE, 0xAD, 0xBE, 0xEF]),
    row(
      "more blocks a command than the chip takes", .message(link), capacity: 208,
      [0: attributes(nbr: 15, nbw: 13, length: 9), 16: linkText]
    ) { .feliCaLite() },
    row(
      "half-locked: RWFlag only", .message(link), capacity: 208,
      [0: attributes(access: 0, length: 9), 16: linkText]
    ) { .feliCaLiteS() }.readOnly(),
    row(
      "half-locked: MC only", .message(link), capacity: 208,
      [0: attributes(length: 9), 16: linkText, configuration: "00C0"]
    ) { .feliCaLiteS() }.readOnly(),
    row(
      "half-locked: block 5", .message(link), capacity: 208,
      [0: attributes(length: 9), 16: linkText, configuration: "DFFF"]
    ) { .feliCaLite() }.readOnly(),
    row(
      "the restrictions are final, and blocks are open", .message([]), capacity: 208,
      [configuration: "FF7F"]
    ) { .feliCaLiteS() }.locking(.refused(.unsupported)),
    row(
      "a key for reading", .closed,
      [0: attributes(length: 9), 16: linkText, configuration + 6: "FF3F"]
    ) { .feliCaLiteS() },
    row(
      "a key for writing", .message(link), capacity: 208,
      [0: attributes(length: 9), 16: linkText, configuration + 8: "FF3F"]
    ) { .feliCaLiteS() }.readOnly(),
    row("blank", .unformatted) { .feliCaLiteS(formatted: false) }.formatting(.done),
    row("blank FeliCa Lite", .unformatted) { .feliCaLite(formatted: false) }.formatting(.done),
    row("in use for something else", .unformatted, [96: "DEADBEEF"]) {
      .feliCaLiteS(formatted: false)
    },
    row("a mapping of version 2", .unformatted, [0: attributes(version: 0x20)]) { .feliCaLiteS() },
    plain("as formatted", .message([]), capacity: 1024),
    plain(
      "with other limits than the tag has", .message(link), capacity: 1024,
      [0: attributes(nbr: 15, nbw: 13, blocks: 64, length: 9), 16: linkText]),
    plain(
      "half-written", .message([]), capacity: 1024,
      [0: attributes(nbr: 12, nbw: 8, blocks: 64, flag: 0x0F, length: 9), 16: linkText]),
    plain(
      "RWFlag 00", .message(link), capacity: 1024,
      [0: attributes(nbr: 12, nbw: 8, blocks: 64, access: 0, length: 9), 16: linkText]
    ).readOnly(),
    plain("a wrong sum", .broken, capacity: 1024, [0: attributes(blocks: 64, error: 1)]),
    plain("blank", .unformatted) { .type3(formatted: false) }.formatting(.done),
    row("Suica", .unformatted) { .suica() }.formatting(.refused(.unsupported)),
  ]
}
