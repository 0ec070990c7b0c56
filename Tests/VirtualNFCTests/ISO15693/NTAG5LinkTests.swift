import Testing

@testable import VirtualNFC

/// Tests the configuration of a virtual NTAG 5 link against the rules of the data sheet NTP53x2 rev. 3.3.
@Suite struct NTAG5LinkTests {
  private static let key = (0..<16).map { UInt8($0) }

  /// A chip that uses keys, with no active one.
  private static func withKeys() -> VicinityReader<NTAG5Link> {
    let reader = VicinityReader(NTAG5Link())
    #expect(reader.ask("02C1043FA200FFFF") == "00")
    reader.restart()
    return reader
  }

  private static func run(_ reader: VicinityReader<NTAG5Link>, _ steps: [(String, String)]) {
    for (request, answer) in steps {
      #expect(reader.ask(request) == answer, "\(request)")
    }
  }

  // MARK: Configuration

  /// 8.1.3: with passwords, the blocks of keys are reserved; 8.1.3.9: the passwords on delivery.
  @Test func blocksWithPasswords() {
    let reader = VicinityReader(NTAG5Link())
    Self.run(
      reader,
      [
        ("02C0041007", "00" + String(repeating: "00", count: 32)),
        ("02C1041100000000", ""),
        (
          "02C0042006",
          "000000000000000000" + "0F0F0F0F0F0F0F0F" + String(repeating: "00", count: 12)
        ),
        ("02C1042700000001", ""), ("02C0042700", "0000000000"),
        // CID is ORed with C000 (8.1.3.3).
        ("02C10409AA100000", "00"), ("02C0040900", "00AAD00000"),
        // GCH: hidden passwords (table 17).
        ("02C1040C00C10000", ""), ("02C1040C00E70000", "00"), ("02C0042000", ""),
        ("02C1042001020304", ""), ("02C1040C00810000", ""),
        // CH (table 14).
        ("02C10408E7000000", "00"), ("02C1040800000000", ""), ("02C1040900000000", ""),
        ("02C1040001020304", ""),
      ])
  }

  /// 8.1.3: the configuration takes effect when the power has been off.
  @Test func keysAreInForceAfterAReset() {
    let reader = VicinityReader(NTAG5Link())
    Self.run(
      reader, [("02C1043FA200FFFF", "00"), ("02C1041000E70000", ""), ("02C0041000", "0000000000")])
    reader.restart()
    Self.run(reader, [("02C0041000", "0000810000"), ("02C1041000E70000", "00")])
    // The key is protected, and not yet active.
    Self.run(reader, [("02C0042003", ""), ("02C1042000000000", "")])
    let challenge = String(repeating: "11", count: 10)
    #expect(reader.ask("0235000000" + challenge) == "")
    reader.restart()
    #expect(reader.ask("0235000000" + challenge).hasPrefix("06A7"))
  }

  /// Tables 18, 23 and 25, and 8.2.3.2.1.
  @Test func headersOnlyRise() {
    let reader = Self.withKeys()
    Self.run(
      reader,
      [
        ("02C104110F000000", "00"), ("02C1042001020304", "00"), ("02C0042000", "0001020304"),
        // A key is read by itself.
        ("02C0042007", ""), ("02C0041F01", ""),
        ("02C1041000420000", ""), ("02C1041000E70000", "00"),
        ("02C1041000810000", ""), ("02C1041000FF0000", ""), ("02C1041100000000", ""),
        ("02C0041101", "000F00000000810000"),
        ("02C1041200FF0000", "00"), ("02C1041200E70000", ""), ("02C1042400000001", ""),
        // The privileges are locked with 87, and the keys with E7.
        ("02C1040C00870000", "00"), ("02C1041500000001", ""), ("02C1042800000001", "00"),
        ("02C1040C00C10000", ""), ("02C1040C00C70000", "00"), ("02C1040C00E70000", "00"),
        ("02C1042800000000", ""), ("02C1041400E70000", ""), ("02C1040E00800000", ""),
        ("02C1043FA500FFFF", "00"),
      ])
  }

  /// Table 66: with 010 in the upper bits, block 3F is locked; other values are reserved.
  @Test func theKindOfSecretIsLocked() {
    let reader = Self.withKeys()
    Self.run(
      reader,
      [
        ("02C1043FA000FFFF", ""), ("02C1043F4200FFFF", "00"), ("02C1043FA500FFFF", ""),
        ("02C0043F00", "004200FFFF"),
      ])
  }

