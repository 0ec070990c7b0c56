import Foundation
import TestSupport
import Testing

/// Tests of `nfc iso15693` with virtual chips.
@Suite struct ISO15693CommandTests {
  private func run(_ line: String, on tag: String = "icode-slix2") async throws -> Tool.Result {
    try await Tool.run(
      ["iso15693"] + line.split(separator: " ").map(String.init) + ["--virtual", tag])
  }

  @Test func info() async throws {
    let json = try await run("info --json", on: "st25dv")
    #expect(
      json.lines == [
        #"{"type":"iso15693","protocol":"iso15693","uid":"E00226006B5D14C7","product":"ST25DV64K","icManufacturerCode":"02","icSerialNumber":"26006B5D14C7","dsfid":"00","afi":"00","blockSize":4,"blockCount":2048,"maker":"STMicroelectronics","memorySize":8192,"icReference":"26"}"#
      ])
    let text = try await run("info")
    #expect(text.output.contains(/\nblocks +80\n/))
    #expect(text.output.contains(/\nproduct +ICODE SLIX2\n/))
    #expect(text.status == 0)
  }

  @Test(arguments: [
    ("read 0", "0  E1402701"),
    ("read 1,0", "1  0300FE00\n0  E1402701"),
    ("read 0-1,79", " 0  E1402701\n 1  0300FE00\n79  00000000"),
    ("read 0-1 --json", "{\"block\":0,\"data\":\"E1402701\"}\n{\"block\":1,\"data\":\"0300FE00\"}"),
    ("read 79 --security", "79  00000000  not locked"), ("read 3 5", "3  00000000\n5  00000000"),
    ("read 0 --json --security", "{\"block\":0,\"data\":\"E1402701\",\"locked\":false}"),
    ("write 79 01000000", ""),
    ("write 4 1122334455667788", ""),
    ("lock 5 --permanently", ""),
    ("send 022000", "00E1402701"),
    // Every request is sent to the tag unchanged, and a refusal is an answer.
    (
      "send 022000 2220838ED22A080104E0FF 02AB04",
      "00E1402701\n010F\n000000007F350000"
    ),
    ("send 02:20:00 --json", "{\"command\":\"022000\",\"answer\":\"00E1402701\"}"),
  ])
  func works(_ line: String, _ output: String) async throws {
    let result = try await run(line)
    #expect(result.output == (output.isEmpty ? "" : output + "\n"))
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  /// The password is presented before blocks are read, written or locked. A tag as delivered has zeros.
  @Test(
    .asking(.blockLock),
    arguments: [
      ("icode-slix2", "00000000", "99999999"),
      ("st25tv", "0000000000000000", "9999999999999999"),
      ("st25dv", "0000000000000000", "9999999999999999"),
    ], ["read 5", "write 5 11223344", "lock 5 --permanently"])
  func presentsThePassword(
    _ tag: (name: String, right: String, wrong: String), _ line: String
  ) async throws {
    // An ST25DV locks only its first two blocks.
    let line = tag.name == "st25dv" ? line.replacing("lock 5", with: "lock 1") : line
    let done = try await run("\(line) --password \(tag.right)", on: tag.name)
    #expect(done.status == 0 && done.errors == "")
    let refused = try await run("\(line) --password \(tag.wrong)", on: tag.name)
    #expect(refused.status == 77 && refused.output == "")
    #expect(refused.errors.contains("give the password that the tag has now"))
    #expect(!refused.errors.contains("9999") && refused.errors.split(separator: "\n").count == 1)
    guard tag.name == "icode-slix2" else { return }
    let short = try await run("\(line) --password 1122", on: tag.name)
    #expect(short.status == 64 && short.errors.contains("has 2 bytes"))
    let none = try await run("\(line) --password 11223344", on: "tag-it")
    #expect(none.status == 64)
  }

  @Test func withoutBlocksAllAreRead() async throws {
    let result = try await run("read")
    #expect(result.status == 0)
    #expect(result.lines.count == 80)
    #expect(result.lines.last == "79  00000000")
  }

  @Test func aRequestThatIsNotAnsweredIsExplained() async throws {
    let result = try await run("send 2220E0040108FFFFFFFF00")
    #expect(result.status == 74)
    #expect(result.errors.contains("another UID"))
  }

  /// Impossible requests are refused before anything is sent, and nothing is printed.
  @Test(arguments: [
    ("read 80", 64, "0 to 79"), ("read 79-80", 64, "block 80"), ("read 0-7,200", 64, "block 200"),
    ("read 5-3", 64, "5-3"), ("read 65536", 64, "65536"), ("read 1-2-3", 64, "1-2-3"),
    ("read one", 64, "one"), ("read -1", 64, "blocks"),
    ("write 80 11223344", 64, "0 to 79"), ("write 79 1122334455667788", 64, "block 80"),
    ("write 3 112233", 64, "4 bytes"), ("write 3 11223", 64, "11223"), ("write 3", 64, "hex"),
    ("lock 3", 64, "--permanently"), ("lock 80 --permanently", 64, "0 to 79"),
    ("send 02", 64, "flags"), ("send xyz", 64, "hexadecimal"), ("send", 64, "hex"),
  ])
  func isRefused(_ line: String, _ status: Int32, _ text: String) async throws {
    let result = try await run(line)
    #expect(result.status == status)
    #expect(result.output == "")
    #expect(result.errors.contains(text))
  }

  @Test(arguments: [
    "read 2048", "read 2047-2048", "write 2048 11223344", "lock 2048 --permanently",
  ])
  func aTagIsAskedForItsSizeFirst(_ line: String) async throws {
    let result = try await run(line, on: "st25dv")
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("0 to 2047"))
  }

  @Test func anotherTagIsNotOfTheKind() async throws {
    let result = try await run("read 0", on: "ntag215")
    #expect(result.status == 69)
    #expect(result.errors.contains("ISO 15693"))
    let both = try await Tool.run(
      "iso15693", "read", "0", "--virtual", "ntag215", "--virtual", "icode-slix2")
    #expect(both.output == "0  E1402701\n")
    let silent = try await run("send 0220FFFF", on: "icode-slix2")
    #expect(silent.status == 74)
  }

  /// A change by one command is visible to the next command.
  @Test func locksStay() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let virtual = try RunningTool(
      ["virtual", "st25dv", "--pcsc", "--port", "\(daemon.port)"], environment: daemon.environment)
    let reader = try #require(try await virtual.waitForLines(1).first)
    func run(_ arguments: String...) async throws -> Tool.Result {
      try await Tool.run(
        ["iso15693"] + arguments + ["--reader", reader], environment: daemon.environment)
    }
    #expect(try await run("write", "1", "A1A2A3A4").status == 0)
    // This chip can lock blocks 0 and 1.
    #expect(try await run("lock", "1", "--permanently").status == 0)
    // Locking a locked block succeeds.
    #expect(try await run("lock", "1", "--permanently").status == 0)
    let read = try await run("read", "0-2", "--security", "--json")
    #expect(
      read.lines == [
        #"{"block":0,"data":"E2400001","locked":false}"#,
        #"{"block":1,"data":"A1A2A3A4","locked":true}"#,
        #"{"block":2,"data":"0300FE00","locked":false}"#,
      ])
    #expect(
      try await run("read", "1", "--security").output == "1  A1A2A3A4  locked\n")
    let refused = try await run("write", "0", "FFFFFFFFFFFFFFFF")
    #expect(refused.status == 77)
    #expect(refused.errorLines.count == 1)
    #expect(refused.errors.contains("block 1"))
    // The first of the two blocks, which is not locked, was not written either.
    #expect(try await run("read", "0-1").lines == ["0  E2400001", "1  A1A2A3A4"])
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }
}
