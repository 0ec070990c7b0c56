import Foundation
import NFC
import Testing
import VirtualNFC

/// Tests of `nfc write` and its kinds of messages.
@Suite struct WritingTests {
  struct Kind: Sendable {
    let arguments: [String]
    /// The output of `read`, or a part of the output of `read --json`.
    let text: String
    var json = ""
  }

  @Test(arguments: [
    Kind(arguments: ["uri", "https://box.dev"], text: "https://box.dev"),
    Kind(arguments: ["text", "Grüße", "--language", "de"], text: "Grüße (de)"),
    Kind(arguments: ["tel", "+44 (0)20-7946 0018"], text: "tel:+442079460018"),
    Kind(arguments: ["sms", "+44123", "Fish & chips"], text: "sms:+44123?body=Fish%20%26%20chips"),
    Kind(arguments: ["sms", "+44123"], text: "sms:+44123"),
    Kind(
      arguments: ["mail", "ada@example.com", "--subject", "Lamp 7", "--body", "a\nb"],
      text: "mailto:ada@example.com?subject=Lamp%207&body=a%0D%0Ab"),
    Kind(arguments: ["geo", "-33.86,151.2"], text: "geo:-33.86,151.2"),
    Kind(arguments: ["geo", "51.4779, -0.0015"], text: "geo:51.4779,-0.0015"),
    // RFC 5870 has digits on both sides of a point, and no plus sign.
    Kind(arguments: ["geo", "+.5,5."], text: "geo:0.5,5"),
    // RFC 3986, 3.1: schemes are written in lower case; Matter and HomeKit have their own case.
    Kind(arguments: ["uri", "HTTPS://WWW.Example.com"], text: "https://WWW.Example.com"),
    Kind(arguments: ["uri", "MT:Y.K9042C00KA0648G00"], text: "MT:Y.K9042C00KA0648G00"),
    Kind(arguments: ["uri", "X-HM://0023ISYWY"], text: "X-HM://0023ISYWY"),
    Kind(arguments: ["app", "org.mozilla.firefox"], text: "Android app org.mozilla.firefox"),
    Kind(
      arguments: ["bluetooth", "00-11-22-33-44-55", "--name", "Speaker"],
      text: "Bluetooth Speaker (00:11:22:33:44:55)"),
    Kind(
      arguments: ["bluetooth", "001122334455", "--le"], text: "Bluetooth LE (00:11:22:33:44:55)"),
    Kind(
      arguments: ["poster", "https://box.dev", "--title", "Box"], text: "https://box.dev: Box (en)"),
    Kind(
      arguments: ["wifi", "Guests", "--password", "correct horse"],
      text: "Wi-Fi Guests (wpa2Personal, aes)"),
    Kind(arguments: ["wifi", "Guests"], text: "Wi-Fi Guests (open, none)"),
    Kind(
      arguments: ["wifi", "Guests", "--password", "correct horse", "--security", "wpa3"],
      text: "Wi-Fi Guests (wpa2Personal, aes), Wi-Fi Guests (wpa3Personal, aes)"),
    // WPA2 has no password of six characters.
    Kind(
      arguments: ["wifi", "Guests", "--password", "secret", "--security", "wpa3"],
      text: "Wi-Fi Guests (wpa3Personal, aes)"),
    Kind(
      arguments: [
        "contact", "--name", "Ada", "--phone", "+44123", "--email", "ada@example.com",
        "--organization", "Acme", "--url", "https://a.example",
      ], text: "", json: #""formattedName":"Ada""#),
    Kind(
      arguments: ["external", "example.com:ticket", "A-1"], text: "",
      json: #""type":"example.com:ticket""#),
    // Android compares external types with their case.
    Kind(
      arguments: ["external", "Example.com:Ticket", "A-1"], text: "example.com:ticket: A-1"),
  ])
  func writesWhatCanBeRead(_ kind: Kind) async throws {
    try await Tool.with("ntag215") { nfc async throws in
      let write = try await nfc(["write"] + kind.arguments + ["--verify", "--json"])
      #expect(write.status == 0)
      #expect(write.output.hasSuffix(#","verified":true}"# + "\n"))
      if !kind.text.isEmpty { #expect(try await nfc(["read"]).output == kind.text + "\n") }
      if !kind.json.isEmpty {
        #expect(try await nfc(["read", "--json"]).output.contains(kind.json))
      }
    }
  }

  @Test(arguments: [
    (["uri", ""], "empty"), (["uri", "swift.org"], "https://swift.org"),
    (["uri", "a b"], "--as-is"),
    (["uri", "www.museum.org/room 3"], "https://www.museum.org/room%203"),
    (["uri", "noscheme"], "https:"), (["uri", "192.168.0.1"], "write https://192.168.0.1, or"),
    // Characters that a link contains only percent-encoded, also where it has other parts.
    (["uri", "https://a.example/{uid}"], "write https://a.example/%7Buid%7D, or"),
    (["uri", "https://a.example/50%"], "write https://a.example/50%25, or"),
    (["poster", "https://a.example/a|b", "--title", "A"], "write https://a.example/a%7Cb, or"),
    (["contact", "--name", "A", "--url", "https://a.example/<b>"], "a.example/%3Cb%3E, or"),
    (["uri", "localhost:8080/x"], "--as-is"), (["uri", "me@example.com"], "mailto:me@example.com"),
    (["uri", "https://a.example/\u{7}"], "%07"), (["mime", "foo", "/dev/null"], "image/png"),
    (["mime", "a/b/c", "/dev/null"], "image/png"), (["external", "foo", "x"], "example.com"),
    (["external", "a b:c", "x"], "example.com"), (["tel", "abc"], "telephone"),
    (["geo", "91,0"], "90"),
    (["geo", "12"], "like"), (["app", "firefox"], "org."), (["bluetooth", "0011"], "six"),
    // What was meant, where it is clear.
    (["mime", "png", "/dev/null"], "write image/png, or insist with --as-is"),
    (["mime", "text / plain", "/dev/null"], "write text/plain, or"),
    (["external", "urn:nfc:ext:example.com:a", "x"], "write example.com:a, or"),
    (["external", "example.com/a", "x"], "write example.com:a, or"),
    (
      ["app", "https://play.google.com/store/apps/details?id=org.mozilla.firefox"],
      "write org.mozilla.firefox, or"
    ),
    (["mail", "ada"], "@"), (["wifi", "x", "--password", "short"], "8 to 63"),
    (["wifi", "x", "--security", "wpa2"], "--password"), (["contact"], "--name"),
    (["wifi", String(repeating: "x", count: 33)], "32"),
    (["contact", "a.vcf", "--name", "A"], "either"),
  ])
  func refusesWhatNoPhoneWouldTake(_ arguments: [String], _ text: String) async throws {
    let result = try await Tool.run(["write"] + arguments + ["--virtual", "ntag213"])
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("nfc: "))
    #expect(result.errors.contains(text))
  }

  @Test(arguments: [
    ["uri", "not a uri"], ["mime", "foo", "/dev/null"], ["external", "foo", "x"], ["tel", "abc"],
    ["app", "firefox"], ["wifi", "x", "--password", "short"],
  ])
  func asIsInsists(_ arguments: [String]) async throws {
    let result = try await Tool.run(["write"] + arguments + ["--as-is", "--virtual", "ntag213"])
    #expect(result.status == 0)
  }

  @Test func appends() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(try await nfc(["write", "uri", "https://box.dev", "--append"]).status == 0)
      #expect(try await nfc(["write", "text", "hi", "--append"]).status == 0)
      #expect(try await nfc(["read"]).output == "https://box.dev\nhi (en)\n")
      let long = String(repeating: "x", count: 120)
      let tooLong = try await nfc(["write", "text", long, "--append"])
      #expect(tooLong.status == 65)
      #expect(try await nfc(["read"]).output == "https://box.dev\nhi (en)\n")
    }
  }

