import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Tests of `nfc desfire`.
@Suite struct DESFireCommandTests {
  typealias Case = FeliCaCommandTests.Case

  private static let zero = "00000000000000000000000000000000"
  private static let key = "1AB2C3D4E5F60718293A4B5C6D7E8F90"
  private static let other = "A1B2C3D4E5F60718293A4B5C6D7E8F91"

  /// Runs command lines on one virtual reader. Their output must not contain a key.
  private static func onCard(
    _ name: String,
    _ body: (_ nfc: (_ line: String, _ status: Int32) async throws -> Tool.Result) async throws ->
      Void
  ) async throws {
    try await Tool.with(
      name, subcommand: "desfire", hiding: [key, other], hasNotes: false, body)
  }

  @Test func infoOfAFormattedCard() async throws {
    let text = try await Tool.run("desfire", "info", "--virtual", "desfire")
    #expect(text.status == 0 && text.errors == "")
    for part in [
      "MIFARE DESFire EV1", "hardware 1.0, software 1.4, 4096 bytes", "week 18 of 2012",
      "application 000001", "ISO E110, name D2760000850101", "1 key (DES)",
      "15 bytes of data, plain; read: everyone, write: key 0",
    ] {
      #expect(text.output.contains(part), "\(part): \(text.output)")
    }
    let json = try await Tool.run("desfire", "info", "--json", "--virtual", "desfire-ev3")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["product"] as? String == "MIFARE DESFire EV3")
    let applications = try #require(object["applications"] as? [[String: Any]])
    #expect(applications.count == 1 && applications[0]["aid"] as? String == "000001")
    let files = try #require(applications[0]["files"] as? [[String: Any]])
    #expect(files.map { $0["file"] as? Int } == [1, 2])
    #expect(files[1]["read"] as? String == "everyone" && files[1]["change"] as? Int == 0)
  }

  /// The card signs a transaction, with one key for the change and another for the terminal's name.
  @Test(arguments: [
    ("blank-desfire-light", "000001", 3, 3, 15), ("blank-desfire-ev3", "F00001", 2, 0, 7),
  ])
  func signedTransactions(
    name: String, app: String, value: Int, creditKey: Int, codes: Int
  ) async throws {
    try await Self.onCard(name) { nfc in
      let keys = Set([0, 1, creditKey]).sorted().map { "--key \($0):\(Self.zero)" }
        .joined(separator: " ")
      let at = "--app \(app) --file"
      if name != "blank-desfire-light" {
        _ = try await nfc("create-app \(app) --keys 3 --crypto aes", 0)
        _ = try await nfc("create-file \(at) \(value) --type value --free-value", 0)
        _ = try await nfc("create-file \(at) \(codes) --type transaction-mac", 64)
        let create =
          "create-file \(at) \(codes) --type transaction-mac --mac-key \(Self.key) --read 1 --read-write 1"
        #expect(try await nfc("\(create) --plan \(keys)", 0).lines.count == 1)
        _ = try await nfc("\(create) \(keys)", 0)
        _ = try await nfc("\(create) \(keys)", 65)
      }
      let refused = try await nfc("value \(at) \(value) --credit 5 \(keys)", 77)
      #expect(refused.errors.contains("--reader-id"))
      let reader = "--reader-id 000102030405060708090A0B0C0D0E0F"
      let first = try await nfc("value \(at) \(value) --credit 5 \(reader) \(keys)", 0)
      #expect(first.lines.count == 2 && first.lines.first == "5")
      #expect(first.lines.last?.hasPrefix("transaction 1  ") == true)
      let second = try await nfc("value \(at) \(value) --credit 5 \(reader) \(keys) --json", 0)
      #expect(second.output.contains(#""value":10,"transaction":{"counter":2,"mac":""#))
      let read = try await nfc("read \(at) \(codes) \(keys) --json", 0)
      #expect(read.output.contains(#""counter":2,"mac":""#))
      if name != "blank-desfire-light" {
        _ = try await nfc("delete-file \(at) \(codes)", 77)
        _ = try await nfc("delete-file \(at) \(codes) \(keys)", 0)
      }
      _ = try await nfc("value \(at) \(value) --reader-id 00 --credit 1 \(keys)", 64)
      _ = try await nfc("value \(at) \(value) \(reader) \(keys)", 64)
    }
  }

  /// The key that names the terminal may not read the value. A change that was committed is reported as one.
  @Test func theTerminalsKeyMayNotReadTheValue() async throws {
    try await Self.onCard("blank-desfire-ev3") { nfc in
      let (at, keys) = ("--app F00001 --file", "--key 0:\(Self.zero) --key 1:\(Self.zero)")
      _ = try await nfc("create-app F00001 --keys 2 --crypto aes", 0)
      _ = try await nfc("create-file \(at) 2 --type value", 0)
      _ = try await nfc(
        "create-file \(at) 7 --type transaction-mac --mac-key \(Self.key) --read-write 1 --key 0:\(Self.zero)",
        0)
      let reader = "--reader-id 000102030405060708090A0B0C0D0E0F"
      for (number, change) in ["--credit 9", "--debit 2"].enumerated() {
        let result = try await nfc("value \(at) 2 \(change) \(reader) \(keys)", 0)
        #expect(result.lines.first == ["9", "7"][number])
        #expect(result.lines.last?.hasPrefix("transaction \(number + 1)  ") == true)
      }
      #expect(try await nfc("value \(at) 2 \(keys)", 0).output == "7\n")
    }
  }

  /// Chips with fixed files have no command for the settings of their keys. A key changes nothing.
  @Test(arguments: ["ntag424", "desfire-light"]) func infoWithAKey(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      let without = try await nfc("info", 0)
      #expect(try await nfc("info --key 0:\(Self.zero)", 0).output == without.output)
      #expect(try await nfc("info --key 0:\(Self.key)", 0).output == without.output)
    }
  }

  /// The answer to a change may be lost: the same command then finds the new key, and is done.
  @Test(arguments: ["blank-desfire", "blank-desfire-ev3"])
  func changesOfKeysMayBeRepeated(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      _ = try await nfc("create-app F00001 --keys 2 --crypto aes", 0)
      let zeros = "--key 0:\(Self.zero) --key 1:\(Self.zero)"
      for number in [1, 0] {
        let change = "change-key \(number) --app F00001 --new-key \(Self.key) \(zeros)"
        for _ in 0..<2 { _ = try await nfc(change, 0) }
        let other = "change-key \(number) --app F00001 --new-key \(Self.other) \(zeros)"
        _ = try await nfc(other, 77)
      }
      let master = "change-key 0 --crypto aes --new-key \(Self.key) --key 0:0000000000000000"
      for _ in 0..<2 { _ = try await nfc(master, 0) }
      _ = try await nfc("format --permanently --key 0:\(Self.key)", 0)
    }
  }

  /// Cards before EV2 have no transaction MAC; another key does not help. A key is named only once.
  @Test func advice() async throws {
    try await Self.onCard("blank-desfire") { nfc in
      _ = try await nfc("create-app F00001 --keys 2 --crypto aes", 0)
      let at = "--app F00001 --file"
      let signing = try await nfc(
        "create-file \(at) 7 --type transaction-mac --mac-key \(Self.key)", 66)
      #expect(signing.errors.contains("EV2") && !signing.errors.contains("--key"))
      _ = try await nfc("create-file \(at) 1 --size 2 --read 1", 0)
      #expect(try await nfc("read \(at) 1", 77).errors.contains("read with key 1 or 0 of"))
      #expect(try await nfc("write \(at) 1 00", 77).errors.contains("written with key 0 of"))
    }
  }

  /// A false card says that everyone may write, and would read what is meant for the owner of a key.
  @Test(arguments: ["blank-desfire", "blank-desfire-ev3"])
  func aGivenKeyIsProvedBeforeAnOpenFileIsWritten(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      _ = try await nfc("create-app F00001 --keys 2 --crypto aes", 0)
      let at = "--app F00001 --file 1"
      _ = try await nfc("create-file \(at) --size 2 --read everyone --write everyone", 0)
      let refused = try await nfc("write \(at) A1A2 --key 1:\(Self.key)", 77)
      #expect(refused.errors.contains("key 1 of application F00001"))
      #expect(try await nfc("read \(at)", 0).output == "0000\n")
      _ = try await nfc("write \(at) B1B2 --key 1:\(Self.zero)", 0)
      #expect(try await nfc("read \(at)", 0).output == "B1B2\n")
      _ = try await nfc("write \(at) C1C2", 0)
      #expect(try await nfc("read \(at) --key 1:\(Self.zero)", 0).output == "C1C2\n")
    }
  }

  @Test(.asking(.configurationLock), arguments: ["blank-desfire-light", "ntag424"])
  func switchToLRP(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      let key = "--key 0:\(Self.zero)"
      _ = try await nfc("lrp \(key)", 64)
      #expect(try await nfc("lrp --plan", 0).output.contains("permanently"))
      _ = try await nfc("lrp --permanently", 77)
      _ = try await nfc("lrp --permanently --key 0:\(Self.other)", 77)
      _ = try await nfc("lrp --permanently \(key)", 0)
      // From here on, keys are proved with LRP. The answer to the first time could have been lost.
      _ = try await nfc("lrp --permanently \(key)", 0)
      _ = try await nfc("lrp --permanently --key 0:\(Self.other)", 77)
      _ = try await nfc(
        "change-key 2 --app 000001 --new-key \(Self.key) \(key) --key 2:\(Self.zero)", 0)
    }
    _ = try await Self.onCard("desfire") { nfc in _ = try await nfc("lrp --permanently", 66) }
  }

  @Test(arguments: ["blank-desfire", "blank-desfire-ev2", "blank-desfire-ev3"])
  func wholeLife(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      let app = "--app F00001"
      let master = "--key 0:\(Self.zero)"
      #expect(try await nfc("create-app F00001 --keys 3 --crypto aes --plan", 0).lines.count == 1)
      #expect(try await nfc("info", 0).output.contains("applications  none"))
      _ = try await nfc("create-app F00001 --keys 3 --crypto aes", 0)
      _ = try await nfc("create-app F00001 --keys 3 --crypto aes", 65)
      for (number, options) in [
        (1, "--type standard --size 100 --communication full --read 1"),
        (2, "--type value --lower -5 --upper 1000 --value 10 --communication mac --read 1"),
        (3, "--type cyclic --size 4 --records 3 --read everyone"),
        (4, "--type backup --size 8 --communication mac"),
        (5, "--type linear --size 2 --records 2"),
      ] {
        _ = try await nfc("create-file \(app) --file \(number) \(options)", 0)
      }
      _ = try await nfc("create-file \(app) --file 1 --size 8", 65)

      _ = try await nfc("write \(app) --file 1 112233 --offset 60 \(master)", 0)
      #expect(
        try await nfc("read \(app) --file 1 --offset 59 --length 5 --key 1:\(Self.zero)", 0).output
          == "0011223300\n")
      #expect(try await nfc("value \(app) --file 2 --key 1:\(Self.zero)", 0).output == "10\n")
      #expect(try await nfc("value \(app) --file 2 --credit 20 \(master)", 0).output == "30\n")
      #expect(
        try await nfc("value \(app) --file 2 --debit 35 \(master) --json", 0).output
          == #"{"app":"F00001","file":2,"value":-5}"# + "\n")
      #expect(
        try await nfc("value \(app) --file 2 --debit 1 \(master)", 65).errors.contains("limits"))
      for record in ["01020304", "05", "0607"] {
        _ = try await nfc("write \(app) --file 3 \(record) \(master)", 0)
      }
      #expect(try await nfc("read \(app) --file 3", 0).output == "05000000\n06070000\n")
      _ = try await nfc("write \(app) --file 4 A1A2 \(master)", 0)
      #expect(
        try await nfc("read \(app) --file 4 \(master) --json", 0).output
          == #"{"app":"F00001","file":4,"data":"A1A2000000000000"}"# + "\n")

      // An operation that requires a key names the key, and a wrong key is refused.
      let missing = try await nfc("read \(app) --file 1", 77)
      #expect(missing.errors.contains("key 1 or 0") && missing.errors.contains("--key 1:HEX"))
      #expect(
        try await nfc("read \(app) --file 1 --key 1:\(Self.other)", 77).errors.contains("key 1"))
      _ = try await nfc("read \(app) --file 9 \(master)", 65)
      _ = try await nfc("read --app F00002 --file 1 \(master)", 66)
      #expect(
        try await nfc("write \(app) --file 1 00 --offset 100 \(master)", 65).errors
          .contains("do not fit"))
      _ = try await nfc("write \(app) --file 2 00 \(master)", 64)

      // Changes of keys.
      let change = "change-key 1 \(app) --new-key \(Self.key) --key-version 07"
      let plan = try await nfc("\(change) \(master) --plan", 0)
      #expect(plan.output.contains("version 00 → AES, version 07"))
      _ = try await nfc("\(change) \(master)", 77)
      let wrong = try await nfc("\(change) \(master) --key 1:\(Self.other)", 77)
      #expect(wrong.errors.contains("key 1 of application F00001 is not the one that is given"))
      _ = try await nfc("\(change) \(master) --key 1:\(Self.zero)", 0)
      _ = try await nfc("read \(app) --file 1 --key 1:\(Self.zero)", 77)
      _ = try await nfc("read \(app) --file 1 --key F00001/1:\(Self.key)", 0)
      _ = try await nfc("change-key 0 \(app) --new-key \(Self.other) \(master)", 0)
      _ = try await nfc("value \(app) --file 2 --credit 1 \(master)", 77)
      #expect(
        try await nfc("value \(app) --file 2 --credit 1 --key 0:\(Self.other)", 0).output == "-4\n")

      // The card's own key is changed to AES.
      _ = try await nfc(
        "change-key 0 --crypto aes --new-key \(Self.key) --key 0:0000000000000000", 0)
      _ = try await nfc("delete-file \(app) --file 5 --plan", 0)
      _ = try await nfc("delete-file \(app) --file 5", 0)
      _ = try await nfc("read \(app) --file 5", 65)
      let info = try await nfc("info --json --key 0:\(Self.key)", 0)
      #expect(info.output.contains(#""crypto":"aes""#) && info.output.contains(#""type":"cyclic""#))
      #expect(try await nfc("format --plan --key 0:\(Self.key)", 0).output.contains("F00001"))
      _ = try await nfc("format --permanently --key 0:\(Self.zero)", 77)
      _ = try await nfc("format", 64)
      _ = try await nfc("delete-app F00001", 77)
      _ = try await nfc("delete-app F00001 --plan", 0)
      _ = try await nfc("delete-app F00001 --key 0:\(Self.key)", 0)
      _ = try await nfc("delete-app F00001 --key 0:\(Self.key)", 66)
      _ = try await nfc("format --permanently --key 0:\(Self.key)", 0)
    }
  }

  @Test(arguments: ["blank-desfire-ev2", "blank-desfire-ev3"])
  func recordsAreChanged(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      let file = "--app F00001 --file 3"
      let master = "--key 0:\(Self.zero)"
      _ = try await nfc("create-app F00001 --keys 3 --crypto aes", 0)
      _ = try await nfc(
        "create-file \(file) --type cyclic --size 4 --records 3 --communication full --write 2", 0)
      for record in ["01020304", "05060708", "090A0B0C"] {
        _ = try await nfc("write \(file) \(record) \(master)", 0)
      }
      _ = try await nfc("write \(file) A1A2 --update 0 --offset 1 \(master)", 0)
      #expect(try await nfc("read \(file) \(master)", 0).output == "05A1A208\n090A0B0C\n")
      #expect(
        try await nfc("write \(file) B1B2B3B4 --update 1 \(master) --json", 0).output
          .hasSuffix(#""app":"F00001","file":3,"record":1,"written":4}"# + "\n"))
      let now = "05A1A208\nB1B2B3B4\n"
      #expect(try await nfc("read \(file) \(master)", 0).output == now)
      let missing = try await nfc("write \(file) 00 --update 2 \(master)", 65)
      #expect(missing.errors.contains("there is no record 2: file 3 has 2"))
      _ = try await nfc("write \(file) 0011 --update 1 --offset 3 \(master)", 65)
      _ = try await nfc("write \(file) 00 --update -1 \(master)", 64)
      _ = try await nfc("write \(file) 00 --update 1", 77)
      _ = try await nfc("write \(file) 00 --update 1 --key 0:\(Self.other)", 77)
      // A key that may only write: here the card requires the right to read, too.
      _ = try await nfc("write \(file) 00 --update 1 --key 2:\(Self.zero)", 77)
      #expect(try await nfc("read \(file) \(master)", 0).output == now)
      _ = try await nfc("create-file --app F00001 --file 1 --size 8", 0)
      let data = try await nfc("write --app F00001 --file 1 00 --update 0 \(master)", 64)
      #expect(data.errors.contains("file 1 has no records"))
    }
  }

  /// An EV1 has no such command.
  @Test func recordsOfAnEV1AreOnlyAppended() async throws {
    try await Self.onCard("blank-desfire") { nfc in
      let file = "--app F00001 --file 3"
      let master = "--key 0:\(Self.zero)"
      _ = try await nfc("create-app F00001 --keys 1 --crypto aes", 0)
      _ = try await nfc("create-file \(file) --type linear --size 2 --records 3", 0)
      _ = try await nfc("write \(file) 0102 \(master)", 0)
      let refused = try await nfc("write \(file) 03 --update 0 \(master)", 66)
      #expect(refused.errors.contains("since DESFire EV2"))
      #expect(try await nfc("read \(file) \(master)", 0).output == "0102\n")
    }
  }

  @Test(arguments: [("des", "0:0000000000000000"), ("3k3des", "0:" + zero + "0000000000000000")])
  func otherCiphers(_ crypto: String, _ key: String) async throws {
    try await Self.onCard("blank-desfire") { nfc in
      _ = try await nfc("create-app 000102 --keys 1 --crypto \(crypto) --settings 09", 0)
      _ = try await nfc("create-file --app 000102 --file 0 --size 4", 77)
      let file = "--app 000102 --file 0 --key \(key)"
      _ = try await nfc("create-file \(file) --size 4 --communication full", 0)
      _ = try await nfc("write \(file) DEADBEEF", 0)
      #expect(try await nfc("read \(file)", 0).output == "DEADBEEF\n")
      // Without the key, the card does not report the settings.
      #expect(try await nfc("info", 0).output.contains("settings not reported"))
      #expect(try await nfc("info --key \(key)", 0).output.contains("4 bytes of data, encrypted"))
    }
  }

  @Test func keysFromFilesAndTheEnvironment() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "keys").path
      try "# the card's\n\n 0:\(Self.zero) # zeros\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      let wrong = directory.appending(path: "wrong").path
      try "0:\(Self.key)\n1:12\n".write(toFile: wrong, atomically: true, encoding: .utf8)
      let virtual = try RunningTool(["virtual", "blank-desfire-ev2"])
      let reader = try #require(try await virtual.waitForLines(1).first)
      func run(_ line: String, _ environment: [String: String] = [:]) async throws -> Tool.Result {
        try await Tool.run(
          ["desfire"] + line.split(separator: " ").map(String.init) + ["--reader", reader],
          environment: environment)
      }
      #expect(try await run("create-app AB0001 --keys 1 --crypto aes").status == 0)
      #expect(try await run("create-file --app AB0001 --file 1 --size 2").status == 0)
      let read = "read --app AB0001 --file 1"
      #expect(try await run("\(read) --keys \(file)").output == "0000\n")
      #expect(try await run(read, ["NFC_KEYS": "1:\(Self.key),0:\(Self.zero)"]).output == "0000\n")
      let broken = try await run("\(read) --keys \(wrong)")
      #expect(broken.status == 65 && broken.errors.contains("line 2"))
      #expect(!broken.errors.contains(Self.key))
      #expect(try await run("\(read) --keys \(directory.path)/none").status == 66)
      let variable = try await run(read, ["NFC_KEYS": "0=\(Self.key)"])
      #expect(variable.status == 64 && variable.errors.contains("NFC_KEYS"))
      #expect(!variable.errors.contains(Self.key))
      virtual.interrupt()
      _ = try await virtual.end()
    }
  }

  /// The same card is used with a PC/SC reader, which supports APDUs only.
  @Test func throughPCSC() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let virtual = try RunningTool(
      ["virtual", "blank-desfire-ev2", "--pcsc", "--port", "\(daemon.port)"],
      environment: daemon.environment)
    let reader = try #require(try await virtual.waitForLines(1).first)
    func nfc(_ line: String) async throws -> Tool.Result {
      try await Tool.run(
        ["desfire"] + line.split(separator: " ").map(String.init) + ["--reader", reader],
        environment: daemon.environment)
    }
    let file = "--app F00001 --file 1"
    for line in [
      "create-app F00001 --keys 2 --crypto aes",
      "create-file \(file) --size 300 --communication full",
      "write \(file) \(String(repeating: "5A", count: 300)) --key 0:\(Self.zero)",
      "change-key 0 --app F00001 --new-key \(Self.key) --key 0:\(Self.zero)",
    ] {
      let result = try await nfc(line)
      #expect(result.status == 0, "\(line): \(result.errors)")
    }
    #expect(
      try await nfc("read \(file) --key 0:\(Self.key)").output
        == String(repeating: "5A", count: 300) + "\n")
    #expect(try await nfc("read \(file) --key 0:\(Self.zero)").status == 77)
    #expect(try await nfc("info").output.contains("300 bytes of data, encrypted"))
    virtual.interrupt()
    _ = try await virtual.end()
  }

  @Test(arguments: [
    Case("desfire info --virtual ntag215", "", 66, errors: ["DESFire"]),
    Case("desfire info --virtual emrtd", "", 66, errors: ["DESFire"]),
    Case("desfire read --app 000001 --file 1 --virtual desfire", "000F2000"),
    Case("desfire read --app 0001 --file 1", "", 64, errors: ["six hexadecimal digits"]),
    Case("desfire read --app 000001 --file 32", "", 64, errors: ["0 to 31"]),
    Case("desfire read --app 000001 --file 1 --key 00", "", 64, errors: ["--key"]),
    Case("desfire read --app 000001 --file 1 --key 14:00", "", 64, errors: ["0 to 13"]),
    Case("desfire read --app 000001 --file 1 --key 0:0011", "", 64, errors: ["not 2"]),
    Case("desfire format --virtual desfire", "", 64, errors: ["--permanently"]),
    Case("desfire format --permanently --virtual desfire", "", 77, errors: ["--key 0:HEX"]),
    Case("desfire create-app 000000 --keys 1 --crypto aes", "", 64, errors: ["card itself"]),
    Case("desfire create-app 000002 --keys 15 --crypto aes", "", 64, errors: ["1 to 14"]),
    Case("desfire create-app 000002 --keys 1 --crypto rsa", "", 64, errors: ["rsa"]),
    Case("desfire create-file --app 000001 --file 3 --type value --iso 0001", "", 64),
    Case("desfire create-file --app 000001 --file 3 --type cyclic --size 3 --records 1", "", 64),
    Case("desfire change-key 1 --new-key 00", "", 64, errors: ["one key"]),
    Case("desfire change-key 0 --key 0:0000000000000000", "", 64, errors: ["--new-key"]),
    Case(
      "desfire change-key 0 --new-key 0011 --key 0:0000000000000000 --virtual desfire", "", 64,
      errors: ["8 or 16"]),
    Case("desfire value --app 000001 --file 1 --virtual desfire", "", 64, errors: ["no value"]),
    Case("desfire value --app 000001 --file 1 --credit 1 --debit 1", "", 64),
    Case("desfire inof", "", 64, errors: ["nfc desfire info"]),
  ])
  func mistakes(_ test: Case) async throws {
    let result = try await Tool.run(test.arguments)
    #expect(result.status == test.status, "\(result.output)\(result.errors)")
    if let output = test.output { #expect(result.output.hasPrefix(output)) }
    for text in test.errors { #expect(result.errors.contains(text), "\(result.errors)") }
    if test.status > 64 { #expect(result.errorLines.count == 1) }
  }
}
