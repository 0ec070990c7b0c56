extension UltralightTests {
  static let ultralight = [
    Type2Script(
      "formatted", "ultralight",
      """
      30 00 > 0458A377 61B72080 76480000 E1100600
      30 04 > 0300FE00 00000000 00000000 00000000
      """),
    Type2Script("roll over", "ultralight", "30 0F > 00000000 0458A377 61B72080 76480000"),
    Type2Script("beyond the end", "ultralight", "30 10 > N0"),
    Type2Script("write beyond the end", "ultralight", "A2 10 00000000 > N0"),
    Type2Script("the UID", "ultralight", "A2 01 00000000 > N0"),
    Type2Script(
      "COMPATIBILITY_WRITE", "ultralight",
      """
      A0 0F > A
      AABBCCDD000000000000000000000000 > A
      30 0F > AABBCCDD 0458A377 61B72080 76480000
      """),
    Type2Script("GET_VERSION", "ultralight", "60 > -"),
    Type2Script("FAST_READ", "ultralight", "3A 00 01 > -"),
    Type2Script("AUTHENTICATE", "ultralight", "1A 00 > -"),
  ]

  static let ntag203 = [
    // Table 7.
    Type2Script(
      "delivery", "ntag203",
      """
      30 03 > E1101200 0103A010 440300FE 00000000
      30 26 > 00000000 00000000 00000000 00000000
      """),
    Type2Script("roll over", "ntag203", "30 29 > 00000000 04925E40 C31A2780 7E480000"),
    Type2Script("beyond the end", "ntag203", "30 2A > N0"),
    Type2Script("write beyond the end", "ntag203", "A2 2A 00000000 > N0"),
    Type2Script("GET_VERSION", "ntag203", "60 > N0"),
    Type2Script("FAST_READ", "ntag203", "3A 00 01 > N0"),
    // Section 8.6.
    Type2Script(
      "counter", "ntag203",
      """
      A2 29 00000000 > A
      A2 29 F0FF0000 > A
      field
      A2 29 0E000000 > A
      field
      A2 29 00000000 > A
      30 29 > FEFF0000 04925E40 C31A2780 7E480000
      A2 29 02000000 > N0
      field
      A2 29 01000000 > A
      field
      A2 29 01000000 > N0
      field
      30 29 > FFFF0000 04925E40 C31A2780 7E480000
      A2 29 00000000 > A
      """),
    Type2Script(
      "counter takes steps up to 000F", "ntag203",
      """
      A2 29 01000000 > A
      A2 29 0F000000 > A
      A2 29 10000000 > N0
      select
      A2 29 01010000 > N0
      select
      30 29 > 10000000 04925E40 C31A2780 7E480000
      """),
  ]

  static let ultralightC = [
    // Table 13; the key can never be read: section 7.5.7.
    Type2Script(
      "formatted", "ultralight-c",
      """
      30 03 > E1101200 0103A010 440300FE 00000000
      30 28 > 00000000 00000000 30000000 00000000
      30 2B > 00000000 042D8425 F6531E80 3B480000
      30 2C > N0
      """),
    Type2Script("write beyond the end", "ultralight-c", "A2 30 00000000 > N0"),
    Type2Script("GET_VERSION", "ultralight-c", "60 > N0"),
    Type2Script("FAST_READ", "ultralight-c", "3A 00 01 > N0"),
    // Figure 8.
    Type2Script(
      "one-time bits", "ultralight-c",
      """
      A2 03 FFFC0507 > A
      A2 03 FF003980 > A
      30 03 > FFFC3F87 0103A010 440300FE 00000000
      """),
    // Section 7.5.11: the low four bits are used, the rest is ignored.
    Type2Script(
      "counter", "ultralight-c",
      """
      A2 29 34120000 > A
      field
      A2 29 F1FFFFFF > A
      field
      30 29 > 35120000 30000000 00000000 042D8425
      """),
    Type2Script(
      "counter at its end", "ultralight-c",
      """
      A2 29 FEFF0000 > A
      field
      A2 29 02000000 > N0
      field
      A2 29 01000000 > A
      field
      A2 29 01000000 > N0
      field
      A2 29 00000000 > A
      30 29 > FFFF0000 30000000 00000000 042D8425
      """),
    Type2Script(
      "AUTH0 and AUTH1 protect reading", "ultralight-c",
      """
      A2 2A 06000000 > A
      A2 05 01020304 > A
      reselect
      30 05 > 01020304 042D8425 F6531E80 3B480000
      30 06 > N0
      select
      A2 06 00000000 > N0
      """),
    Type2Script(
      "AUTH1 leaves reading free", "ultralight-c",
      """
      A2 2A 06000000 > A
      A2 2B 01000000 > A
      reselect
      30 06 > 00000000 00000000 00000000 00000000
      30 2B > 01000000 042D8425 F6531E80 3B480000
      A0 06 > N0
      """),
    Type2Script(
      "second half without the first", "ultralight-c", "AF 00112233445566778899AABBCCDDEEFF > N0"),
    Type2Script("wrong argument", "ultralight-c", "1A 01 > N0"),
  ]

  static let ultralightEV1 = [
    Type2Script("version", "ultralight-ev1", "60 > 0004030101000B03"),
    Type2Script("version", "ultralight-ev1-128", "60 > 0004030101000E03"),
    Type2Script(
      "signature", "ultralight-ev1",
      "3C 00 > CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7"),
    Type2Script(
      "signature", "ultralight-ev1-128",
      "3C 00 > A561506723D422D29ED9F93E60D20B9ED1E05CC1BF81DA19FE500CA0B81CC0ED"),
    Type2Script(
      "formatted", "ultralight-ev1",
      """
      30 03 > E1100600 0300FE00 00000000 00000000
      30 10 > 000000FF 00050000 00000000 00000000
      """),
    Type2Script(
      "formatted", "ultralight-ev1-128",
      """
      30 03 > E1101000 0300FE00 00000000 00000000
      3A 24 28 > 000000BD 000000FF 00050000 00000000 00000000
      """),
    Type2Script("roll over", "ultralight-ev1", "30 13 > 00000000 04C12865 5A373080 DD480000"),
    Type2Script("beyond the end", "ultralight-ev1", "30 14 > N0"),
    Type2Script("beyond the end", "ultralight-ev1-128", "30 29 > N0"),
    // Section 10.7 and on: counters.
    Type2Script(
      "counters", "ultralight-ev1",
      """
      39 00 > 000000
      A5 00 01000000 > A
      A5 00 000001FF > A
      39 00 > 010001
      A5 02 FFFFFF00 > A
      39 02 > FFFFFF
      A5 02 00000000 > A
      A5 02 01000000 > N4
      field
      39 02 > FFFFFF
      39 01 > 000000
      39 00 > 010001
      39 03 > N0
      """),
    Type2Script("increment of no counter", "ultralight-ev1", "A5 03 01000000 > N0"),
    Type2Script("short increment", "ultralight-ev1", "A5 00 010000 > N0"),
    Type2Script("tearing", "ultralight-ev1", "3E 00 > BD\n3E 01 > BD\n3E 02 > BD\n3E 03 > N0"),
    Type2Script(
      "VCSL", "ultralight-ev1",
      """
      4B 000102030405060708090A0B0C0D0E0F 00000000 > 05
      4B 000102030405060708090A0B0C0D0E0F 000000 > N0
      """),
    Type2Script(
      "password", "ultralight-ev1",
      """
      A2 10 00000008 > A
      A2 11 81050000 > A
      A2 12 01020304 > A
      A2 13 0A0B0000 > A
      field
      30 08 > N0
      select
      30 07 > 00000000 04C12865 5A373080 DD480000
      1B FFFFFFFF > N0
      select
      1B 01020304 > 0A0B
      3A 10 13 > 00000008 81050000 00000000 00000000
      A2 08 01020304 > A
      reselect
      1B FFFFFFFF > N0
      select
      1B FFFFFFFF > N4
      select
      1B 01020304 > N4
      """),
    Type2Script(
      "lock of the configuration", "ultralight-ev1-128",
      """
      A2 26 40050000 > A
      field
      A2 26 00050000 > N0
      select
      A2 25 00000000 > N0
      select
      A2 27 00000000 > A
      1B 00000000 > 0000
      """),
  ]

  static let ntagI2C = [
    Type2Script("version", "ntag-i2c-1k", "60 > 0004040502011303"),
    Type2Script("version", "ntag-i2c-2k", "60 > 0004040502011503"),
    Type2Script(
      "delivery", "ntag-i2c-1k",
      """
      30 00 > 045A13B2 D8408100 44000000 E1106D00
      30 04 > 0300FE00 00000000 00000000 00000000
      30 E8 > 0100F848 08010000 00000000 00000000
      """),
    Type2Script("delivery", "ntag-i2c-2k", "30 03 > E110EA00 0300FE00 00000000 00000000"),
    Type2Script("zeros where there is no memory", "ntag-i2c-1k", "30 E1 > …000000000000"),
    Type2Script("no memory", "ntag-i2c-1k", "30 E3 > N0"),
    Type2Script("no memory", "ntag-i2c-1k", "30 EA > N0"),
    Type2Script("no memory", "ntag-i2c-1k", "A2 E3 00000000 > N0"),
    Type2Script("no memory", "ntag-i2c-2k", "C2 FF > A\n02000000 > N0"),
    Type2Script("FAST_READ", "ntag-i2c-1k", "3A 03 04 > E1106D00 0300FE00"),
    Type2Script("FAST_READ ends where there is no memory", "ntag-i2c-1k", "3A E2 E3 > N0"),
    Type2Script(
      "session registers", "ntag-i2c-1k",
      """
      C2 FF > A
      03000000 > -
      30 F8 > 0100F848 08012100 00000000 00000000
      A2 F8 00000000 > N0
      select
      30 03 > E1106D00 0300FE00 00000000 00000000
      """),
    Type2Script(
      "sectors of the 1K", "ntag-i2c-1k",
      """
      C2 FF > A
      01000000 > N0
      30 00 > -
      """),
    Type2Script(
      "sectors of the 2K", "ntag-i2c-2k",
      """
      A2 FF 01020304 > A
      C2 FF > A
      01000000 > -
      A2 00 05060708 > A
      3A 00 00 > 05060708
      30 E8 > 0100F848 08010000 00000000 00000000
      30 E1 > N0
      select
      3A FF FF > 01020304
      """),
    // One bit per 32 pages: bit 7 locks F0 to 10F, bit 14 locks 1D0 to 1DF.
    Type2Script(
      "lock bits of the 2K", "ntag-i2c-2k",
      """
      C2 FF > A
      01000000 > -
      A2 E0 80400000 > A
      A2 10 00000000 > A
      A2 0F 00000000 > N0
      select
      A2 EF 00000000 > A
      A2 F0 00000000 > N0
      select
      C2 FF > A
      01000000 > -
      A2 CF 00000000 > A
      A2 D0 00000000 > N0
      """),
    Type2Script("SECTOR_SELECT without FF", "ntag-i2c-1k", "C2 00 > N0"),
    Type2Script("short sector", "ntag-i2c-1k", "C2 FF > A\n03 > N0"),
    Type2Script("COMPATIBILITY_WRITE", "ntag-i2c-1k", "A0 04 > N0"),
    Type2Script(
      "REG_LOCK", "ntag-i2c-1k",
      """
      A2 E9 08010100 > A
      A2 E9 08010000 > N0
      select
      A2 E8 00000000 > N0
      """),
  ]
}
