import Testing

@Suite struct SUNVerifyTests {
  private static let zero = "00000000000000000000000000000000"
  /// The link in NXP AN12196, 3.4.4.2.1.
  private static let link =
    "https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086"
  /// The link in NXP AN12196, 3.4.4.2.2.
  private static let linkWithData =
    "https://www.my424dna.com/?picc_data=FD91EC264309878BE6345CBE53BADF40"
    + "&enc=CEE9A53E3E463EF1F459635736738962&cmac=ECC1E7F6C6C73BF6"

  /// A link of a real NTAG 223 DNA StatusDetect (Proxmark3, `ntag22x_libsuncmac.py`).
  private static let statusLink =
    "https://x.y/?m=046910EA841390x000000xCO00000000x146F1F74FFB89569"

  struct Case: Sendable {
    let arguments: [String]
    var output = ""
    var status: Int32 = 0
    var error = ""
    var environment: [String: String] = [:]
  }

  @Test(arguments: [
    Case(
      arguments: [link, "--key", zero, "--json"],
      output: #"{"uid":"04DE5F1EACC040","counter":61,"mode":"AES","covered":""}"# + "\n"),
    Case(
      arguments: [linkWithData, "--key", "00:" + zero, "--file-key", "0x" + zero],
      output: """
        UID               04958CAA5C5E80
        read counter      8
        file data         78787878787878787878787878787878 (xxxxxxxxxxxxxxxx)
        MAC               right, AES
        MAC covers        UID and counter, CEE9A53E3E463EF1F459635736738962&cmac=

        """),
    Case(
      arguments: [link, "--json", "--after", "60"],
      output: #"{"uid":"04DE5F1EACC040","counter":61,"mode":"AES","covered":""}"# + "\n",
      environment: ["NFC_KEYS": "0:" + zero + ",1:" + zero]),
    Case(
      arguments: [
        "https://x.y/041E3C8A2D6B80-000006-4B00064004B0B3D3", "--key", zero, "--json", "--template",
        "https://x.y/{uid}-{counter}-{mac}",
      ], output: #"{"uid":"041E3C8A2D6B80","counter":6,"mode":"AES","covered":""}"# + "\n"),
    Case(
      arguments: [statusLink, "--key", zero, "--json"],
      output: #"{"uid":"046910EA841390","counter":0,"mode":"SUNCMAC","covered":"","#
        + #""tamper":{"stored":"closed","current":"open","other":"00000000"}}"# + "\n"),
    Case(
      arguments: [statusLink, "--key", zero],
      output: """
        UID               046910EA841390
        read counter      0
        tamper status     closed as stored, now open
        MAC               right, SUNCMAC
        MAC covers        UID, counter and tamper status

        """),
    Case(
      arguments: [
        "https://x.y/046910EA841390/000000/CO00000000/146F1F74FFB89569", "--key", zero, "--json",
        "--template", "https://x.y/{uid}/{counter}/{tamper}/{mac}",
      ],
      output: #"{"uid":"046910EA841390","counter":0,"mode":"SUNCMAC","covered":"","#
        + #""tamper":{"stored":"closed","current":"open","other":"00000000"}}"# + "\n"),
    // The counter of this chip is off, so its links are all alike.
    Case(arguments: [statusLink, "--key", zero, "--after", "0"], status: 77, error: "old"),
    Case(
      arguments: [statusLink.replacing("CO", with: "CC"), "--key", zero], status: 77,
      error: "MAC is wrong"),
    Case(
      arguments: [statusLink.replacing("CO", with: "CX"), "--key", zero], status: 65, error: "MAC"),
    Case(
      arguments: [link + "0", "--key", zero], status: 65, error: "MAC"),
    Case(
      arguments: [String(link.dropLast()) + "7", "--key", zero], status: 77, error: "MAC is wrong"),
    Case(arguments: [link, "--key", "F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF01"], status: 77, error: "key"),
    Case(
      arguments: [link, "--key", zero, "--file-key", "F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF01"],
      status: 77,
      error: "MAC is wrong"),
    Case(arguments: [link, "--key", zero, "--after", "61"], status: 77, error: "61"),
    Case(
      arguments: [link, "--key", zero, "--mac-input", "link"], status: 77, error: "MAC is wrong"),
    Case(arguments: ["https://example.com", "--key", zero], status: 65, error: "no MAC"),
    Case(arguments: ["", "--key", zero], status: 65, error: "no MAC"),
    Case(arguments: ["-", "--key", zero], status: 65, error: "no MAC"),
    Case(
      arguments: [link, "--key", zero, "--template", "https://x.y/{uid}"], status: 64,
      error: "{mac}"),
    Case(
      arguments: [link, "--key", zero, "--template", "https://x.y/{picc}{mac}"], status: 65,
      error: "byte 8"),
    Case(arguments: [link], status: 64, error: "--key"),
    Case(arguments: [link], status: 64, error: "NFC_KEYS", environment: ["NFC_KEYS": "F1F2F3"]),
    Case(arguments: [link, "--key", "F1F2F3"], status: 64, error: "16 bytes"),
    Case(arguments: [link, "--key", "F1F2F3F4G"], status: 64, error: "hexadecimal"),
    Case(
      arguments: [link, "--key", zero, "--mac-input", "somewhere"], status: 64, error: "--mac-input"
    ),
  ])
  func verify(_ test: Case) async throws {
    let result = try await Tool.run(
      ["sun", "verify"] + test.arguments, environment: test.environment)
    #expect(result.output == test.output)
    #expect(result.status == test.status)
    if !test.error.isEmpty { #expect(result.errors.contains(test.error)) }
    #expect(!result.errors.contains("F1F2F3"))
    if test.status == 0 { #expect(result.errors == "") }
    if test.status > 64 { #expect(result.errorLines.count == 1) }
  }

  @Test func aLinkFromAPipe() async throws {
    let result = try await Tool.shell(
      "echo '\(Self.link)' | \"$NFC\" --json sun verify - --key \(Self.zero)")
    #expect(result.output.contains("04DE5F1EACC040"))
    #expect(result.status == 0)
  }
}
