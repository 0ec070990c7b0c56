import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct ICODETests {
  typealias Reader = VicinityReader<ICODESLIX2>
  static let uid = "838ED22A080104E0"

  /// Returns a password that is combined twice with a new random number (data sheet, 9.5.3.2).
  static func cover<Chip>(_ reader: VicinityReader<Chip>, _ password: [UInt8]) -> String {
    let answer = reader.ask("02B204")
    guard answer.count == 6, let random = [UInt8](hexadecimal: answer.dropFirst(2)) else {
      return "no random number"
    }
    return zip(password, random + random).map { $0 ^ $1 }.hexadecimal
  }

  /// Sends SET PASSWORD (data sheet, 9.5.3.2).
  static func setPassword<Chip>(
    _ reader: VicinityReader<Chip>, _ kind: String, _ password: [UInt8]
  ) -> String {
    reader.askAddressed("02B304" + kind + cover(reader, password))
  }

  static let zero: [UInt8] = [0, 0, 0, 0]
  /// What comes of a request that is refused: silence, and no reason if the request is addressed (SL2 ICS53/ICS54 data
  /// sheet rev. 3.0, 8.4).
  static let refused = ["", "010F"]
  static let fifteen: [UInt8] = [0x0F, 0x0F, 0x0F, 0x0F]

  /// The UID and signature of a genuine chip; NXP signs the UID least significant byte first.
  @Test func signature() {
    #expect(
      Reader(ICODESLIX2()).ask("02BD04")
        == "00CAE8183CB4823C765AFDEB78C9D66C959990FD52A5820E76E1D6E025D76EAD79")
    var other = ICODESLIX2.model.defaultUID
    other[7] ^= 1
    let false1 = Reader(ICODESLIX2(uid: other)).ask("02BD04")
    #expect(false1.count == 66)
    #expect(false1 != Reader(ICODESLIX2()).ask("02BD04"))
  }

  @Test func systemInformation() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02AB04") == "000000007F350000")
    #expect(reader.ask("02A404") == "00")
    #expect(reader.ask("022A") == "00")
    #expect(reader.ask("02AB04") == "000000067F350000")
  }

  @Test func surveillance() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02A504") == "")
    #expect(reader.ask("02A204") == "00")
    #expect(reader.ask("02A504") == "00" + ICODESecurity.alarm.hexadecimal)
    #expect(reader.ask("02A704ABCD") == "00")
    #expect(reader.ask("42A50410ABCD") == "00" + ICODESecurity.alarm.hexadecimal)
    #expect(reader.ask("42A50410ABCE") == "")
    #expect(reader.ask("42A50400") == "00ABCD")
    // The password is required from now on.
    #expect(reader.refusals("02A604") == Self.refused)
    #expect(Self.setPassword(reader, "10", Self.zero) == "00")
    #expect(reader.ask("02A604") == "00")
    reader.restart()
    #expect(reader.refusals("02A304") == Self.refused)
    #expect(reader.ask("022742") == "00")
    #expect(Self.setPassword(reader, "10", Self.zero) == "00")
    #expect(reader.ask("42A604") == "00")
    #expect(reader.ask("02A304") == "00")
    #expect(reader.ask("02A504") == "")
    #expect(reader.ask("02A404") == "00")
    #expect(reader.refusals("02A204") == Self.refused)
    reader.restart()
    #expect(reader.refusals("022743") == Self.refused)
  }

  @Test func wrongPasswordDeafensUntilPowerOff() {
    let reader = Reader(ICODESLIX2())
    #expect(Self.setPassword(reader, "01", [1, 2, 3, 4]) == "010F")
    #expect(reader.ask("022000") == "")
    #expect(reader.ask("260100") == "")
    reader.restart()
    #expect(reader.ask("022000") == "00E1402701")
    // Without a random number, or for a password that does not exist.
    #expect(reader.refusals("02B3040100000000") == Self.refused)
    #expect(Self.setPassword(reader, "20", Self.zero) == "010F")
  }

  @Test func newPassword() {
    let reader = Reader(ICODESLIX2())
    let new: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF]
    let write = "22B404" + Self.uid + "02" + new.hexadecimal
    #expect(reader.ask(write) == "010F")
    #expect(Self.setPassword(reader, "02", Self.zero) == "00")
    #expect(reader.ask("02B40402" + new.hexadecimal) == "")
    #expect(reader.ask(write) == "00")
    #expect(Self.setPassword(reader, "02", new) == "00")
    #expect(reader.ask("22B504" + Self.uid + "02") == "00")
    #expect(reader.ask(write) == "010F")
  }

  @Test func protectedPages() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.refusals("02B6042830") == Self.refused)
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(Self.setPassword(reader, "02", Self.zero) == "00")
    // The high page, from block 40 on, requires both passwords.
    #expect(reader.ask("02B6042830") == "00")
    #expect(reader.ask("022028") == "0000000000")
    #expect(reader.ask("02B8042701") == "000006")
    reader.restart()
    #expect(reader.ask("022027") == "0000000000")
    #expect(reader.refusals("022028") == Self.refused)
    #expect(reader.refusals("02212811111111") == Self.refused)
    // The counter is not part of it.
    #expect(reader.ask("02204F") == "0000000000")
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(reader.ask("022028") == "0000000000")
    #expect(reader.refusals("02212811111111") == Self.refused)
    #expect(Self.setPassword(reader, "02", Self.zero) == "00")
    #expect(reader.ask("02212811111111") == "00")
    #expect(reader.ask("02B70428") == "00")
    #expect(reader.refusals("02B6040000") == Self.refused)
  }

  @Test func counter() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02214F01000000") == "00")
    #expect(reader.ask("02204F") == "0001000000")
    #expect(reader.ask("02214FFFFF0001") == "00")
    #expect(reader.ask("02204F") == "00FFFF0001")
    // Protected, and at its maximum.
    #expect(reader.refusals("02214F01000000") == Self.refused)
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(reader.refusals("02214F01000000") == Self.refused)
    #expect(reader.ask("02214F02000001") == "00")
    #expect(reader.ask("02214F01000000") == "00")
    #expect(reader.ask("02204F") == "0003000001")
  }

  /// The command contains the password (data sheet, 9.5.3.9).
  @Test func privacy() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.refusals("02BA04") == Self.refused)
    #expect(reader.refusals("02BA040F0F0F0F") == Self.refused)
    #expect(reader.ask("02BA04" + Self.cover(reader, Self.fifteen)) == "00")
    reader.restart()
    #expect(reader.ask("260100") == "")
    #expect(reader.ask("26A004000000") == "")
    #expect(reader.ask("022000") == "")
    #expect(reader.ask("2220" + Self.uid) == "")
    #expect(Self.setPassword(reader, "04", Self.fifteen) == "00")
    #expect(reader.ask("022000") == "00E1402701")
    #expect(reader.askAddressed("02BA04" + Self.cover(reader, Self.zero)) == "010F")
    // A wrong password silences the chip here, too.
    #expect(reader.ask("022000") == "")
  }

  @Test func destroyed() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("22B904" + Self.uid) == "010F")
    // The command must be addressed or for the selected tag.
    #expect(reader.ask("02B904" + Self.cover(reader, Self.fifteen)) == "")
    #expect(reader.ask("22B904" + Self.uid + Self.cover(reader, Self.fifteen)) == "00")
    reader.restart()
    #expect(reader.ask("260100") == "")
    #expect(reader.ask("02B204") == "")
  }

  @Test func persistentQuiet() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("22BC04" + Self.uid) == "")
    reader.restart()
    #expect(reader.ask("260100") == "")
    #expect(reader.ask("2220" + Self.uid + "00") == "00E1402701")
  }

  // MARK: Inventories that read

  /// Regular mode (SL2S2002 data sheet, 9.4.3.5): blocks and, with the option flag, the part of the UID
  /// that the mask does not contain.
  @Test(arguments: [
    // One slot, no mask.
    ("26A004000001", "00E14027010300FE00"),
    ("66A004000000", "00838ED22A080104E0E1402701"),
    // A mask of 8, 12 and 64 bits: whole bytes of the UID are left out.
    ("66A00408830000", "008ED22A080104E0E1402701"),
    ("66A0040C830E0000", "008ED22A080104E0E1402701"),
    ("66A00440838ED22A080104E00000", "00E1402701"),
    // 16 slots: the first four bits after the mask are the slot, which is 3 here.
    ("46A004000000", ""),
    // With AFI: the tag's own, and another one.
    ("36A00400000000", "00E1402701"), ("36A00442000000", ""),
    // Another tag's mask, a block that does not exist, wrong parameters, another maker's code.
    ("26A00408840000", ""), ("26A004004F01", ""), ("26A0040000", ""), ("26A00400000000", ""),
    ("26A00441838ED22A080104E0000000", ""), ("26A002000000", ""),
  ])
  func inventoryRead(request: String, answer: String) {
    #expect(Reader(ICODESLIX2()).ask(request) == answer)
    // The answer has twice the bit rate.
    let fast = "A1" + request.dropFirst(4)
    #expect(Reader(ICODESLIX2()).ask(String(request.prefix(2)) + fast) == answer)
    // An inventory that the chip does not support.
    let unknown = "B0" + request.dropFirst(4)
    #expect(Reader(ICODESLIX2()).ask(String(request.prefix(2)) + unknown) == "")
  }

  @Test func inventoryReadInSlots() throws {
    var chip = ICODESLIX2()
    chip.powerOn()
    let request = try #require([UInt8](hexadecimal: "46A104000000"))
    #expect(chip.receive(.iso15693(request)) == nil)
    #expect(chip.receive(.iso15693EndOfFrame) == nil)
    #expect(chip.receive(.iso15693EndOfFrame) == nil)
    let third = chip.receive(.iso15693EndOfFrame)
    let answer = try #require(third)
    // 60 bits of the UID, rounded up to bytes, and the block.
    #expect(answer.checkedPayload?.hexadecimal == "00838ED22A080104E0E1402701")
    #expect(answer.bitRate == 53)
    #expect(chip.receive(.iso15693EndOfFrame) == nil)
  }

  /// Extended mode, which SLIX does not have (SL2S2602 data sheet, tables 46 to 48).
  @Test func extendedInventoryRead() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("26A00480000001") == "00E14027010300FE00")
    // The complete UID, regardless of the mask; without data.
    #expect(reader.ask("26A0048802830000") == "00838ED22A080104E0E1402701")
    #expect(reader.ask("26A004881283") == "00838ED22A080104E0")
    // Only with active article surveillance.
    #expect(reader.ask("26A004801312") == "")
    #expect(reader.ask("26A0048013") == "")
    #expect(reader.ask("02A204") == "00")
    #expect(reader.ask("26A0048013") == "00838ED22A080104E0")
    // Quiet afterwards, until the power is off.
    #expect(reader.ask("26A0048032") == "00838ED22A080104E0")
    #expect(reader.ask("26A0048012") == "")
    #expect(reader.ask("26A0048072") == "")
    reader.restart()
    #expect(reader.ask("26A0048012") == "00838ED22A080104E0")
    // Permanently quiet, and found only by the request for such labels.
    #expect(reader.ask("26A0048852FF") == "")
    #expect(reader.ask("26A0048052") == "00838ED22A080104E0")
    reader.restart()
    #expect(reader.ask("26A0048012") == "")
    #expect(reader.ask("26A0048072") == "00838ED22A080104E0")
    let slix = VicinityReader(ICODESLIX())
    #expect(slix.ask("26A00480000000") == "")
    #expect(slix.ask("66A004000000") == "009A713E2C500104E0E1400D01")
  }

  @Test func inventoryReadOfAProtectedBlock() {
    let reader = Reader(ICODESLIX2())
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(Self.setPassword(reader, "02", Self.zero) == "00")
    #expect(reader.ask("02B6042830") == "00")
    reader.restart()
    #expect(reader.ask("26A004002700") == "0000000000")
    #expect(reader.ask("26A004002800") == "")
  }

  @Test func slixHasOnePassword() {
    let reader = VicinityReader(ICODESLIX())
    #expect(Self.setPassword(reader, "10", Self.zero) == "00")
    #expect(Self.setPassword(reader, "01", Self.zero) == "010F")
    #expect(reader.ask("02BD04") == "")
    #expect(reader.ask("02A204") == "00")
    #expect(reader.ask("02A504").count == 66)
  }
}
