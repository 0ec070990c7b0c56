/// The counter, the password and the mirror.
extension NTAG21xTests {
  static let counting = [
    Type2Script("READ_CNT while disabled", "ntag213", "39 02 > N0"),
    Type2Script(
      "counts once in each field", "ntag213",
      """
      A2 2A 10050000 > A
      reselect
      39 02 > 000000
      30 04 > …00
      39 02 > 010000
      3A 04 05 > …FE
      30 04 > …00
      39 02 > 010000
      reselect
      30 04 > …00
      39 02 > 010000
      field
      39 02 > 010000
      3A 04 05 > …FE
      39 02 > 020000
      """),
    Type2Script(
      "a refused READ does not count", "ntag213",
      """
      A2 2A 10050000 > A
      field
      30 FF > N0
      select
      39 02 > 000000
      """),
    Type2Script(
      "other counters do not exist", "ntag213",
      """
      A2 2A 10050000 > A
      field
      39 00 > N0
      """),
    Type2Script(
      "protected by the password", "ntag213",
      """
      A2 2A 18050000 > A
      field
      39 02 > N0
      select
      1B FFFFFFFF > 0000
      39 02 > 000000
      reselect
      39 02 > N0
      """),
  ]

  static let passwords = [
    Type2Script("as delivered", "ntag216", "1B FFFFFFFF > 0000"),
    Type2Script(
      "wrong password", "ntag216",
      """
      1B 00000000 > N0
      1B FFFFFFFF > -
      select
      1B FFFFFFFF > 0000
      """),
    Type2Script("too short", "ntag216", "1B FFFFFF > N0"),
    Type2Script(
      "password and acknowledge read as zeros", "ntag216",
      """
      A2 E5 01020304 > A
      A2 E6 AABB0000 > A
      1B 01020304 > AABB
      3A E5 E6 > 00000000 00000000
      """),
    // AUTH0 takes effect at the next selection: traces of an NTAG215.
    Type2Script(
      "protects writing", "ntag215",
      """
      A2 83 04000010 > A
      A2 10 01020304 > A
      reselect
      A2 0F 01020304 > A
      30 10 > 01020304 00000000 00000000 00000000
      A2 10 05060708 > N0
      select
      A0 10 > N0
      select
      1B FFFFFFFF > 0000
      A2 10 05060708 > A
      3A 10 10 > 05060708
      reselect
      A2 10 01020304 > N0
      """),
    Type2Script(
      "protects reading, and READ rolls over before the protected page", "ntag215",
      """
      A2 83 04000006 > A
      A2 84 80050000 > A
      30 06 > 00000000 00000000 00000000 00000000
      reselect
      30 05 > 00000000 04DB0B5C DA993C80 FF480000
      30 06 > N0
      select
      3A 00 06 > N0
      select
      3A 05 05 > 00000000
      1B FFFFFFFF > 0000
      30 05 > 00000000 00000000 00000000 00000000
      3A 83 84 > 04000006 80050000
      """),
    Type2Script(
      "protects even page 0", "ntag215",
      """
      A2 83 04000000 > A
      A2 84 80050000 > A
      field
      30 00 > N0
      select
      60 > 0004040201001103
      1B FFFFFFFF > 0000
      30 00 > …00
      """),
    Type2Script(
      "HLTA and errors end the authentication", "ntag215",
      """
      A2 83 04000010 > A
      field
      1B FFFFFFFF > 0000
      A2 10 01020304 > A
      30 FF > N0
      select
      A2 10 01020304 > N0
      """),
    // AUTHLIM, section 8.8.2: two failures are permitted, the third locks permanently.
    Type2Script(
      "limit of wrong passwords", "ntag215",
      """
      A2 83 04000010 > A
      A2 84 02050000 > A
      field
      1B 00000000 > N0
      select
      1B 00000000 > N0
      field
      1B FFFFFFFF > 0000
      reselect
      1B 00000000 > N0
      select
      1B 00000000 > N0
      select
      1B 00000000 > N4
      select
      1B FFFFFFFF > N4
      field
      1B FFFFFFFF > N4
      select
      A2 10 00000000 > N0
      select
      A2 0F 00000000 > A
      """),
    Type2Script(
      "no limit", "ntag215",
      (0..<20).map { _ in "1B 00000000 > N0\nselect\n" }.joined() + "1B FFFFFFFF > 0000"),
    // CFGLCK takes effect at the next power-up, and does not apply to PWD and PACK: section 8.5.7.
    Type2Script(
      "lock of the configuration", "ntag215",
      """
      A2 84 40050000 > A
      A2 83 040000FE > A
      reselect
      A2 83 040000FF > A
      field
      A2 83 040000FE > N0
      select
      A2 84 00050000 > N0
      select
      3A 83 84 > 040000FF 40050000
      A2 85 01020304 > A
      A2 86 05060000 > A
      1B 01020304 > 0506
      """),
  ]

  static let mirrors = [
    // Section 8.7: 14 digits of UID from byte 1 of page 0C on.
    Type2Script(
      "UID", "ntag213",
      """
      A2 29 54000CFF > A
      30 0C > 00303445 31304344 41393933 43383000
      3A 0F 0F > 43383000
      """),
    Type2Script(
      "counter", "ntag213",
      """
      A2 2A 10050000 > A
      A2 29 840004FF > A
      field
      30 04 > 30303030 303100FE 00000000 00000000
      """),
    Type2Script(
      "both", "ntag213",
      """
      A2 2A 10050000 > A
      A2 29 F40004FF > A
      field
      30 04 > 0103A030 34453130 43444139 39334338
      30 08 > 30783030 30303031 00000000 00000000
      """),
    Type2Script(
      "counter disabled", "ntag213",
      """
      A2 29 840004FF > A
      30 04 > 0103A00C 340300FE 00000000 00000000
      """),
    Type2Script(
      "counter under the password", "ntag213",
      """
      A2 2A 18050000 > A
      A2 29 840004FF > A
      field
      30 04 > 0103A00C 340300FE 00000000 00000000
      1B FFFFFFFF > 0000
      30 04 > 30303030 303100FE 00000000 00000000
      """),
    Type2Script(
      "off up to page 3", "ntag213",
      """
      A2 29 440003FF > A
      30 03 > E1101200 0103A00C 340300FE 00000000
      """),
    Type2Script(
      "ends in the last user page", "ntag213",
      """
      A2 29 640024FF > A
      30 24 > 00003034 45313043 44413939 33433830
      """),
    Type2Script(
      "would leave the user memory", "ntag213",
      """
      A2 29 740024FF > A
      30 24 > 00000000 00000000 00000000 00000000
      """),
    // NTAG210/212: a page is sufficient to switch it on.
    Type2Script(
      "small chips", "ntag210",
      """
      A2 10 000008FF > A
      30 08 > 30343346 37314432 38413539 38300000
      """),
  ]
}
