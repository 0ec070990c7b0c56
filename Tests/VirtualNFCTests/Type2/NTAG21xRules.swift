extension NTAG21xTests {
  static let identification = [
    // GET_VERSION, table 28 and NTAG210/212 table 20.
    Type2Script("version", "ntag210", "60 > 0004040101000B03"),
    Type2Script("version", "ntag212", "60 > 0004040101000E03"),
    Type2Script("version", "ntag213", "60 > 0004040201000F03"),
    Type2Script("version", "ntag215", "60 > 0004040201001103"),
    Type2Script("version", "ntag216", "60 > 0004040201001303"),
    // READ_SIG: the UIDs and signatures that NXP has published.
    Type2Script(
      "signature", "ntag213",
      """
      30 00 > 04E10C61 DA993C80 FF480000 E1101200
      3C 00 > 8B76052EE42F5567BEB53238B3E3F9950707C0DCC956B5C5EFCFDB709B2D82B3
      """),
    Type2Script(
      "signature", "ntag215",
      "3C 00 > 6048EFD9417CD10F6B7F1818D471A7FE5B46868D2EABDC6307A1E0AAE139D8D0"),
    Type2Script(
      "signature", "ntag216",
      "3C 00 > 660B9EEB2AACBD9755EA7769D40DACBF71A3512A7AAD5B803CD45D2D33795FDA"),
    Type2Script("signature has one address", "ntag213", "3C 01 > N0"),
    // Factory contents, tables 6 to 8.
    Type2Script(
      "delivery", "ntag210",
      """
      30 03 > E1100600 0300FE00 00000000 00000000
      30 10 > 040000FF 00050000 00000000 00000000
      """),
    Type2Script("delivery", "ntag212", "30 03 > E1101000 0103900A 340300FE 00000000"),
    Type2Script(
      "delivery", "ntag213",
      """
      30 03 > E1101200 0103A00C 340300FE 00000000
      30 28 > 000000BD 040000FF 00050000 00000000
      """),
    Type2Script("delivery", "ntag215", "30 03 > E1103E00 0300FE00 00000000 00000000"),
    Type2Script("delivery", "ntag216", "30 03 > E1106D00 0300FE00 00000000 00000000"),
  ]

  static let reading = [
    // READ begins at any page and continues with page 0 after the last.
    Type2Script("roll over", "ntag213", "30 2B > 00000000 00000000 04E10C61 DA993C80"),
    Type2Script("roll over", "ntag210", "30 13 > 00000000 043F71C2 D28A5980 81480000"),
    Type2Script("roll over", "ntag216", "30 E6 > 00000000 04A78BA0 62C21B90 2B480000"),
    Type2Script("beyond the end", "ntag210", "30 14 > N0"),
    Type2Script("beyond the end", "ntag212", "30 29 > N0"),
    Type2Script("beyond the end", "ntag213", "30 2D > N0"),
    Type2Script("beyond the end", "ntag215", "30 87 > N0"),
    Type2Script("beyond the end", "ntag216", "30 E7 > N0"),
    Type2Script("one page", "ntag213", "3A 03 03 > E1101200"),
    Type2Script("three pages", "ntag213", "3A 03 05 > E1101200 0103A00C 340300FE"),
    Type2Script("to the end", "ntag213", "3A 2B 2C > 00000000 00000000"),
    Type2Script("no roll over", "ntag213", "3A 2C 2D > N0"),
    Type2Script("backwards", "ntag213", "3A 05 04 > N0"),
    Type2Script("without an end", "ntag213", "3A 04 > N0"),
  ]

  static let writing = [
    Type2Script(
      "write and read back", "ntag213",
      """
      A2 27 DEADBEEF > A
      3A 27 27 > DEADBEEF
      """),
    Type2Script("the UID", "ntag213", "A2 00 00000000 > N0"),
    Type2Script("the UID", "ntag213", "A2 01 00000000 > N0"),
    Type2Script("beyond the end", "ntag213", "A2 2D 00000000 > N0"),
    Type2Script("three bytes", "ntag213", "A2 05 000000 > N0"),
    Type2Script("five bytes", "ntag213", "A2 05 0000000000 > N0"),
    // Bits of page 3 can be set only; bytes 0 and 1 of page 2 do not change.
    Type2Script(
      "one-time bits", "ntag213",
      """
      A2 03 0000120F > A
      A2 03 00000000 > A
      30 02 > FF480000 E110120F 0103A00C 340300FE
      """),
    Type2Script(
      "internal bytes", "ntag213",
      """
      A2 02 FFFF0000 > A
      3A 02 02 > FF480000
      """),
    Type2Script(
      "dynamic lock bytes keep BD", "ntag213",
      """
      A2 28 00000000 > A
      3A 28 28 > 000000BD
      A2 28 FFFFFFFF > A
      3A 28 28 > FF0F3FBD
      """),
    Type2Script(
      "COMPATIBILITY_WRITE takes four bytes of sixteen", "ntag213",
      """
      A0 06 > A
      0102030405060708090A0B0C0D0E0F10 > A
      3A 06 07 > 01020304 00000000
      """),
    Type2Script("COMPATIBILITY_WRITE to the UID", "ntag213", "A0 01 > N0"),
    Type2Script("COMPATIBILITY_WRITE beyond the end", "ntag213", "A0 2D > N0"),
    Type2Script(
      "COMPATIBILITY_WRITE with too few data", "ntag213",
      """
      A0 06 > A
      01020304 > N0
      30 06 > -
      select
      3A 06 06 > 00000000
      """),
    Type2Script(
      "COMPATIBILITY_WRITE takes HLTA for data", "ntag213",
      """
      A0 06 > A
      50 00 > N0
      select
      30 06 > 00000000 00000000 00000000 00000000
      """),
    Type2Script(
      "COMPATIBILITY_WRITE takes GET_VERSION for data", "ntag213",
      """
      A0 06 > A
      60 > N0
      """),
  ]

  static let refusals = [
    // After a NAK the chip is in IDLE: mute until REQA.
    Type2Script(
      "mute after a NAK", "ntag213",
      """
      30 FF > N0
      30 00 > -
      60 > -
      request
      60 > 0004040201000F03
      """),
    Type2Script(
      "in HALT after a NAK if it came from there", "ntag213",
      """
      halt
      30 00 > -
      select
      30 FF > N0
      30 00 > -
      select
      60 > 0004040201000F03
      """),
    Type2Script("a byte too many", "ntag213", "60 00 > -"),
    Type2Script("unknown command", "ntag213", "61 > N0"),
    Type2Script("nothing but a check", "ntag213", " > N0"),
    Type2Script("AUTHENTICATE of Ultralight C", "ntag213", "1A 00 > N0"),
    Type2Script("SECTOR_SELECT", "ntag213", "C2 FF > N0"),
    Type2Script("INCR_CNT of Ultralight EV1", "ntag213", "A5 00 01000000 > N0"),
    Type2Script("counter of a chip without one", "ntag210", "39 02 > N0"),
    Type2Script("counter of a chip without one", "ntag212", "39 02 > N0"),
  ]
}