  @Test func readsAVCardFile() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.vcf").path
      try Data("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n".utf8)
        .write(to: URL(filePath: file))
      #expect(try await Tool.run("write", "contact", file, "--virtual", "ntag213").status == 0)
      // Without the byte order mark of a program for Windows.
      let plain = try await Tool.run("encode", "contact", file, "--output", "-").output
      try Data("\u{FEFF}BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n".utf8)
        .write(to: URL(filePath: file))
      let marked = try await Tool.run("encode", "contact", file, "--output", "-")
      #expect(marked.status == 0 && marked.output == plain && plain.contains("FN:Ada"))
      try Data("no card".utf8).write(to: URL(filePath: file))
      #expect(try await Tool.run("write", "contact", file, "--virtual", "ntag213").status == 65)
      #expect(
        try await Tool.run("write", "contact", file + "x", "--virtual", "ntag213").status == 66)
    }
  }

  @Test(.asking(.lockBits, .oneTimeBits)) func everyChangeSaysWhatItDid() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      let uid = #"{"uid":"04E10CDA993C80","#
      #expect(
        try await nfc(["write", "text", "hi", "--json"]).output
          == uid + #""written":9,"verified":false}"# + "\n")
      #expect(
        try await nfc(["erase", "--json", "--verify"]).output
          == uid + #""written":0,"verified":true}"# + "\n")
      #expect(try await nfc(["format", "--json"]).output == uid + #""formatted":true}"# + "\n")
      #expect(
        try await nfc(["lock", "--permanently", "--json"]).output == uid + #""locked":true}"# + "\n"
      )
    }
  }
}

