import Testing

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// Every chip is asked every question.
@Suite struct Type2ChipTests {
  /// What chips in the field answer to GET_VERSION, as the Proxmark project's table has it.
  @Test(arguments: [
    ("0004030100000B03", "MF0UL1001"), ("0004030101000B03", "MF0UL11"),
    ("0004030201000B03", "MF0UL11"), ("0004030301000B03", "MF0UL11"),
    ("0004030101000E03", "MF0UL21"), ("0004030201000E03", "MF0UL21"),
    ("0004030101001103", "MF0UL31"), ("0004030201001103", "MF0UL31"),
    ("0004030101001303", "MF0UL51"), ("0004030102000B03", "MF0UN"),
    ("0004030202000B03", "MF0UN"), ("0004030103000B03", "MF0UN"),
    ("0004030203000B03", "MF0UN"), ("0004030104000F03", "MF0AES20"),
    ("0004030204000F03", "MF0AES20"), ("0004030304000F03", "MF0AES20"),
    ("0004040101000B03", "NT2L1011"), ("0004040201000B03", "NT2L1011"),
    ("0004040101000E03", "NT2L1211"), ("0004040102000B03", "NT2L1001"),
    ("0004040202000B03", "NT2L1001"), ("0004040201000F03", "NT2H1311"),
    ("0004040201001103", "NT2H1511"), ("0004040201001303", "NT2H1611"),
    ("0004040201010F03", "NT2H1311C"), ("0004040201011103", "NT2H1411"),
    ("0004040401000F03", "NT2H1311F"), ("0004040401001303", "NT2H1611F"),
    ("0004040401001103", "NT2H1511F"), ("0004040203000F03", "NT2H1311TT"),
    ("0004040204000F03", "NT2H2331"), ("0004040804000F03", "NT2H2331S"),
    ("0004040205001003", "NT2H2421"), ("0004040805001003", "NT2H2421S"),
    ("0004040501011303", "NT3H1101"), ("0004040502001303", "NT3H1101"),
    ("0004040502011303", "NT3H1101"), ("0004040502001503", "NT3H1201"),
    ("0004040502011503", "NT3H1201"), ("0004040502021303", "NT3H2111"),
    ("0004040502021503", "NT3H2211"), ("0034210101000E03", "K5016-164"),
    ("0034210101000B03", "K5016-80"), ("0053040201000F03", "feiju-213"),
    ("0005340201001103", "feiju-215"),
  ])
  func identifiesByVersion(_ answer: String, _ typeNumber: String) throws {
    let bytes = try #require([UInt8](hexadecimal: answer))
    let chip = try #require(Type2Chip.version(bytes))
    #expect(chip.typeNumber == typeNumber)
    #expect(Type2Chip(chip.product)?.typeNumber == typeNumber)
    for count in 0..<8 { #expect(Type2Chip.version(Array(bytes.prefix(count))) == nil) }
  }

  @Test(arguments: ["0004040600001303", "0004040201021103", "0099040201000F03", "0000000000000000"])
  func othersAreNotNamed(_ answer: String) throws {
    #expect(Type2Chip.version(try #require([UInt8](hexadecimal: answer))) == nil)
  }

  @Test func typeNumbersDistinguishThem() {
    #expect(Set(Type2Chip.all.map(\.typeNumber)).count == Type2Chip.all.count)
    #expect(Set(Type2Chip.all.map(\.product)).count == Type2Chip.all.count)
  }

  /// What cannot be undone rests on data sheets alone; a chip whose pages are not known is not touched.
  @Test(arguments: Type2Chip.all) func answersEveryQuestion(_ chip: Type2Chip) throws {
    #expect(!chip.name.isEmpty && !chip.maker.isEmpty && !chip.typeNumber.isEmpty)
    guard let pages = chip.pages else {
      #expect(chip.lockBits == nil && chip.blank == nil && chip.passwordSettings == nil)
      #expect(!chip.isConfirmed)
      return
    }
    let user = try #require(pages.user)
    #expect(user.lowerBound == 4)
    // Areas are in order and do not overlap; pages 0 to 3 are what they are on every chip.
    for (first, second) in zip(pages.areas, pages.areas.dropFirst()) {
      #expect(first.pages.upperBound < second.pages.lowerBound)
    }
    #expect(pages.use(ofPage: 2) == .identifierAndLocks && pages.use(ofPage: 3) == .oneTime)
    #expect(pages.use(ofPage: pages.end) == nil)
    #expect(pages.readableRuns.reduce(0) { $0 + $1.count } <= pages.readableEnd)
    if let size = chip.memorySize { #expect(pages.end * 4 <= size) }

    let bits = try #require(chip.lockBits)
    #expect(bits.dynamicPage.map { pages.use(ofPage: $0) == .locks } ?? true)
    #expect((bits.dynamicPage != nil) == pages.areas.contains { $0.use == .locks })
    // Every page for the user's message can be closed, by bits that are not data.
    let closable = Set(bits.locks.flatMap { Array($0.pages) })
    #expect(user.allSatisfy(closable.contains) && closable.contains(3))
    #expect(Set(bits.locks.map(\.bit)).count == bits.locks.count)
    for lock in bits.locks {
      #expect(lock.frozenBy.map { $0.page == lock.bit.page } ?? !chip.isConfirmed)
      #expect(![.user, .configuration, .secret].contains(pages.use(ofPage: lock.bit.page)))
    }

    if let blank = chip.blank {
      // The data area ends within the user's pages.
      #expect(Int(blank.size) * 8 <= user.count * 4)
      #expect(blank.content.count % 4 == 0 && blank.content.count < Int(blank.size) * 8)
    }
    switch chip.access {
    case .password(let settings):
      #expect(settings.configuration.allSatisfy { pages.use(ofPage: $0) == .configuration })
      #expect(settings.secrets.allSatisfy { pages.use(ofPage: $0) == .secret })
    case .tripleDES(let settings):
      #expect(settings.keyPages.allSatisfy { pages.use(ofPage: $0) == .key })
      #expect(pages.use(ofPage: settings.firstProtectedPage) == .configuration)
      #expect(pages.use(ofPage: settings.readProtectionPage) == .configuration)
    case .none, .aes: break
    }
    for bits in chip.finalBits { #expect(pages.use(ofPage: bits.page) == .configuration) }
  }

  /// The first and last dynamic lock bits and what they close, from the data sheets' figures: NTAG213/215/216,
  /// 8.5.3; NTAG210/212, 8.5.3; NTAG203, figure 7; MF0ICU2, 7.5.3; MF0ULx1, 8.5.3; NT3H1101/1201, 8.3.8.
  @Test(
    arguments: [
      (Type2Chip.ntag213, [0x01, 0x00, 0x00], 16...17), (.ntag213, [0x00, 0x08, 0x00], 38...39),
      (.ntag212, [0x00, 0x02, 0x00], 34...35), (.ntag215, [0x80, 0x00, 0x00], 128...129),
      (.ntag215, [0x01, 0x00, 0x00], 16...31), (.ntag216, [0x00, 0x20, 0x00], 224...225),
      (.ultralightEV1Large, [0x00, 0x02, 0x00], 34...35), (.ntag203, [0x02, 0x00, 0x00], 16...19),
      (.ntag203, [0x80, 0x00, 0x00], 36...39), (.ntag203, [0x00, 0x10, 0x00], 41...41),
      (.ultralightC, [0x20, 0x00, 0x00], 28...31), (.ultralightC, [0x00, 0x80, 0x00], 44...47),
      (.ntagI2C1K, [0x00, 0x20, 0x00], 224...225), (.ntagI2C2K, [0x00, 0x40, 0x00], 464...479),
      (.ntagI2CPlus2K, [0x00, 0x20, 0x00], 224...225),
    ] as [(Type2Chip, [UInt8], ClosedRange<Int>)])
  func lockBits(_ chip: Type2Chip, _ bytes: [UInt8], _ pages: ClosedRange<Int>) throws {
    let bits = try #require(chip.lockBits)
    let first = try #require(bits.dynamicPage) * 4
    let closed = bits.closedPages { address in
      bytes.indices.contains(address - first) ? bytes[address - first] : 0
    }
    #expect(closed == Array(pages))
  }

  /// Without a TLV right after the data area; with one where it says; nowhere where that is in the middle.
  @Test func lockBitsByTheStandard() throws {
    let area = TagDataArea(16..<160)
    let plain = try #require(Type2LockBits.standard(area: area, control: nil))
    #expect(plain.dynamicPage == 40)
    #expect(plain.locks.filter { $0.bit.page == 40 }.count == 12)
    let following = ControlledArea(tag: 0x01, value: [0xA0, 0x0C, 0x34])
    #expect(Type2LockBits.standard(area: area, control: following)?.dynamicPage == 40)
    let inside = ControlledArea(tag: 0x01, value: [0x60, 0x0C, 0x34])
    #expect(Type2LockBits.standard(area: area, control: inside) == nil)
    #expect(Type2LockBits.standard(area: TagDataArea(16..<64), control: nil) == .static)
  }
}
