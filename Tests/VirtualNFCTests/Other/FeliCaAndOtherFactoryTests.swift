import Testing

@testable import VirtualNFC

/// Tests the tags that users place in a field: their names, and that they answer there.
@Suite struct FeliCaAndOtherFactoryTests {
  static let tags: [VirtualTag] = [
    .feliCaLiteS(), .feliCaLite(), .suica(), .type3(), .srix4k(), .askCTx(), .calypsoBPrime(),
    .iClass(), .nfcBarcode(),
  ]

  @Test func namesAndIdentifiers() {
    let names = Self.tags.map(\.name)
    #expect(
      names == [
        "felica-lite-s", "felica-lite", "suica", "type3", "srix4k", "ask-ctx", "bprime", "iclass",
        "barcode",
      ])
    #expect(Set(Self.tags.map(\.identifier)).count == Self.tags.count)
    #expect(Self.tags.count { $0.modulation == .feliCa } == 4)
  }

  @Test(arguments: [
    (0, RadioFrame.feliCa([0x00, 0xFF, 0xFF, 0x01, 0x00]), 22),
    (1, .feliCa([0x00, 0x12, 0xFC, 0x01, 0x00], bitRate: 424), 22),
    (2, .feliCa([0x00, 0xFE, 0x00, 0x00, 0x00]), 20),
    (3, .feliCa([0x00, 0x12, 0xFC, 0x00, 0x00]), 20),
    (4, .typeB([0x06, 0x00]), 3),
    (5, .typeB([0x10]), 4),
    (6, .typeB([0x01, 0x0B, 0x3F, 0x80]), 29),
    (8, RadioFrame([], modulation: .typeA), 15),
  ])
  func answersInAField(index: Int, frame: RadioFrame, size: Int) {
    let made: [() -> VirtualTag] = [
      { .feliCaLiteS() }, { .feliCaLite() }, { .suica() }, { .type3() }, { .srix4k() },
      { .askCTx() }, { .calypsoBPrime() }, { .iClass() }, { .nfcBarcode() },
    ]
    let field = VirtualField()
    field.place(made[index]())
    #expect(field.transmit(frame) == .silence)
    field.setPower(true)
    guard case .frame(let answer) = field.transmit(frame) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.bytes.count == size)
    #expect(answer.bitRate == frame.bitRate)
  }

  /// Tags as on delivery: no attribute block, no NDEF system.
  @Test func blankTags() {
    for tag in [VirtualTag.feliCaLiteS(formatted: false), .feliCaLite(formatted: false)] {
      #expect(tag.memory.prefix(224).allSatisfy { $0 == 0 })
    }
    #expect(VirtualTag.type3(formatted: false).memory.allSatisfy { $0 == 0 })
  }
}
