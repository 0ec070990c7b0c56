import NFCCore
import Testing

@testable import VirtualNFC

@Suite struct ICODETests {
  typealias Reader = VicinityReader<ICODESLIX2>
  static let uid = "838ED22A080104E0"

  /// SET PASSWORD: the password under the random number, twice (data sheet, 9.5.3.2).
  static func setPassword<Chip>(
    _ reader: VicinityReader<Chip>, _ kind: String, _ password: [UInt8]
  ) -> String {
    let answer = reader.ask("02B204")
    guard answer.count == 6, let random = [UInt8](hexadecimal: answer.dropFirst(2)) else {
      return "no random number"
    }
    let cover = zip(password, random + random).map { $0 ^ $1 }
    return reader.ask("02B304" + kind + cover.hexadecimal)
  }

  static let zero: [UInt8] = [0, 0, 0, 0]
  static let fifteen: [UInt8] = [0x0F, 0x0F, 0x0F, 0x0F]

  /// The pair of a genuine chip; NXP signs the UID least significant byte first.
  @Test func signature() {
    #expect(
      Reader(ICODESLIX2()).ask("02BD04")
        == "00CAE8183CB4823C765AFDEB78C9D66C959990FD52A5820E76E1D6E025D76EAD79")
    var other = ICODESLIX2.defaultUID
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
    // Behind the password from now on.
    #expect(reader.ask("02A604") == "010F")
    #expect(Self.setPassword(reader, "10", Self.zero) == "00")
    #expect(reader.ask("02A604") == "00")
    reader.restart()
    #expect(reader.ask("02A304") == "010F")
    #expect(reader.ask("022742") == "00")
    #expect(Self.setPassword(reader, "10", Self.zero) == "00")
    #expect(reader.ask("42A604") == "00")
    #expect(reader.ask("02A304") == "00")
    #expect(reader.ask("02A504") == "")
    #expect(reader.ask("02A404") == "00")
    #expect(reader.ask("02A204") == "0112")
    reader.restart()
    #expect(reader.ask("022743") == "010F")
  }

  @Test func wrongPasswordDeafensUntilPowerOff() {
    let reader = Reader(ICODESLIX2())
    #expect(Self.setPassword(reader, "01", [1, 2, 3, 4]) == "010F")
    #expect(reader.ask("022000") == "")
    #expect(reader.ask("260100") == "")
    reader.restart()
    #expect(reader.ask("022000") == "00E1402701")
    // Without a random number, or for a password that is not there.
    #expect(reader.ask("02B3040100000000") == "010F")
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
    #expect(reader.ask(write) == "0112")
  }

  @Test func protectedPages() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02B6042830") == "010F")
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(Self.setPassword(reader, "02", Self.zero) == "00")
    // The high page, from block 40 on, wants both passwords.
    #expect(reader.ask("02B6042830") == "00")
    #expect(reader.ask("022028") == "0000000000")
    #expect(reader.ask("02B8042701") == "000006")
    reader.restart()
    #expect(reader.ask("022027") == "0000000000")
    #expect(reader.ask("022028") == "010F")
    #expect(reader.ask("02212811111111") == "010F")
    // The counter is outside.
    #expect(reader.ask("02204F") == "0000000000")
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(reader.ask("022028") == "0000000000")
    #expect(reader.ask("02212811111111") == "010F")
    #expect(Self.setPassword(reader, "02", Self.zero) == "00")
    #expect(reader.ask("02212811111111") == "00")
    #expect(reader.ask("02B70428") == "00")
    #expect(reader.ask("02B6040000") == "0112")
  }

  @Test func counter() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02214F01000000") == "00")
    #expect(reader.ask("02204F") == "0001000000")
    #expect(reader.ask("02214FFFFF0001") == "00")
    #expect(reader.ask("02204F") == "00FFFF0001")
    // Protected, and at its end.
    #expect(reader.ask("02214F01000000") == "010F")
    #expect(Self.setPassword(reader, "01", Self.zero) == "00")
    #expect(reader.ask("02214F01000000") == "010F")
    #expect(reader.ask("02214F02000001") == "00")
    #expect(reader.ask("02214F01000000") == "00")
    #expect(reader.ask("02204F") == "0003000001")
  }

  @Test func privacy() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02BA04") == "010F")
    #expect(Self.setPassword(reader, "04", Self.fifteen) == "00")
    #expect(reader.ask("02BA04") == "00")
    reader.restart()
    #expect(reader.ask("260100") == "")
    #expect(reader.ask("022000") == "")
    #expect(reader.ask("2220" + Self.uid) == "")
    #expect(Self.setPassword(reader, "04", Self.fifteen) == "00")
    #expect(reader.ask("022000") == "00E1402701")
  }

  @Test func destroyed() {
    let reader = Reader(ICODESLIX2())
    #expect(reader.ask("02B904") == "010F")
    #expect(Self.setPassword(reader, "08", Self.fifteen) == "00")
    #expect(reader.ask("02B904") == "00")
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

  @Test func slixHasOnePassword() {
    let reader = VicinityReader(ICODESLIX())
    #expect(Self.setPassword(reader, "10", Self.zero) == "00")
    #expect(Self.setPassword(reader, "01", Self.zero) == "010F")
    #expect(reader.ask("02BD04") == "")
    #expect(reader.ask("02A204") == "00")
    #expect(reader.ask("02A504").count == 66)
  }
}
