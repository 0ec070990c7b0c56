import SwiftNFCJSONText
import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// Tests of the passwords of ISO 15693 tags, with a virtual PC/SC reader that the test keeps for all
/// commands.
@Suite struct VicinityProtectionTests {
  private static let password: [UInt8] = [0x11, 0x22, 0x33, 0x44]
  private static let longPassword: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]

  private static func change(
    _ tag: any ISO15693Tag, _ protection: TagProtection?, current: [UInt8]? = nil
  ) async throws {
    try await DetectedTag.iso15693(tag).protect(
      protection, current: current.map { SecretKey($0) }, accepting: [.forgetsPassword])
  }

  private static func request(
    _ password: [UInt8], from: Int = 0, read: Bool = false
  ) -> TagProtection {
    TagProtection(password: SecretKey(password), first: from, protectsReading: read)
  }

  @Test(arguments: [(0, false), (0, true), (20, false), (20, true)])
  func anICODEIsClosedAndOpened(_ from: Int, _ read: Bool) async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    try await Self.change(
      try await bench.tag(), Self.request(Self.password, from: from, read: read))
    let closed = try await bench.again()
    #expect(try await ICODETag(closed).information().division.highPart.read == read)
    await #expect(throws: NFCError.self) { try await closed.writeBlocks(at: 30, [1, 2, 3, 4]) }
    if from > 0 { try await closed.writeBlocks(at: 10, [1, 2, 3, 4]) }
    if read {
      await #expect(throws: NFCError.self) { try await closed.readBlocks(30..<31) }
    } else {
      _ = try await closed.readBlocks(30..<31)
    }
    try await DetectedTag.iso15693(closed).authenticate(Self.password)
    try await closed.writeBlocks(at: 30, [1, 2, 3, 4])
    #expect(try await closed.readBlocks(30..<31).first?.data == [1, 2, 3, 4])

    let details = try await Self.details(DetectedTag.iso15693(try await bench.again()))
    #expect(details.contains(#""password":true,"from":\#(from),"read":\#(read)"#))

    try await Self.change(try await bench.again(), nil, current: Self.password)
    try await bench.again().writeBlocks(at: 30, [4, 3, 2, 1])
  }

  @Test(arguments: [(false, "icode-slix-s"), (true, "icode-slix-s"), (true, "icode-sli-s")])
  func anICODEWithPagesIsClosedAndOpened(_ read: Bool, _ chip: String) async throws {
    let bench = try await VicinityBench(VirtualTag.named(chip))
    try await Self.change(
      try await bench.tag(), Self.request(Self.password, from: 20, read: read))
    let closed = try await bench.again()
    await #expect(throws: NFCError.self) { try await closed.writeBlocks(at: 30, [1, 2, 3, 4]) }
    try await closed.writeBlocks(at: 19, [1, 2, 3, 4])
    try await DetectedTag.iso15693(closed).authenticate(Self.password)
    try await closed.writeBlocks(at: 30, [1, 2, 3, 4])
    let details = try await Self.details(DetectedTag.iso15693(try await bench.again()))
    #expect(details.contains(#""password":true,"from":20,"read":\#(read)"#))
    #expect(
      details.contains(
        #"{"first":20,"last":23,"readPassword":\#(read),"writePassword":true,"protectionLocked":false}"#
      ))
    try await Self.change(try await bench.again(), nil, current: Self.password)
    try await bench.again().writeBlocks(at: 30, [4, 3, 2, 1])
  }

  private static func details(_ tag: DetectedTag) async throws -> String {
    let keys = TagKeys()
    let details = try await TagDetails(
      tag, try await tag.product(), try await tag.vicinityInformation(), keys, password: nil,
      listsMemory: false)
    return JSONValue.object(details.json).text
  }

  @Test func anICODEIsNotProtectedTwiceWithoutItsPassword() async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    try await Self.change(try await bench.tag(), Self.request(Self.password))
    let error = await #expect(throws: NFCError.self) {
      try await Self.change(try await bench.again(), Self.request([9, 9, 9, 9]))
    }
    #expect(error?.code == .notAuthenticated)
    let wrong = await #expect(throws: NFCError.self) {
      try await Self.change(
        try await bench.again(), Self.request([9, 9, 9, 9]), current: [8, 8, 8, 8])
    }
    #expect(wrong?.code == .authenticationFailed)
    // Nothing has changed: the old password is still valid.
    try await Self.change(
      try await bench.again(), Self.request([9, 9, 9, 9]), current: Self.password)
    try await Self.change(try await bench.again(), nil, current: [9, 9, 9, 9])
  }

  @Test func anST25DVIsClosedAndOpened() async throws {
    let bench = try await VicinityBench(.st25dv04K())
    try await Self.change(try await bench.tag(), Self.request(Self.longPassword))
    let closed = try await bench.again()
    _ = try await closed.readBlocks(0..<4)
    await #expect(throws: NFCError.self) { try await closed.writeBlocks(at: 30, [1, 2, 3, 4]) }
    // The factory password opens neither the tag nor its configuration.
    let factory = [UInt8](repeating: 0, count: 8)
    await #expect(throws: NFCError.self) {
      try await ST25Tag(closed).authenticate(SecretKey(factory))
    }
    let error = await #expect(throws: NFCError.self) {
      try await Self.change(closed, nil, current: factory)
    }
    #expect(error?.code == .authenticationFailed)
    try await DetectedTag.iso15693(closed).authenticate(Self.longPassword)
    try await closed.writeBlocks(at: 30, [1, 2, 3, 4])
    let details = try await Self.details(DetectedTag.iso15693(try await bench.again()))
    #expect(details.contains(#""password":true,"from":0,"read":false"#))
    #expect(details.contains(#"{"first":0,"last":127,"readPassword":false,"writePassword":true}"#))
    try await Self.change(try await bench.again(), nil, current: Self.longPassword)
    try await bench.again().writeBlocks(at: 30, [4, 3, 2, 1])
  }

  /// A tag that leaves between any two commands is either open or protected with the new password.
  @Test(arguments: 0..<9)
  func aTagThatLeavesCanBeOpened(_ exchange: Int) async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let tag = try await bench.tag()
    bench.virtual.setFaults([VirtualPCSCReader.Fault(.tagLeaves, at: exchange)])
    try? await Self.change(tag, Self.request(Self.password))
    bench.virtual.setFaults([])
    // A repetition of the command, with the tag's previous password, completes the change.
    let after = try await bench.again()
    let isClosed = try await !ICODETag(after).information().division.isOpen
    try await Self.change(
      after, Self.request(Self.password), current: isClosed ? Self.password : nil)
    try await Self.change(try await bench.again(), nil, current: Self.password)
    try await bench.again().writeBlocks(at: 30, [4, 3, 2, 1])
  }

  @Test(
    arguments: [
      ("protect --password 1122334455667788 --virtual icode-slix2", 64, "8 hexadecimal digits"),
      ("protect --password 11223344 --virtual st25dv04k", 64, "16 hexadecimal digits"),
      ("protect --password 1122334455667788 --read --virtual st25dv04k", 64, "always be read"),
      ("protect --password 1122334455667788 --from 4 --virtual st25dv04k", 64, "--from"),
      ("protect --password 1122334455667788 --from 8 --virtual st25tv", 64, "0 or 32"),
      ("protect --password 11223344 --virtual st25tv", 64, "8 bytes"),
      ("protect --password 11223344 --virtual st25tv02kc", 64, "8 bytes"),
      ("protect --password 11223344 --from 80 --virtual st25tv02kc", 64, "blocks 0 to 79"),
      ("write text hi --password 112233 --virtual st25tv02kc", 64, "16 or 8 hexadecimal digits"),
      ("protect --password 112233445566 --virtual st25tv", 64, "16 for an ST25TA"),
      ("iso15693 eas maybe --virtual icode-slix2", 64, "on"),
      ("iso15693 eas on --lock --virtual icode-slix2", 64, "--permanently"),
      ("iso15693 eas on --permanently --virtual icode-slix2", 64, "--lock"),
      ("iso15693 eas on --virtual st25dv04k", 66, "not an ICODE"),
      ("iso15693 eas on --password 1122 --virtual icode-slix2", 64, "8 hexadecimal digits"),
      ("iso15693 eas on --password 99999999 --virtual icode-slix2", 77, "EAS password is wrong"),
      ("protect --password 11223344 --from 79 --virtual icode-slix2", 64, "0 to 78"),
      (
        "protect --password 11223344 --from 6 --virtual icode-slix-s", 64, "0, 4, 8 and so on to 36"
      ),
      ("protect --password 11223344 --virtual icode-slix-l", 66, "use another tag"),
      ("protect --password 11223344 --virtual icode-dna", 66, "use another tag"),
      ("protect --password 1122334455667788 --virtual ntag5-link", 64, "8 hexadecimal digits"),
      ("write text hi --password 11223344 --virtual icode-dna", 64, "has none"),
      ("protect --password 11223344 --attempts 3 --virtual icode-slix2", 64, "--attempts"),
      ("protect --password 11223344 --pack 0000 --virtual icode-slix2", 64, "--pack"),
      (
        "protect --password 11223344 --current-password 99999999 --virtual icode-slix2", 77, "wrong"
      ),
      ("protect --password 11223344 --virtual icode-slix", 66, "use another tag"),
      ("write text hi --password 11223344 --virtual icode-slix2", 77, "--tag-password"),
      ("write text hi --password 11223344 --virtual icode-slix", 64, "has none"),
      ("write text hi --password 1122 --virtual icode-slix2", 64, "8 hexadecimal digits"),
    ] as [(String, Int32, String)])
  func whatIsWrongIsReported(_ line: String, _ status: Int32, _ text: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == status)
    #expect(result.errorLines.count == 1 || status == 64)
    #expect(result.errors.contains(text))
    #expect(!result.errors.contains("99999999"))
    #expect(result.output == "")
  }

  @Test(arguments: [
    ("icode-slix2", "11223344", "password protection: none → to write from block 0 on"),
    ("icode-slix-s", "11223344", "page 9: password protection none → to write"),
    (
      "st25dv", "1122334455667788",
      "area 1: blocks 0-2047, read and write → blocks 0-2047, read, and write with a password"
    ),
    (
      "st25tv", "1122334455667788",
      "area 1: blocks 0-63, read and write → blocks 0-63, read, and write with a password"
    ),
    (
      "st25tv02kc", "1122334455667788",
      "area 1: blocks 0-79, read and write → blocks 0-79, read, and write with a password"
    ),
  ])
  func thePlanShowsNoPassword(_ tag: String, _ password: String, _ line: String) async throws {
    let plan = try await Tool.run("protect", "--password", password, "--plan", "--virtual", tag)
    #expect(plan.status == 0)
    #expect(
      plan.lines.suffix(2) == [
        line, "cannot be undone: the password that the tag has now is overwritten",
      ])
    #expect(!plan.output.contains(password))
    let done = try await Tool.run("protect", "--password", password, "--json", "--virtual", tag)
    #expect(
      done.output.contains(#""protection":{"password":true,"from":0,"read":false,"attempts":0}"#))
  }

  @Test(.asking(.configurationLock)) func articleSurveillance() async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let on = try await Tool.run("iso15693", "eas", "on", "--json", "--virtual", "icode-slix2")
    #expect(on.lines == [#"{"uid":"E00401082AD28E83","eas":true}"#])
    let locked = try await Tool.run(
      "iso15693", "eas", "off", "--lock", "--permanently", "--json", "--virtual", "icode-slix")
    #expect(locked.status == 0)
    #expect(locked.output.contains(#""eas":false,"easLocked":true"#))
    let tag = try await bench.tag()
    try await ICODETag(tag).setSurveillance(true)
    #expect(try await Self.details(DetectedTag.iso15693(tag)).contains(#""eas":true"#))
  }

  @Test(arguments: [("st25dv04k", 128), ("st25tv", 64), ("st25tv02kc", 80)])
  func anST25IsProtectedFromTheMiddle(_ name: String, _ count: Int) async throws {
    let isTV = name != "st25dv04k"
    let bench = try await VicinityBench(VirtualTag.named(name))
    let password = isTV ? Self.password : Self.longPassword
    try await Self.change(try await bench.tag(), Self.request(password, from: 32, read: true))
    let closed = try await bench.again()
    await #expect(throws: NFCError.self) { try await closed.readBlocks(32..<33) }
    try await closed.writeBlocks(at: 31, [1, 2, 3, 4])
    try await DetectedTag.iso15693(closed).authenticate(password)
    try await closed.writeBlocks(at: 32, [1, 2, 3, 4])
    let details = try await Self.details(DetectedTag.iso15693(try await bench.again()))
    #expect(details.contains(#""password":true,"from":32,"read":true"#))
    #expect(
      details.contains(
        #"{"first":32,"last":\#(count - 1),"readPassword":true,"writePassword":true}"#))
    try await Self.change(try await bench.again(), nil, current: password)
    try await bench.again().writeBlocks(at: 40, [4, 3, 2, 1])
  }

  /// The signature is in the memory; a password for reading hides it.
  @Test func anST25TV02KCWithItsSignature() async throws {
    let bench = try await VicinityBench(.st25tv02KC())
    func details() async throws -> String {
      try await Self.details(DetectedTag.iso15693(try await bench.again()))
    }
    let open = try await details()
    #expect(open.contains(#""originality":"genuine""#))
    #expect(
      open.contains(
        #""areas":[{"first":0,"last":79,"readPassword":false,"writePassword":false}]"#))
    try await Self.change(
      try await bench.tag(), Self.request(Self.password, from: 50, read: true))
    let closed = try await details()
    #expect(closed.contains(#""originality":"unknown""#))
    #expect(closed.contains(#"{"first":50,"last":79,"readPassword":true,"writePassword":true}"#))
    try await Self.change(try await bench.again(), nil, current: Self.password)
    #expect(try await details().contains(#""originality":"genuine""#))
  }
}
