/// ST25TN512 and ST25TN01K of STMicroelectronics: 64 pages, no GET_VERSION, no FAST_READ.
///
/// The data sheet (DS13433) is not at hand. What is here rests on ST's NFC apps for Android and iOS, which list the
/// pages and lock bits, and on Proxmark3 (`cmdhfmfu.c`), which reads product code and signature. Reading is tried;
/// nothing that cannot be undone rests on it. Page 2Fh holds a password and page 30h takes it to kill the chip: these
/// pages are never written.
extension Type2Chip {
  /// ST25TN01K: 160 bytes for the user.
  static let st25tn01K = st25tn("st25tn01K", "ST25TN01K", code: 0x90, user: 4...43)

  /// ST25TN512: 64 bytes for the user; what pages 14h to 2Bh hold is not public.
  static let st25tn512 = st25tn("st25tn512", "ST25TN512", code: 0x91, user: 4...19)

  private enum ST25TNPage {
    static let dynamicLocks = 0x2C
    static let product: UInt8 = 0x2D
    static let augmentedNDEF = 0x2E
    static let password = 0x2F
    static let kill = 0x30
    static let last = 0x3F
    static let signature = 0x34...0x3B
  }

  /// Byte 1 of the product code, which byte 0 comes before.
  private static let st25tnFamily: UInt8 = 0x90
  private static let lastPageForUser = 43

  private static func st25tn(
    _ id: ChipID, _ name: String, code: UInt8, user: ClosedRange<Int>
  ) -> Type2Chip {
    typealias Page = ST25TNPage
    let afterUser: [(ClosedRange<Int>, Type2PageMap.Use)] =
      user.upperBound < lastPageForUser
      ? [(user.upperBound + 1...lastPageForUser, .reserved)] : []
    return Type2Chip(
      id: id, typeNumber: name, name: name, maker: "STMicroelectronics",
      source: .observed("ST's NFC apps, and Proxmark3"),
      recognition: .productCode(
        page: Page.product, bytes: [code, st25tnFamily], maker: ChipMaker.stMicroelectronics),
      pages: Type2PageMap(
        [(user, .user)] + afterUser + [
          (Page.dynamicLocks...Page.dynamicLocks, .locks),
          (Int(Page.product)...Int(Page.product), .reserved),
          (Page.augmentedNDEF...Page.augmentedNDEF, .configuration),
          (Page.augmentedNDEF + 1...Page.last, .reserved),
        ]),
      lockBits: .standard(page: Page.dynamicLocks, last: lastPageForUser), finalBits: [],
      blank: nil, hasFastRead: false, counters: [], mirror: nil, access: .none,
      signature: .pages(Page.signature, [.st25tn]), hasWiredSide: false, memorySize: 256,
      otherSecrets: [Page.password...Page.kill], model: nil, files: nil)
  }
}
