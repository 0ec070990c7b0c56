@testable import VirtualNFC

/// Type 5 tags: NFC Forum Type 5 Tag 1.0, 4.3 and 7.5; NXP's and Android's containers, which count the whole memory;
/// ST's, with the feature of a larger memory; ICODE SLIX2 (SL2S2602 data sheet), of which the last block counts.
extension FieldTag {
  private static func row(
    _ name: String, _ content: Content, capacity: Int? = nil, _ patches: [Int: String] = [:],
    _ make: @escaping @Sendable () -> VirtualTag = { .icodeSLIX2() }
  ) -> FieldTag {
    FieldTag("type 5: \(name)", content, capacity: capacity) { patched(make(), patches) }
      .with { $0.lockKinds = [.blockLock] }
  }

  /// An ICODE SLIX2 with some blocks locked.
  private static func slix2(locking blocks: some Sequence<Int> & Sendable) -> VirtualTag {
    let tag = VirtualTag.icodeSLIX2()
    _ = tag.withChip(ICODESLIX2.self) { chip in
      for block in blocks { chip.core.locked[block] = true }
    }
    return tag
  }

  static let type5: [FieldTag] = [
    row("ICODE SLIX2", .message([]), capacity: 308).protecting(.done),
    row("ICODE SLIX", .message([]), capacity: 102) { .icodeSLIX() },
    row(
      "Android on ICODE SLIX2: all 80 blocks counted", .message(link), capacity: 308,
      [0: "E1402801 \(linkTLV) FE"]
    ).protecting(.done),
    row(
      "NXP TagWriter on ICODE SLIX: all 28 blocks counted", .message(link), capacity: 102,
      [0: "E1400E01 \(linkTLV) FE"]
    ) { .icodeSLIX() },
    row("Tag-it HF-I Plus", .message([]), capacity: 246) { .tagIt() },
    row("MB89R118, blocks of 8 bytes", .message([]), capacity: 1988) { .mb89r118() },
    row(
      "ST on ST25DV04K", .message(link), capacity: 500, [0: "E1404005 \(linkTLV) FE"]
    ) { .st25dv04K() }.locking(.refused(.unsupported)).protecting(.done),
    row("ST25DV64K, a container of 8 bytes", .message([]), capacity: 8180) { .st25dv() }
      .locking(.refused(.unsupported)).protecting(.done),
    row("NULL TLVs in front", .message(link), capacity: 306, [4: "0000 \(linkTLV) FE"])
      .protecting(.done),
    row(
      "a long length for a short message", .message(link), capacity: 308,
      [4: "03FF0009 \(linkText) FE"]
    ).protecting(.done),
    row(
      "no terminator, old bytes after it", .message(link), capacity: 308,
      [4: "\(linkTLV) 55667788"]
    ).protecting(.done),
    row(
      "a proprietary TLV after the message", .message(link), capacity: 304,
      [4: "\(linkTLV) \(foreignTLV) FE"]
    ).keeping(foreign).protecting(.done),
    row(
      "a proprietary TLV in front", .message(link), capacity: 304,
      [4: "\(foreignTLV) \(linkTLV) FE"]
    ).keeping(foreign).protecting(.done),
    row(
      "half-written: the length is still 0", .message([]), capacity: 308,
      [4: "0300 D101055504"]
    ).protecting(.done),
    row("a length beyond the area", .broken, capacity: 308, [4: "03FF0200 D101"])
      .protecting(.done),
    row("a TLV of 65 534 bytes", .broken, capacity: 308, [4: "FDFFFFFE"]).protecting(.done),
    row(
      "half-locked: the container says read-only", .message(link), capacity: 308,
      [0: "E1432701 \(linkTLV) FE"]
    ).readOnly().protecting(.done),
    row("half-locked: the area from block 10 on", .message([]), capacity: 308) {
      slix2(locking: 10..<79)
    }.with {
      // The container says that it can be written; what fits before the locked blocks can.
      $0.cells.write = .refused(.readOnly)
      $0.cells.protect = .done
    },
    row("half-locked: the container's block", .message([]), capacity: 308) {
      slix2(locking: 0..<1)
    }.with {
      // What the container says can be changed no more.
      $0.accessAfterLock = .readWrite
      $0.cells.protect = .done
    },
    row("locked as a whole", .message(link), capacity: 308, [0: "E1432701 \(linkTLV) FE"]) {
      slix2(locking: 0..<79)
    }.readOnly().protecting(.done),
    row("a proprietary way to read", .unformatted, [0: "E1482701 \(linkTLV) FE"]),
    row("a mapping of version 2", .unformatted, [0: "E1802701 \(linkTLV) FE"]),
    row("blank", .unformatted) { .icodeSLIX2(formatted: false) }.formatting(.done)
      .protecting(.done),
    row("blank ST25DV04K", .unformatted) { .st25dv04K(formatted: false) }.formatting(.done)
      .protecting(.done),
    row("in use for something else", .unformatted, [200: "DEADBEEF"]) {
      .icodeSLIX2(formatted: false)
    }.protecting(.done),
  ]
}
