import Testing

@Suite struct FeliCaCommandTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let output: String?
    let status: Int32
    let errors: [String]
    var testDescription: String { arguments.joined(separator: " ") }

    /// - Parameter output: the expected output, or `nil` if another expectation checks it.
    init(_ line: String, _ output: String?, _ status: Int32 = 0, errors: [String] = []) {
      arguments = line.split(separator: " ").map(String.init)
      (self.output, self.status, self.errors) = (output, status, errors)
    }
  }

  private static let zeros = String(repeating: "0", count: 32)

  @Test(arguments: [
    // The history of the virtual Suica has 20 records.
    Case(
      "felica read --service 090F 0-1 --virtual suica",
      "0  1601000034CA250201075A0700001700\n1  1601000034CA010725022A0800001600\n"),
    Case(
      "felica read --service 0x09-0F 0 --virtual suica",
      "0  1601000034CA250201075A0700001700\n"),
    Case("felica read --service 09 0 --virtual suica", "", 64, errors: ["--service", "four"]),
    Case(
      "felica read --service 398B --system FE00 0 --virtual suica",
      "0  00000000000000000000000000000000\n"),
    Case(
      "felica read --service 090F --system 1234 0 --virtual suica", "", 66,
      errors: ["1234", "0003, FE00"]),
    Case("felica read --all 0 --virtual suica", "", 64, errors: ["--all"]),
    Case(
      "felica read --service 090F 1,0 --json --virtual suica",
      #"{"block":1,"data":"1601000034CA010725022A0800001600"}"# + "\n"
        + #"{"block":0,"data":"1601000034CA250201075A0700001700"}"# + "\n"),
    // For a block after the last record and for a missing service, nothing is printed and the error contains
    // the flags.
    Case(
      "felica read --service 090F 0-30 --virtual suica", "", 65,
      errors: ["block 20 of service 090F", "01A8", "01010612B41C7D2A"]),
    Case("felica read --service 0F0F 0 --virtual suica", "", 65, errors: ["0F0F", "01A6"]),
    // These are more blocks than FeliCa Lite-S accepts at once.
    Case(
      "felica read --service 000B 1-6 --virtual felica-lite-s",
      (1...6).map { "\($0)  \(zeros)\n" }.joined()),
    Case("felica read --service 090F 0 --virtual ntag215", "", 66, errors: ["FeliCa"]),
    Case("felica read --service 090F 7-3 --virtual suica", "", 64, errors: ["7-3"]),
    Case("felica read --service 090F 1,,2 --virtual suica", "", 64, errors: ["1,,2"]),
    Case("felica read --service 090F 65536 --virtual suica", "", 64, errors: ["65536"]),
    Case("felica read 0 --virtual suica", "", 64, errors: ["--service"]),
    Case("felica write --service 0009 5 00 --virtual felica-lite-s", "", 64, errors: ["16 bytes"]),
    Case(
      "felica write --service 0009 99 \(zeros) --virtual felica-lite-s", "", 65, errors: ["01A8"]),
    Case(
      "felica write --service 090F 0 \(zeros) --virtual suica", "", 65,
      errors: ["block 0 of service 090F"]),
    Case(
      "felica info --json --virtual felica-lite-s",
      #"{"type":"feliCa","protocol":"felica","uid":"012E4CD86A1F9305","product":"FeliCa Lite-S","idm":"012E4CD86A1F9305","pmm":"00F1000000014300","systemCode":"88B4","maker":"Sony","manufacturerCode":"012E","icType":"F1","systemCodes":["88B4"],"services":[{"system":"88B4","service":"0009","withoutKey":true},{"system":"88B4","service":"000B","withoutKey":true}]}"#
        + "\n"),
  ])
  func answers(_ test: Case) async throws {
    let result = try await Tool.run(test.arguments)
    if let output = test.output { #expect(result.output == output) }
    #expect(result.status == test.status)
    if test.status == 0 { #expect(result.errors == "") }
    if test.status > 64 { #expect(result.errorLines.count == 1) }
    for text in test.errors { #expect(result.errors.contains(text)) }
  }

  @Test func infoListsSystemsAndServices() async throws {
    let result = try await Tool.run("felica", "info", "--json", "--virtual", "suica")
    #expect(result.lines.count == 1)
    #expect(result.output.contains(#""systemCodes":["0003","FE00"]"#))
    #expect(result.output.contains(#"{"system":"0003","service":"090F","withoutKey":true}"#))
    #expect(result.output.contains(#"{"system":"0003","service":"090A","withoutKey":false}"#))
    #expect(result.output.contains(#"{"system":"FE00","service":"39C9","withoutKey":true}"#))
    let text = try await Tool.run("felica", "info", "--virtual", "suica")
    #expect(text.output.contains("FE00, common area of Japan\n"))
    #expect(text.output.contains(" 39C9 blocks, read and write, without a key\n"))
  }

  @Test func infoOfOneSystem() async throws {
    let one = try await Tool.run(
      "felica", "info", "--json", "--system", "FE00", "--virtual", "suica")
    #expect(one.output.contains(#""systemCodes":["FE00"]"#) && !one.output.contains("090F"))
    let none = try await Tool.run("felica", "info", "--system", "1234", "--virtual", "suica")
    #expect(none.status == 66 && none.errors.contains("0003, FE00"))
  }

  @Test func readsAllThatIsOpen() async throws {
    let text = try await Tool.run("felica", "read", "--all", "--virtual", "suica")
    #expect(text.status == 0)
    #expect(text.lines.contains("system 0003  service 090F  log, read only, without a key"))
    #expect(text.lines.contains("system FE00  service 39C9  blocks, read and write, without a key"))
    let json = try await Tool.run("felica", "read", "--all", "--json", "--virtual", "felica-lite-s")
    #expect(json.status == 0)
    #expect(
      json.lines.first?.hasPrefix(#"{"system":"88B4","service":"0009","block":0,"data":""#) == true)
    let one = try await Tool.run(
      "felica", "read", "--all", "--system", "FE00", "--virtual", "suica")
    #expect(one.lines.allSatisfy { !$0.contains("system 0003") })
  }

  @Test func aCommandForAnotherCardIsExplained() async throws {
    let result = try await Tool.run(
      "felica", "send", "06012E4CD86A1F930501090001800B", "--virtual", "suica")
    #expect(result.status == 74)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("not for this card's IDm, 01010612B41C7D2A: write {idm}"))
  }

  @Test func whatIsWrittenIsRead() async throws {
    try await Tool.with("felica-lite-s") { nfc async throws in
      let data = "000102030405060708090A0B0C0D0E0F"
      let write = try await nfc(["felica", "write", "--service", "0009", "5", data])
      #expect(write.output == "")
      #expect(write.errors == "")
      #expect(write.status == 0)
      let read = try await nfc(["felica", "read", "--service", "000B", "5"])
      #expect(read.output == "5  \(data)\n")
    }
  }

  /// MC (block 136): S_PAD4 is read-only, and S_PAD5 can be read only after authentication (FeliCa Lite-S
  /// User's Manual, 7.3.8).
  @Test(.asking(.memoryConfiguration)) func whatTheCardDoesNotAllow() async throws {
    try await Tool.with("felica-lite-s") { nfc async throws in
      let service = ["felica", "write", "--service", "0009"]
      let configuration = "EFFFFF01070020000000000000000000"
      #expect(try await nfc(service + ["136", configuration]).status == 0)
      let readOnly = try await nfc(service + ["4", Self.zeros])
      #expect(readOnly.status == 65)
      #expect(readOnly.errors.contains("block 4 of service 0009"))
      let closed = try await nfc(["felica", "read", "--service", "000B", "5"])
      #expect(closed.status == 77)
      #expect(closed.errors.contains("authentication"))
      for result in [readOnly, closed] {
        #expect(result.output == "")
        #expect(result.errorLines.count == 1)
      }
    }
  }
}
