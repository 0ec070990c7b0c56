import SwiftNFCCore
import TagImages
import Testing

@testable import VirtualNFC

/// Tests ICODE SLIX-L and SLIX-S, and what distinguishes them.
@Suite struct ICODELabelTests {
  private static let lUID = "9D427C1B500304E0"
  private static let sUID = "71C30E5A500204E0"
  private static let zero = ICODETests.zero
  private static let fifteen = ICODETests.fifteen

  /// The number of blocks and the IC reference; one block at a time, without security status.
  @Test func memory() {
    let l = VicinityReader(ICODESLIXL())
    #expect(l.ask("022B") == "000F" + Self.lUID + "0000070303")
    #expect(l.ask("022007") == "0000000000")
    #expect(l.ask("022008") == "")
    #expect(l.ask("2220" + Self.lUID + "08") == "010F")
    for silent in ["02230001", "022C0007", "02BD04", "02A70400FF"] { #expect(l.ask(silent) == "") }
    let s = VicinityReader(ICODESLIXS())
    #expect(s.ask("022B") == "000F" + Self.sUID + "0000270302")
    #expect(s.ask("022027") == "0000000000")
    #expect(s.ask("02230001") == "")
  }

  /// SLIX-L has no passwords for its memory; SLIX-S has all five.
  @Test func passwords() {
    let l = VicinityReader(ICODESLIXL())
    #expect(ICODETests.setPassword(l, "01", Self.zero) == "010F")
    #expect(ICODETests.setPassword(l, "02", Self.zero) == "010F")
    #expect(ICODETests.setPassword(l, "04", Self.fifteen) == "00")
    #expect(ICODETests.setPassword(l, "08", Self.fifteen) == "00")
    #expect(ICODETests.setPassword(l, "10", Self.zero) == "00")
    #expect(l.ask("02B60401") == "")
    let s = VicinityReader(ICODESLIXS())
    for (kind, password) in [
      ("01", Self.zero), ("02", Self.zero), ("04", Self.fifteen), ("08", Self.fifteen),
      ("10", Self.zero),
    ] {
      #expect(ICODETests.setPassword(s, kind, password) == "00", "\(kind)")
    }
    // SLIX has only one.
    let slix = VicinityReader(ICODESLIX())
    #expect(slix.ask("22BA04" + "9A713E2C500104E0" + "00000000") == "010F")
    #expect(slix.ask("22B904" + "9A713E2C500104E0" + "00000000") == "010F")
  }

  @Test func surveillanceAndAFI() {
    let l = VicinityReader(ICODESLIXL())
    #expect(l.ask("02A504") == "")
    #expect(l.ask("02A204") == "00")
    #expect(l.ask("02A504").count == 66)
    #expect(ICODETests.setPassword(l, "10", Self.zero) == "00")
    #expect(l.ask("02A604") == "00")
    #expect(l.ask("42A604") == "00")
    l.restart()
    #expect(l.refusals("02A304") == ICODETests.refused)
    #expect(l.refusals("022742") == ICODETests.refused)
    #expect(ICODETests.setPassword(l, "10", Self.zero) == "00")
    #expect(l.ask("022742") == "00")
  }

  private func privacy(
    _ ask: (String) -> String, _ restart: () -> Void, _ cover: ([UInt8]) -> String
  ) {
    #expect(ask("02BA04" + cover(Self.fifteen)) == "00")
    restart()
    for silent in ["260100", "022000", "022B"] { #expect(ask(silent) == "") }
    #expect(ask("02B30404" + cover(Self.fifteen)) == "00")
    #expect(ask("022001") == "000300FE00")
  }

  /// In privacy mode, a label answers only the random number and its password, addressed or not.
  @Test func privacy() {
    let l = VicinityReader(ICODESLIXL())
    privacy({ l.ask($0) }, { l.restart() }, { ICODETests.cover(l, $0) })
    let s = VicinityReader(ICODESLIXS())
    privacy({ s.ask($0) }, { s.restart() }, { ICODETests.cover(s, $0) })
  }

  @Test func destruction() {
    let l = VicinityReader(ICODESLIXL())
    #expect(l.ask("22B904" + Self.lUID + ICODETests.cover(l, Self.zero)) == "010F")
    l.restart()
    #expect(l.ask("22B904" + Self.lUID + ICODETests.cover(l, Self.fifteen)) == "00")
    l.restart()
    #expect(l.ask("02B204") == "")
    let tag = VirtualTag.icodeSLIXL()
    #expect(!tag.chip.isHidden)
  }

  /// SL2 ICS53/ICS54 data sheet, table 24, with one password and with both.
  @Test func pages() {
    let s = VicinityReader(ICODESLIXS())
    // Page 2, blocks 8 to 11, is public: no password is needed to protect it.
    #expect(s.ask("02B6040210") == "00")
    #expect(s.ask("02B804070F") == "00" + "00" + "04040404" + String(repeating: "00", count: 11))
    #expect(s.ask("022008") == "0000000000")
    #expect(s.refusals("02210811111111") == ICODETests.refused)
    #expect(s.ask("02210C11111111") == "00")
    // Its protection is changed with the password that it requires.
    #expect(s.refusals("02B6040200") == ICODETests.refused)
    #expect(ICODETests.setPassword(s, "02", Self.zero) == "00")
    #expect(s.ask("02210811111111") == "00")
    #expect(s.ask("02B6040211") == "00")
    s.restart()
    #expect(s.refusals("022008") == ICODETests.refused)
    #expect(ICODETests.setPassword(s, "01", Self.zero) == "00")
    #expect(s.ask("022008") == "0011111111")
    #expect(s.refusals("02210811111111") == ICODETests.refused)
    #expect(ICODETests.setPassword(s, "02", Self.zero) == "00")
    #expect(s.refusals("02B7040A") == ICODETests.refused)
    #expect(s.ask("02B70402") == "00")
    #expect(s.refusals("02B6040200") == ICODETests.refused)
    #expect(s.ask("02B8040800") == "000E")
    // With 64 bits, each access requires both passwords.
    #expect(s.ask("02BB04") == "00")
    s.restart()
    #expect(ICODETests.setPassword(s, "01", Self.zero) == "00")
    #expect(s.refusals("022008") == ICODETests.refused)
    #expect(ICODETests.setPassword(s, "02", Self.zero) == "00")
    #expect(s.ask("022008") == "0011111111")
    for wrong in ["02B604", "02B60402", "02B6040A00", "02B6040302", "02B704", "02BB0400"] {
      #expect(s.refusals(wrong) == ICODETests.refused, "\(wrong)")
    }
  }

  /// A chip is made of its image, with passwords and privacy mode; a chip of another kind is not.
  @Test func images() throws {
    let chip = VirtualTag.icodeSLIXL()
    _ = chip.withChip(ICODESLIXL.self) {
      $0.security.isPrivate = true
      $0.security.passwords[.privacy] = [1, 2, 3, 4]
    }
    let image = try #require(chip.image)
    let file = try ImageFormat.flipper.encode(image)
    let again = try VirtualTag.image(try ImageFormat.flipper.decode(file.bytes))
    let found = again.withChip(ICODESLIXL.self) { ($0.security.isPrivate, $0.security.passwords) }
    #expect(found?.0 == true && found?.1[.privacy] == [1, 2, 3, 4])
    #expect(again.chip.isHidden)
    #expect(try VirtualTag.image(try #require(VirtualTag.icodeSLIS().image)).name == "icode-sli-s")
    #expect(
      try VirtualTag.image(try #require(VirtualTag.icodeSLIXS().image)).name == "icode-slix-s")
  }
}