/// Tests of `nfc write … --each`.
@Suite struct BatchWritingTests {
  private static let tags = ["--virtual", "ntag213", "--virtual", "ntag215"]

  @Test func writesEachTagOnce() async throws {
    let result = try await Tool.run(
      ["write", "text", "{n} {uid}", "--each", "--count", "2", "--first", "7", "--json"] + Self.tags
    )
    #expect(result.status == 0)
    #expect(result.lines.count == 3)
    #expect(result.lines[0].contains(#""n":7,"written":23,"verified":false}"#))
    #expect(result.lines[1].contains(#""n":8,"#))
    #expect(result.lines[2] == #"{"written":2,"failed":0}"#)
    let uids = result.lines.prefix(2).map { $0.prefix(24) }
    #expect(Set(uids).count == 2)
  }

  @Test func usesRowsOfATable() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "rooms.csv").path
      try Data(
        "\u{FEFF}room,\"the url\"\r\n\"Hall, 1\",https://a.example\r\n\r\nB,https://b.example\r\n"
          .utf8
      )
      .write(to: URL(filePath: file))
      try await Tool.with("ntag213") { nfc async throws in
        let first = try await nfc([
          "write", "uri", "{the url}/{uid}?{n}", "--each", "--from", file, "--count", "1",
        ])
        #expect(first.status == 0)
        #expect(first.lines.last == "1 tag written, 0 failed")
        #expect(try await nfc(["read"]).output == "https://a.example/04E10CDA993C80?1\n")
      }
      let unknown = try await Tool.run(
        ["write", "uri", "{url}", "--each", "--from", file] + Self.tags)
      #expect(unknown.status == 64)
      #expect(unknown.errors.contains("{the url}"))
      let many = try await Tool.run(
        ["write", "text", "{room}", "--each", "--from", file, "--count", "3"] + Self.tags)
      #expect(many.status == 65)
      #expect(many.errors == "nfc: 2 rows are not enough for 3 tags; nothing was written\n")
      // Which of the two values is meant, nobody can say.
      try Data("n,uid\n5,DOOR\n".utf8).write(to: URL(filePath: file))
      for name in ["n", "uid"] {
        let doubtful = try await Tool.run(
          ["write", "text", "{\(name)}", "--each", "--from", file] + Self.tags)
        #expect(doubtful.status == 65)
        #expect(doubtful.errors.contains("the column \"\(name)\" has the name of {\(name)}"))
      }
      for content in ["", "a,a\n1,2\n", "a,b\n1\n", "a\n\"1\n", "a\n\"1\"2\n"] {
        try Data(content.utf8).write(to: URL(filePath: file))
        let wrong = try await Tool.run(
          ["write", "text", "{a}", "--each", "--from", file] + Self.tags)
        #expect(wrong.status == 65)
        #expect(wrong.output == "")
      }
    }
  }

  @Test(arguments: [
    ("a\n1\n", "2", "1 row is not enough for 2 tags"),
    ("a\n", "1", "0 rows are not enough for 1 tag"),
  ])
  func saysHowManyRowsAreMissing(_ table: String, _ count: String, _ reason: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "table.csv").path
      try Data(table.utf8).write(to: URL(filePath: file))
      let result = try await Tool.run(
        ["write", "text", "{a}", "--each", "--from", file, "--count", count] + Self.tags)
      #expect(result.status == 65)
      #expect(result.errors == "nfc: \(reason); nothing was written\n")
    }
  }

  /// With the time-out 0, the tags that are there are written, and none is waited for.
  @Test func timeoutZeroLooksOnce() async throws {
    let each = ["write", "text", "{n}", "--each", "--timeout", "0"]
    let all = try await Tool.run(each + Self.tags)
    #expect(all.status == 0, "\(all.errors)")
    #expect(all.lines.last == "2 tags written, 0 failed")
    let fewer = try await Tool.run(each + ["--count", "3"] + Self.tags)
    #expect(fewer.status == 66)
    #expect(fewer.lines.last == "2 tags written, 0 failed")
  }

  /// Virtual tags are written in the order of the command line.
  @Test(arguments: [
    ["ntag213", "ntag215"], ["ntag215", "ntag213"], ["felica-lite-s", "ntag213"],
  ])
  func numbersFollowTheCommandLine(_ tags: [String]) async throws {
    let uids = try tags.map { try VirtualTag.named($0).identifier.hexadecimal }
    let result = try await Tool.run(
      ["write", "text", "{n}", "--each", "--count", "2"] + tags.flatMap { ["--virtual", $0] })
    #expect(result.status == 0, "\(result.errors)")
    for (index, uid) in uids.enumerated() {
      #expect(result.lines.contains { $0.hasPrefix("\(index + 1)  \(uid)") }, "\(result.output)")
    }
  }

  @Test func aTagThatFailsIsNotCounted() async throws {
    let result = try await Tool.run(
      "write", "text", "{n}", "--each", "--timeout", "0.5", "--virtual", "emrtd", "--virtual",
      "ntag213")
    #expect(result.status == 66)
    #expect(result.lines.contains { $0.hasPrefix("1  04E10CDA993C80") })
    #expect(result.lines.last == "1 tag written, 1 failed")
  }

  @Test(.asking(.lockBits, .oneTimeBits)) func locksWhatItHasVerified() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(
        try await nfc(["write", "text", "a", "--each", "--count", "1", "--lock"]).status == 64)
      let result = try await nfc([
        "write", "text", "a", "--each", "--count", "1", "--lock", "--permanently", "--json",
      ])
      #expect(result.status == 0)
      #expect(result.lines.first?.hasSuffix(#""verified":true,"locked":true}"#) == true)
      #expect(try await nfc(["write", "text", "b"]).status == 77)
    }
  }

  /// A name in braces without a value is refused, before a tag is written. The braces of JSON stand around a name.
  @Test func bracesWithoutAValue() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "people.csv").path
      try Data("name,phone\nAda,+441\n".utf8).write(to: URL(filePath: file))
      try await Tool.with("ntag216") { nfc async throws in
        func each(_ words: String...) async throws -> Tool.Result {
          try await nfc(["write"] + words + ["--each", "--count", "1"])
        }
        #expect(try await nfc(["write", "text", "before"]).status == 0)
        for words in [
          ["text", "hi {name}"], ["uri", "https://a.example/{id}"], ["wifi", "Guests {room}"],
          ["contact", "--name", "{name}"], ["text", "{N}"],
        ] {
          let result = try await nfc(["write"] + words + ["--each", "--count", "1"])
          #expect(result.status == 64, "\(words)")
          #expect(result.output == "")
          #expect(result.errorLines.count == 1)
          #expect(result.errors.contains("--from"), "\(result.errors)")
          #expect(result.errors.contains("--as-is"), "\(result.errors)")
        }
        // A table of which nothing would be written is a mistake.
        for words in [["text", "hi {n}"], ["contact", "--name", "Ada"], ["mime", "a/b", file]] {
          let result = try await nfc(["write"] + words + ["--each", "--from", file])
          #expect(result.status == 64, "\(words)")
          #expect(result.errors.contains("leave --from out"), "\(result.errors)")
        }
        #expect(try await nfc(["read"]).output == "before (en)\n")

        #expect(try await each("uri", "https://a.example/{id}?{n}", "--as-is").status == 0)
        #expect(try await nfc(["read"]).output == "https://a.example/{id}?1\n")
        #expect(try await each("text", #"{"room":{n}}"#).status == 0)
        #expect(try await nfc(["read"]).output == #"{"room":1} (en)"# + "\n")
        #expect(try await nfc(["write", "text", "{name}"]).status == 0)
        #expect(try await nfc(["read"]).output == "{name} (en)\n")
        let card = try await each(
          "contact", "--name", "{name}", "--phone", "{phone}", "--from", file)
        #expect(card.status == 0, "\(card.errors)")
        let read = try await nfc(["read"]).output
        #expect(read.contains("Ada") && read.contains("+441"), "\(read)")
        #expect(try await each("wifi", "Room {n}", "--password", "correct {n}").status == 0)
        #expect(try await nfc(["read", "--json"]).output.contains("Room 1"))
      }
    }
  }

  @Test(arguments: [
    "--count 2", "--first 2", "--results x.csv", "--each --uid 04", "--permanently",
  ])
  func optionsThatGoTogether(_ options: String) async throws {
    let result = try await Tool.run(
      ["write", "text", "a", "--virtual", "ntag213"]
        + options.split(separator: " ").map(String.init))
    #expect(result.status == 64)
  }
}

