import VirtualNFC

/// Type 1 tags: NFC Forum Type 1 Tag Operation 1.1; how nfcpy formats and protects them (tt1_broadcom.py). On tags
/// as they are sold nobody can set lock bits; some rows have the bit open that keeps them so.
extension FieldTag {
  private static func row(
    _ name: String, _ content: Content, capacity: Int? = nil, _ patches: [Int: String] = [:],
    lock: Outcome = .refused(.unsupported), _ make: @escaping @Sendable () -> VirtualTag
  ) -> FieldTag {
    FieldTag("type 1: \(name)", content, capacity: capacity) { patched(make(), patches) }
      .with {
        $0.lockKinds = [.lockBits]
        if case .message = content { $0.cells.lock = lock }
      }
  }

  static let type1: [FieldTag] = [
    row("Topaz 96 as sold", .message([]), capacity: 90) { .topaz96() },
    row("Topaz 96, lock bits open", .message([]), capacity: 90, [0x71: "20"], lock: .done) {
      .topaz96()
    },
    row(
      "nfcpy on Topaz 96: no terminator, old bytes after it", .message([]), capacity: 90,
      [8: "E1100E00 0300", 14: "5566778899"]
    ) { .topaz96(formatted: false) },
    row(
      "nfcpy on Topaz 512", .message([]), capacity: 462,
      [8: "E1103F00 0103F230 330203F0 02030300"]
    ) { .topaz512(formatted: false) },
    row("Topaz 512, lock bits open", .message([]), capacity: 462, [0x71: "A0"], lock: .done) {
      .topaz512()
    },
    row(
      "NULL TLVs in front", .message(link), capacity: 88, [12: "0000 \(linkTLV) FE"]
    ) { .topaz96() },
    row(
      "a proprietary TLV after the message", .message(link), capacity: 86,
      [12: "\(linkTLV) \(foreignTLV) FE"]
    ) { .topaz96() }.keeping(foreign),
    row(
      "a proprietary TLV in front", .message(link), capacity: 86,
      [12: "\(foreignTLV) \(linkTLV) FE"]
    ) { .topaz96() }.keeping(foreign),
    row(
      "a proprietary TLV on Topaz 512", .message(link), capacity: 458,
      [22: "\(linkTLV) \(foreignTLV) FE"]
    ) { .topaz512() }.keeping(foreign),
    row(
      "half-written: the length is still 0", .message([]), capacity: 90,
      [12: "0300 D10105 5504"]
    ) { .topaz96() },
    // The standard has the magic number cleared while a message is written.
    row("half-written: the magic number is 0", .unformatted, [8: "00", 12: "\(linkTLV) FE"]) {
      .topaz96()
    },
    row("a length beyond the area", .broken, capacity: 90, [12: "0370 D101"]) { .topaz96() },
    row("a TLV of 65 534 bytes", .broken, capacity: 462, [22: "FDFFFFFE"]) { .topaz512() },
    row(
      "nfcpy's protection of a tag as sold", .message(link), capacity: 90,
      [11: "0F", 12: "\(linkTLV) FE"]
    ) { .topaz96() }.readOnly(lock: .refused(.unsupported)),
    row(
      "the container says read-only, lock bits open", .message(link), capacity: 90,
      [11: "0F", 12: "\(linkTLV) FE", 0x71: "20"]
    ) { .topaz96() }.readOnly(),
    row(
      "half-locked: blocks 1 to 7", .message([]), capacity: 90, [0x70: "FF20"]
    ) { .topaz96() }.readOnly(),
    row(
      "half-locked: a block of dynamic memory", .message([]), capacity: 462,
      [0x71: "A0", 0x7A: "01"]
    ) { .topaz512() }.readOnly(),
    row(
      "Topaz 512 with the container of Topaz 96", .message(link), capacity: 90,
      [8: "E1100E00 \(linkTLV) FE"]
    ) { .topaz512(formatted: false) },
    row(
      "a container that promises more than the chip has", .message(link), capacity: 90,
      [10: "FF", 12: "\(linkTLV) FE"]
    ) { .topaz96() },
    row("a secret for reading", .closed, [11: "80", 12: "\(linkTLV) FE"]) { .topaz96() },
    row("blank", .unformatted) { .topaz96(formatted: false) }.formatting(.done),
    row("blank Topaz 512", .unformatted) { .topaz512(formatted: false) }.formatting(.done),
    row("in use for something else", .unformatted, [40: "DEADBEEF"]) {
      .topaz96(formatted: false)
    },
  ]
}
