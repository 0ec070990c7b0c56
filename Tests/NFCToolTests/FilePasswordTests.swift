import Testing

/// Tests of the password of an ST25TA's NDEF file, with a virtual PN532 and libnfc.
@Suite struct FilePasswordTests {
  private static let password = "000102030405060708090A0B0C0D0E0F"
  private static let wrong = "99999999999999999999999999999999"

  /// Another program can protect a file in a way that `nfc protect` does not offer.
  @Test func onlyReadingIsProtected() async throws {
    try await Tool.with("st25ta") { nfc in
      let zeros = String(repeating: "0", count: 32)
      let enabled = try await nfc([
        "apdu", "00A4040007D276000085010100", "00A4000C020001", "0020000210" + zeros, "00280001",
      ])
      #expect(enabled.lines.map { $0.suffix(4) } == ["9000", "9000", "9000", "9000"])
      let info = try await nfc(["info"])
      #expect(info.output.contains("needed to read from byte 0 on"))
      let json = try await nfc(["info", "--json"])
      #expect(
        json.output.contains(#""protection":{"password":true,"from":0,"read":true,"write":false,"#))
      #expect(try await nfc(["read"]).status == 77)
    }
  }

  @Test(arguments: [false, true]) func aFileIsProtectedAndOpened(_ read: Bool) async throws {
    try await Tool.with("st25ta") { nfc in
      #expect(try await nfc(["write", "text", "before"]).status == 0)
      let reading = read ? ["--read"] : []
      let plan = try await nfc(["protect", "--password", Self.password, "--plan"] + reading)
      #expect(
        plan.lines.contains(
          "the NDEF file: read and write → \(read ? "read with a password" : "read"), write with a password"
        )
      )
      #expect(plan.lines.last?.hasPrefix("cannot be undone: the password") == true)
      #expect(!plan.output.contains(Self.password))
      let done = try await nfc(["protect", "--password", Self.password, "--json"] + reading)
      #expect(
        done.output.contains(
          #""protection":{"password":true,"from":0,"read":\#(read),"attempts":0}"#))
      // The commands are run without the password, with a wrong password, and with the right password.
      #expect(try await nfc(["write", "text", "no"]).status == 77)
      #expect(try await nfc(["read"]).status == (read ? 77 : 0))
      let wrong = try await nfc(["write", "text", "no", "--password", Self.wrong])
      #expect(wrong.status == 77)
      #expect(wrong.errorLines.count == 1)
      #expect(wrong.errors.contains("2 attempts are left"))
      #expect(!wrong.errors.contains(Self.wrong))
      let again = try await nfc(["protect", "--password", Self.wrong])
      #expect(again.status == 77)
      #expect(again.errors.contains("protected by a password already"))
      let kept = try await nfc(["read", "--password", Self.password, "--json"])
      #expect(kept.output.contains(#""text":"before""#))
      #expect(try await nfc(["write", "text", "after", "--password", Self.password]).status == 0)
      let info = try await nfc(["info", "--json"])
      #expect(info.output.contains(#""protection":{"password":true,"#) == true)
      #expect(try await nfc(["unprotect", "--password", Self.wrong]).status == 77)
      #expect(try await nfc(["unprotect", "--password", Self.password]).status == 0)
      let open = try await nfc(["read", "--json"])
      #expect(open.output.contains(#""text":"after""#))
    }
  }

  @Test(
    arguments: [
      ("protect --password 11223344 --virtual st25ta", 64, "32 hexadecimal digits"),
      ("protect --password \(password) --pack 0000 --virtual st25ta", 64, "--pack"),
      ("protect --password \(password) --attempts 3 --virtual st25ta", 64, "--attempts"),
      ("protect --password \(password) --from 4 --virtual st25ta", 64, "--from"),
      ("read --password 11223344 --virtual st25ta", 64, "32 hexadecimal digits"),
      (
        "protect --password \(password) --current-password \(wrong) --virtual st25ta", 77,
        "2 attempts are left"
      ),
    ] as [(String, Int32, String)])
  func whatIsWrongIsReported(_ line: String, _ status: Int32, _ text: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == status)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains(text))
    #expect(!result.errors.contains(Self.wrong))
    #expect(result.output == "")
  }

  /// The error for a wrong password mentions the limit of an NTAG.
  @Test func theLimitOfAnNTAGIsReported() async throws {
    try await Tool.with("ntag213") { nfc in
      #expect(
        try await nfc(["protect", "--password", "11223344", "--attempts", "3"]).status == 0)
      let wrong = try await nfc(["write", "text", "no", "--password", "99999999"])
      #expect(wrong.status == 77)
      #expect(wrong.errors.contains("permanently closed after 3 wrong attempts"))
      #expect(try await nfc(["write", "text", "yes", "--password", "11223344"]).status == 0)
    }
  }
}