/// Tests of the passwords of tags.
@Suite struct PasswordTests {
  @Test func protectsAndUnprotects() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "password").path
      try Data("0x11 22 33 44\n".utf8).write(to: URL(filePath: file))
      try await Tool.with("ntag213") { nfc async throws in
        let plan = try await nfc(["protect", "--password", "11223344", "--read", "--plan"])
        #expect(plan.status == 0)
        #expect(plan.output.contains("→"))
        #expect(!plan.output.contains("11223344"))
        #expect(try await nfc(["read"]).status == 0)

        #expect(try await nfc(["write", "text", "a"]).status == 0)
        let protect = try await nfc(["protect", "--password", "11223344", "--read", "--json"])
        #expect(
          protect.output.hasSuffix(
            #""protection":{"password":true,"from":4,"read":true,"attempts":0}}"# + "\n"))
        for command in [["read"], ["write", "text", "b"], ["erase"]] {
          let refused = try await nfc(command)
          #expect(refused.status == 77)
          #expect(refused.errors.contains("--password"))
          #expect(try await nfc(command + ["--password", "00000000"]).status == 77)
          #expect(try await nfc(command + ["--password-file", file]).status == 0)
          #expect(try await nfc(command + ["--password", "11223344"]).status == 0)
        }
        #expect(try await nfc(["unprotect"]).status == 77)
        #expect(try await nfc(["unprotect", "--password-file", file]).status == 0)
        #expect(try await nfc(["write", "text", "b"]).status == 0)
      }
    }
  }

  /// The password of an Ultralight C is a key of 16 bytes.
  @Test func protectsAnUltralightC() async throws {
    let key = "00112233445566778899AABBCCDDEEFF"
    try await Tool.with("ultralight-c") { nfc async throws in
      let plan = try await nfc(["protect", "--password", key, "--read", "--plan"])
      #expect(plan.status == 0)
      #expect(
        plan.lines == [
          "page 44: a part of the new key, not shown",
          "page 45: a part of the new key, not shown",
          "page 46: a part of the new key, not shown",
          "page 47: a part of the new key, not shown",
          "the tag proves the new key",
          "page 42: 30000000 → 04000000",
          "cannot be undone: the key that the tag has now is overwritten",
        ])
      #expect(try await nfc(["write", "text", "a"]).status == 0)
      let protect = try await nfc(["protect", "--password", key, "--read", "--json"])
      #expect(
        protect.output.hasSuffix(
          #""protection":{"password":true,"from":4,"read":true,"attempts":0}}"# + "\n"))
      for command in [["read"], ["write", "text", "b"], ["erase"]] {
        #expect(try await nfc(command).status == 77)
        #expect(
          try await nfc(command + ["--password", String(repeating: "0", count: 32)]).status == 77)
        #expect(try await nfc(command + ["--password", key]).status == 0)
      }
      let other = "FFEEDDCCBBAA99887766554433221100"
      #expect(try await nfc(["protect", "--password", other]).status == 77)
      #expect(
        try await nfc(["protect", "--password", other, "--current-password", key]).status == 0)
      // Reading is not protected now.
      #expect(try await nfc(["read"]).status == 0)
      #expect(try await nfc(["unprotect"]).status == 77)
      #expect(try await nfc(["unprotect", "--password", key]).status == 77)
      #expect(try await nfc(["unprotect", "--password", other]).status == 0)
      #expect(try await nfc(["write", "text", "b"]).status == 0)
    }
  }

  @Test(arguments: [
    ("protect --password 11223344 --virtual ultralight-c", "32 hexadecimal digits"),
    (
      "protect --password 00112233445566778899AABBCCDDEEFF --virtual ntag213",
      "8 hexadecimal digits"
    ),
    (
      "protect --password 00112233445566778899AABBCCDDEEFF --attempts 3 --virtual ultralight-c",
      "--attempts"
    ),
    (
      "protect --password 00112233445566778899AABBCCDDEEFF --from 43 --virtual ultralight-c",
      "does not cover page 42"
    ),
    (
      "protect --password 00112233445566778899AABBCCDDEEFF --current-password 11 --virtual ultralight-c",
      "32 hexadecimal digits"
    ),
  ])
  func refusesPasswordsOfTheWrongSize(_ line: String, _ text: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == 64)
    #expect(result.errors.contains(text))
  }

  @Test func theEnvironmentHoldsThePassword() async throws {
    let result = try await Tool.run(
      ["read", "--virtual", "ntag213"], environment: ["NFC_PASSWORD": "FFFFFFFF"])
    #expect(result.status == 0)
    let wrong = try await Tool.run(
      ["read", "--virtual", "ntag213"], environment: ["NFC_PASSWORD": "secret"])
    #expect(wrong.status == 64)
    #expect(!wrong.errors.contains("secret"))
  }

  @Test(arguments: [
    ("protect --password 1122 --virtual ntag213", 64), ("protect --virtual ntag213", 64),
    ("protect --password 11223344 --pack 11 --virtual ntag213", 64),
    ("protect --password 11223344 --attempts 8 --virtual ntag213", 64),
    ("protect --password 11223344 --virtual classic-1k", 66),
    ("protect --password 11223344 --virtual ultralight", 66),
    ("read --password 11223344 --virtual suica", 64),
    ("read --password 1122 --virtual ntag213", 64),
  ])
  func whatCannotBe(_ line: String, _ status: Int32) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == status)
    #expect(result.errors.hasPrefix("nfc: "))
  }
}
