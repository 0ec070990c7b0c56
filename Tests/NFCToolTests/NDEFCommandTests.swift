import Foundation
import Testing

/// Tests of reading and writing NDEF, with a tag that is present during several commands.
@Suite struct NDEFCommandTests {
  @Test(arguments: [
    "ntag216", "ntag-i2c-2k", "ultralight-c", "type4", "type4b", "desfire", "felica-lite-s",
    "topaz96", "topaz512", "classic-1k", "classic-4k",
  ])
  func writesAndReads(_ name: String) async throws {
    try await Tool.with(name) { nfc async throws in
      let empty = try await nfc(["read", "--json"])
      #expect(empty.output.contains(#""status":"readWrite""#))
      #expect(empty.output.hasSuffix(#""length":0,"records":[]}"# + "\n"))
      #expect(empty.status == 0)
      let write = try await nfc(["write", "uri", "https://box.dev", "--verify"])
      #expect(write.output == "")
      #expect(write.errors == "")
      #expect(write.status == 0)
      let read = try await nfc(["read", "--json"])
      #expect(
        read.output.hasSuffix(
          #""length":12,"records":[{"tnf":"wellKnown","type":"U","id":"","payload":"04626F782E646576","uri":"https://box.dev"}]}"#
            + "\n"))
      #expect(try await nfc(["erase"]).status == 0)
      #expect(try await nfc(["read", "--json"]).output == empty.output)
    }
  }

  @Test func whatIsReadCanBeWritten() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let json = directory.appending(path: "message.json")
      let raw = directory.appending(path: "message.ndef")
      try await Tool.with("ntag215") { nfc async throws in
        #expect(try await nfc(["write", "text", "Grüße", "--language", "de"]).status == 0)
        let first = try await nfc(["read", "--json", "--raw", raw.path])
        #expect(first.output.contains(#""text":"Grüße","language":"de""#))
        try Data(first.output.utf8).write(to: json)
        #expect(try await nfc(["write", "external", "example.com:x", "1"]).status == 0)
        #expect(try await nfc(["write", "json", json.path]).status == 0)
        #expect(try await nfc(["read", "--json"]).output == first.output)
        #expect(try await nfc(["write", "mime", "text/plain", json.path]).status == 0)
        #expect(try await nfc(["write", "raw", raw.path, "--verify"]).status == 0)
        #expect(try await nfc(["read", "--json"]).output == first.output)
      }
    }
  }

  @Test(.asking(.lockBits, .oneTimeBits)) func refusals() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      let long = try await nfc(["write", "text", String(repeating: "x", count: 200)])
      #expect(long.status == 65)
      #expect(long.errorLines.count == 1)
      #expect(try await nfc(["write", "uri", "https://box.dev"]).status == 0)
      #expect(try await nfc(["lock", "--permanently"]).status == 0)
      let locked = try await nfc(["write", "uri", "https://example.com"])
      #expect(locked.status == 77)
      #expect(locked.errorLines.count == 1)
      let read = try await nfc(["read", "--json"])
      #expect(read.output.contains(#""status":"readOnly""#))
      #expect(read.output.contains("https://box.dev"))
    }
  }

  @Test func whatCannotBeLockedIsNotAllowed() async throws {
    let result = try await Tool.run("lock", "--permanently", "--virtual", "type4")
    #expect(result.status == 77)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("045E21729C6480"))
  }

  @Test func peopleSeeTheLinkFirst() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(try await nfc(["write", "uri", "https://swift.org/a"]).status == 0)
      #expect(try await nfc(["read"]).output == "https://swift.org/a\n")
      let info = try await nfc(["info"])
      #expect(info.lines.contains("NDEF          https://swift.org/a"))
      #expect(info.lines.contains("              16 of 137 bytes used, can be written"))
    }
  }

  @Test(.asking(.oneTimeBits)) func formatsABlankTag() async throws {
    try await Tool.with("blank-ultralight") { nfc async throws in
      #expect(try await nfc(["read"]).status == 66)
      #expect(try await nfc(["format"]).status == 0)
      #expect(try await nfc(["read", "--json"]).output.contains(#""status":"readWrite""#))
    }
  }

  @Test func brokenNDEFIsWrongContent() async throws {
    try await Tool.with("ntag215") { nfc async throws in
      // This is a message TLV of three bytes that is not an NDEF message: a record of the format unchanged.
      #expect(try await nfc(["mifare", "send", "A2040303D600", "A20500FE0000"]).status == 0)
      let result = try await nfc(["read", "--json"])
      #expect(result.status == 65)
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      // What nfc read does not print is not there in the report of nfc info.
      let info = try await nfc(["info", "--json"])
      #expect(info.status == 0 && !info.output.contains(#""ndef":"#), "\(info.output)")
      #expect(
        info.output.contains(#""ndefError":{"code":65,"message":"the NDEF message is broken: "#),
        "\(info.output)")
    }
  }

  /// A tag whose reading requires a password: its message is missing, and the report says why.
  @Test(.asking(.memoryConfiguration)) func theReportOfAProtectedTagHasNoMessage() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(try await nfc(["write", "text", "a"]).status == 0)
      #expect(try await nfc(["protect", "--password", "11223344", "--read"]).status == 0)
      let info = try await nfc(["info", "--json"])
      #expect(info.status == 0 && !info.output.contains(#""ndef":"#), "\(info.output)")
      #expect(info.output.contains(#""ndefError":{"code":77,"#), "\(info.output)")
      let read = try await nfc(["info", "--json", "--password", "11223344"])
      #expect(read.output.contains(#""ndef":{"uid":""#) && !read.output.contains("ndefError"))
    }
  }

  /// A link without what its scheme needs is refused with an example, a telephone number with its link.
  @Test(arguments: [
    ("mailto:", "has no address", "mailto:ada@example.com"),
    ("tel:", "has no number", "tel:+441234567890"), ("sms:", "has no number", "sms:"),
    ("geo:", "has no place", "geo:"), ("https://", "has no host", "https://example.com"),
    ("HTTP:///path", "has no host", "https://"), ("https:example.com", "has no host", "https://"),
    ("+44 20 7946 0000", "has no scheme", "write tel:+442079460000,"),
    ("+44(0)20-7946.0000", "has no scheme", "write tel:+442079460000,"),
    ("ada@example.com", "has no scheme", "write mailto:ada@example.com,"),
  ])
  func aLinkWithoutItsPartIsCorrected(_ link: String, _ reason: String, _ advice: String)
    async throws
  {
    let result = try await Tool.run("write", "uri", link, "--virtual", "ntag213")
    #expect(result.status == 64)
    #expect(result.errors.contains(reason) && result.errors.contains(advice), "\(result.errors)")
    let forced = try await Tool.run("write", "uri", link, "--as-is", "--virtual", "ntag213")
    #expect(forced.status == 0, "\(forced.errors)")
  }

  @Test(arguments: [
    "mailto:a@b.example", "tel:5", "https://a", "http://[::1]:80/", "urn:x", "geo:1,2",
  ])
  func aWholeLinkIsWritten(_ link: String) async throws {
    let result = try await Tool.run("write", "uri", link, "--virtual", "ntag213")
    #expect(result.status == 0, "\(result.errors)")
  }

  /// What `nfc decode --json` prints of a malformed record can be encoded again, if somebody insists.
  @Test(arguments: [
    "D1010055", "D101035485656E", "D1020353" + "70FFFFFF", "D101035504FFFE",
  ])
  func aMalformedRecordIsEncodedOnRequest(_ message: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let raw = directory.appending(path: "a.ndef")
      let json = directory.appending(path: "a.json")
      let copy = directory.appending(path: "b.ndef")
      let bytes = stride(from: 0, to: message.count, by: 2).compactMap { index in
        UInt8(message.dropFirst(index).prefix(2), radix: 16)
      }
      try Data(bytes).write(to: raw)
      let decoded = try await Tool.run("decode", raw.path, "--json")
      #expect(decoded.status == 0 && decoded.output.contains(#""error":"#), "\(decoded.errors)")
      try Data(decoded.output.utf8).write(to: json)
      for (kind, file) in [("json", json), ("raw", raw)] {
        for line in [
          ["encode", kind, file.path, "--output", copy.path], ["write", kind, file.path],
        ] {
          let virtual = line[0] == "write" ? ["--virtual", "ntag213"] : []
          let refused = try await Tool.run(line + virtual)
          #expect(refused.status == 65, "\(refused.errors)")
          #expect(refused.errors.contains("insist with --as-is") && refused.errorLines.count == 1)
          #expect(!FileManager.default.fileExists(atPath: copy.path))
          let forced = try await Tool.run(line + virtual + ["--as-is"])
          #expect(forced.status == 0, "\(forced.errors)")
          guard line[0] == "encode" else { continue }
          #expect(try Data(contentsOf: copy) == Data(bytes))
          try FileManager.default.removeItem(at: copy)
        }
      }
    }
  }

  /// A record of the reserved type name format 7 is read as unknown (NDEF 1.0, 3.2.6), and never written.
  @Test func aReservedFormatIsReadAndNotWritten() async throws {
    try await Tool.with("ntag215") { nfc async throws in
      #expect(
        try await nfc(["mifare", "send", "A2040305D701", "A205015841FE"]).status == 0)
      let read = try await nfc(["read", "--json"])
      #expect(read.status == 0)
      #expect(
        read.output.contains(#""records":[{"tnf":"unknown","type":"","id":"","payload":"41"}]"#))
      let append = try await nfc(["write", "text", "a", "--append"])
      #expect(append.status == 65)
      #expect(append.errors.contains("reserved format"))
      #expect(try await nfc(["read", "--json"]).output == read.output)
      #expect(try await nfc(["write", "text", "a"]).status == 0)
    }
  }

  @Test func aTagWithoutNDEF() async throws {
    let result = try await Tool.run("read", "--json", "--virtual", "barcode")
    #expect(result.output.contains(#""status":"notSupported""#))
    #expect(result.errorLines.count == 1)
    #expect(result.status == 66)
  }
}