  /// 8.1.3.32: a section that is locked for writing, and one that is hidden.
  @Test func sections() {
    let reader = VicinityReader(NTAG5Link())
    Self.run(
      reader,
      [
        ("02C1049208000000", "00"), ("02C1043FA200FFFF", ""),
        ("02C1049388000000", "00"), ("02C0043F00", ""), ("02C1049200000000", ""),
        ("02C0049200", "0008000000"),
      ])
  }

  /// 8.2.5.2: refusals have one code in addressed requests.
  @Test func refusals() {
    let reader = VicinityReader(NTAG5Link())
    let uid = "00108449580104E0"
    Self.run(
      reader,
      [
        ("22C104" + uid + "2700000001", "010F"), ("2235" + uid + "000000", "010F"),
        ("2220" + uid + "00", "00E1408009"),
        // A read beyond the end is truncated.
        ("0233FF010300", "0000000000"), ("2230" + uid + "0002", "010F"),
        // 63 blocks at most.
        ("2223" + uid + "003F", "010F"),
      ])
    #expect(reader.ask("2223" + uid + "003E").count == 2 * (1 + 63 * 4))
  }

  // MARK: Memory

  /// Table 140, with the passwords 01, 02 and both.
  @Test(arguments: [
    ("00", "rw", "rw", "rw"), ("10", "", "rw", ""), ("20", "r", "r", "rw"), ("30", "", "r", ""),
  ])
  func divisionWithPasswords(condition: String, none: String, read: String, write: String) {
    for (passwords, allowed) in [("", none), ("01", read), ("02", write), ("0102", "rw")] {
      let reader = VicinityReader(NTAG5Link())
      Self.give("01", to: reader)
      Self.give("02", to: reader)
      #expect(reader.ask("02B60408" + condition) == "00")
      reader.restart()
      for index in stride(from: 0, to: passwords.count, by: 2) {
        Self.give(String(passwords.dropFirst(index).prefix(2)), to: reader)
      }
      #expect((reader.ask("022008") != "") == allowed.contains("r"), "\(passwords)")
      #expect((reader.ask("02210800000000") != "") == allowed.contains("w"), "\(passwords)")
      // The low part, and the counter.
      #expect(reader.ask("022007") != "" && reader.ask("0230FF01") == "0000000000")
    }
  }

  /// SET PASSWORD with a password of zeros.
  private static func give(_ identifier: String, to reader: VicinityReader<NTAG5Link>) {
    let random = reader.ask("02B204").suffix(4)
    let uid = "00108449580104E0"
    #expect(reader.ask("22B304" + uid + identifier + random + random) == "00")
  }

  /// 8.1.2.1, tables 9 and 10.
  @Test func counter() {
    let reader = VicinityReader(NTAG5Link())
    Self.run(
      reader,
      [
        ("0231FF0101000000", "00"), ("0231FF0101000000", "00"), ("0230FF01", "0002000000"),
        ("0231FF0105000001", ""),
      ])
    Self.give("02", to: reader)
    Self.run(reader, [("0231FF0105000001", "00"), ("0231FF0101000000", "")])
    Self.give("01", to: reader)
    Self.run(reader, [("0231FF0101000000", "00"), ("0230FF01", "0006000001")])
  }

  /// 8.6.2: the restricted area has its own passwords.
  @Test func restrictedArea() {
    let reader = VicinityReader(NTAG5Link())
    #expect(reader.ask("02C1043FA5001000") == "00")
    reader.restart()
    Self.run(reader, [("022010", ""), ("02200F", "0000000000")])
    Self.give("40", to: reader)
    Self.run(reader, [("022010", "0000000000"), ("02211001020304", "")])
    Self.give("80", to: reader)
    Self.run(reader, [("02211001020304", "00"), ("022010", "0001020304")])
  }

  /// 8.1.3.6: with passwords, wrong ones are counted, and a right one resets the count.
  @Test func wrongPasswordsAreCounted() {
    let reader = VicinityReader(NTAG5Link())
    #expect(reader.ask("02C1040E00800000") == "00")
    for count in 1...2 {
      _ = reader.ask("02B204")
      #expect(reader.ask("22B30400108449580104E001DEADBEEF") == "010F")
      // Nothing is answered until the power has been off.
      #expect(reader.ask("022000") == "")
      reader.restart()
      #expect(reader.ask("02C0040E00") == "000\(count)800000")
    }
    Self.give("01", to: reader)
    #expect(reader.ask("02C0040E00") == "0000800000")
  }
}
