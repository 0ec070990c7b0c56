import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

/// Tests of the same driver with a real PC/SC daemon and vsmartcard's virtual reader.
@Suite struct PCSCDaemonTests {
  /// A chip on a reader that a daemon drives.
  private struct Shown {
    let chip: VirtualTag
    let field = VirtualField()
    let virtual: VirtualPCSCReader
    let daemon: PrivatePCSCD
    private let client: VirtualPCSCClient

    init(_ chip: VirtualTag) throws {
      self.chip = chip
      field.place(chip)
      virtual = VirtualPCSCReader(field)
      daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
      client = try VirtualPCSCClient(virtual, port: daemon.port)
    }

    func close() { client.close() }
  }

  /// A PC/SC reader reports no ATQA, and none is needed.
  @Test(arguments: ["type4", "type4b"]) func savesSmartCards(_ name: String) async throws {
    let shown = try Shown(try VirtualTag.named(name))
    defer { shown.close() }
    try await TemporaryDirectory.with { directory in
      let file = directory.appending(path: "card.nfc").path
      let written = try await shown.daemon.nfc("write", "uri", "https://example.com")
      #expect(written.status == 0, "\(written.errors)")
      let dumped = try await shown.daemon.nfc("dump", file)
      #expect(dumped.status == 0, "\(dumped.errors)")
      #expect(try await Tool.run("read", "--virtual", file).output == "https://example.com\n")
    }
  }

  @Test func readsWhatAnotherProgramReads() async throws {
    let shown = try Shown(.icodeSLIX2())
    defer { shown.close() }
    let (chip, field, daemon) = (shown.chip, shown.field, shown.daemon)

    let written = try await daemon.nfc("iso15693", "write", "4", "11223344")
    #expect(written.status == 0, "\(written.errors)")
    #expect(Array(chip.memory[16..<20]) == [0x11, 0x22, 0x33, 0x44])

    let read = try await daemon.nfc("iso15693", "read", "0-7", "--json")
    #expect(read.status == 0, "\(read.errors)")
    let blocks = (0..<8).map { Array(chip.memory[($0 * 4)..<($0 * 4 + 4)]).hexadecimal }
    #expect(
      read.lines
        == blocks.enumerated().map {
          "{\"block\":\($0.offset),\"data\":\"\($0.element)\"}"
        })

    let other = try await daemon.scriptor((0..<8).map { "FF B0 00 0\($0) 04" })
    for block in 0..<8 {
      let bytes = chip.memory[(block * 4)..<(block * 4 + 4)]
      #expect(other.contains("< \(spaced(bytes)) 90 00"), "\(other)")
    }

    field.remove(chip)
    try await Task.sleep(for: .seconds(1))
    let gone = try await daemon.nfc("iso15693", "read", "0", "--timeout", "0.3")
    #expect(gone.status == 66, "\(gone.errors)")
    field.place(chip)
    let back = try await daemon.nfc("iso15693", "read", "0")
    #expect(back.status == 0, "\(back.errors)")
  }

  /// The commands of DESFire and NTAG DNA work through the daemon.
  @Test(arguments: ["ev3", "light"]) func secureCards(_ model: String) async throws {
    let zero = String(repeating: "0", count: 32)
    let key = "--key 0:\(zero) --key 1:\(zero) --key 3:\(zero)"
    let shown = try Shown(
      .desfire(model == "light" ? .light : .ev3, formatted: false))
    defer { shown.close() }
    func nfc(_ line: String, _ status: Int32 = 0) async throws -> String {
      let result = try await shown.daemon.nfc(
        arguments: ["desfire"] + line.split(separator: " ").map(String.init))
      #expect(result.status == status, "\(line): \(result.errors)")
      return result.output
    }
    #expect(try await nfc("info").contains("MIFARE DESFire"))
    if model == "light" {
      let at = "--app 000001 --file"
      _ = try await nfc("write \(at) 0 A1A2 \(key)")
      #expect(try await nfc("read \(at) 0 --length 3 \(key)") == "A1A200\n")
      let reader = "--reader-id 000102030405060708090A0B0C0D0E0F"
      #expect(
        try await nfc("value \(at) 3 --credit 9 \(reader) \(key)").contains("transaction 1"))
      _ = try await nfc("lrp --permanently \(key)")
      #expect(try await nfc("read \(at) 0 --length 3 \(key)") == "A1A200\n")
      return
    }
    let at = "--app F00001 --file"
    _ = try await nfc("create-app F00001 --keys 2 --crypto aes")
    _ = try await nfc("create-file \(at) 1 --size 300 --communication full")
    _ = try await nfc("create-file \(at) 2 --type value --communication mac")
    _ = try await nfc("write \(at) 1 \(String(repeating: "5A", count: 300)) \(key)")
    #expect(
      try await nfc("read \(at) 1 \(key)") == String(repeating: "5A", count: 300) + "\n")
    #expect(try await nfc("value \(at) 2 --credit 7 \(key)") == "7\n")
    _ = try await nfc("value \(at) 2 --credit 7 --key 0:\(String(repeating: "1", count: 32))", 77)
    _ = try await nfc(
      "change-key 1 --app F00001 --new-key \(String(repeating: "2", count: 32)) \(key)")
    _ = try await nfc("delete-file \(at) 1 \(key)")
    _ = try await nfc("delete-app F00001 \(key) --key 000000/0:0000000000000000")
  }

  /// 60 blocks of 4 bytes fit into an answer of 256 bytes with its objects. They are preceded by an inventory
  /// and the command for the size.
  @Test func readsAnST25DVInTheFewestExchanges() async throws {
    let shown = try Shown(.st25dv())
    defer { shown.close() }
    let (chip, daemon, virtual) = (shown.chip, shown.daemon, shown.virtual)
    let content = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(try await daemon.nfc("iso15693", "write", "4", content.hexadecimal).status == 0)
    // This resets the count.
    virtual.setFaults([])
    let read = try await daemon.nfc("iso15693", "read", "0-1023")
    #expect(virtual.statistics.exchanges == 1 + 1 + (1024 + 59) / 60)
    #expect(read.status == 0, "\(read.errors)")
    let data = read.lines.compactMap { $0.split(separator: " ").last }.joined()
    #expect(data == Array(chip.memory.prefix(4096)).hexadecimal)
    #expect(Array(chip.memory[16..<4016]) == content)
  }

  /// A chip and its memory according to the maker's data sheet.
  struct Chip: CustomTestStringConvertible {
    let name: String
    let blockCount: Int
    var blockSize = 4
    /// Whether the chip refuses a write with the reader's own command, which has no option flag.
    var needsOption = false
    /// A block that the chip can lock. An ST25DV can lock only blocks 0 and 1.
    var lockable = 7

    var testDescription: String { name }
  }

  /// The chips that differ in block size, number of blocks or refusals.
  static let chips = [
    Chip(name: "icode-slix2", blockCount: 80), Chip(name: "icode-slix", blockCount: 28),
    Chip(name: "icode-sli-s", blockCount: 40), Chip(name: "st25dv", blockCount: 2048, lockable: 1),
    Chip(name: "st25dv16k", blockCount: 512, lockable: 1),
    Chip(name: "st25dv04k", blockCount: 128, lockable: 1),
    Chip(name: "st25tv", blockCount: 64), Chip(name: "tag-it", blockCount: 64, needsOption: true),
    Chip(name: "mb89r118", blockCount: 250, blockSize: 8),
  ]

  @Test(arguments: chips)
  func readsAndWritesEveryChip(_ kind: Chip) async throws {
    let shown = try Shown(try VirtualTag.named(kind.name))
    defer { shown.close() }
    let (chip, daemon, size) = (shown.chip, shown.daemon, kind.blockSize)
    func read(_ blocks: String) async throws -> String {
      let read = try await daemon.nfc("iso15693", "read", blocks)
      #expect(read.status == 0, "\(read.errors)")
      return read.lines.compactMap { $0.split(separator: " ").last }.joined()
    }
    let content = (0..<(3 * size)).map { UInt8($0 + 0xA1) }
    let written = try await daemon.nfc("iso15693", "write", "4", content.hexadecimal)
    #expect(written.status == 0, "\(written.errors)")
    #expect(Array(chip.memory[(4 * size)..<(7 * size)]) == content)
    #expect(try await read("4-6") == content.hexadecimal)
    let info = try await daemon.nfc("iso15693", "info", "--json")
    #expect(info.output.contains("\"blockSize\":\(size),\"blockCount\":\(kind.blockCount),"))

    // Each program can read what the other has written.
    let other = (1...size).map { UInt8($0) }
    let answers = try await daemon.scriptor(
      (4..<7).map { "FF B0 00 0\($0) 0\(size)" }
        + ["FF D6 00 08 0\(size) \(spaced(other))", "FF B0 00 08 0\(size)"])
    for start in stride(from: 0, to: content.count, by: size) {
      #expect(answers.contains("< \(spaced(content[start..<(start + size)])) 90 00"), "\(answers)")
    }
    let stored = kind.needsOption ? [UInt8](repeating: 0, count: size) : other
    #expect(answers.contains(kind.needsOption ? "< 63 00" : "< 90 00"), "\(answers)")
    #expect(answers.contains("< \(spaced(stored)) 90 00"), "\(answers)")
    #expect(try await read("8") == stored.hexadecimal)

    #expect(try await daemon.nfc("write", "uri", "https://example.com/", "--verify").status == 0)
    #expect(try await daemon.nfc("read").output == "https://example.com/\n")
    let block = "\(kind.lockable)"
    #expect(try await daemon.nfc("iso15693", "lock", block, "--permanently").status == 0)
    #expect(
      try await daemon.nfc("iso15693", "write", block, content.prefix(size).map(\.self).hexadecimal)
        .status == 77)
  }

  /// Returns bytes in the format of scriptor.
  private func spaced(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { [$0].hexadecimal }.joined(separator: " ")
  }

  /// Sends requests that the user has written, including custom commands, and returns the tag's own errors.
  @Test func sendsWhatItIsGiven() async throws {
    let shown = try Shown(.icodeSLIX2())
    defer { shown.close() }
    let daemon = shown.daemon
    let uid = "838ED22A080104E0"
    let steps: [(requests: [String], answers: [String])] = [
      // Reads the signature; switches article surveillance on, changes its identifier, and locks it.
      (["02BD04"], ["00CAE8183CB4823C765AFDEB78C9D66C959990FD52A5820E76E1D6E025D76EAD79"]),
      (["02A204", "02A704ABCD", "42A50400"], ["00", "00", "00ABCD"]),
      (["02A404", "22A304" + uid, "02AB04"], ["00", "010F", "000000027F350000"]),
      // AFI and DSFID are written, locked, and used to find the tag.
      (["022742", "0228", "2227" + uid + "43"], ["00", "00", "010F"]),
      (
        ["022924", "022A", "2229" + uid + "25", "222A" + uid], ["00", "00", "010F", "010F"]
      ),
      (["36014200", "022B"], ["0024" + uid, "000F" + uid + "24424F0301"]),
      // The tag is selected. Then a wrong length, a missing block and unknown commands are sent.
      (["2225" + uid, "122000", "2226" + uid], ["00", "00E1402701", "00"]),
      (
        ["2220" + uid, "2220" + uid + "FF", "2235" + uid + "00", "2230" + uid + "0000"],
        ["010F", "010F", "010F", "010F"]
      ),
    ]
    for step in steps {
      let sent = try await daemon.nfc(arguments: ["iso15693", "send"] + step.requests)
      #expect(sent.status == 0, "\(step.requests): \(sent.errors)")
      #expect(sent.lines == step.answers, "\(step.requests)")
    }
    // A tag that does not answer gives no result.
    let silent = try await daemon.nfc("iso15693", "send", "36014300")
    #expect(silent.status == 74)
    #expect(silent.output == "")
    #expect(silent.errorLines.count == 1)
  }

  /// An ICODE gives no reason for a refusal; the lock is found out. Locking once more succeeds.
  @Test func aLockedBlockOfAnICODE() async throws {
    let shown = try Shown(.icodeSLIX())
    defer { shown.close() }
    let daemon = shown.daemon
    for _ in 0..<2 {
      #expect(try await daemon.nfc("iso15693", "lock", "9", "--permanently").status == 0)
    }
    let refused = try await daemon.nfc("iso15693", "write", "9", "11223344")
    #expect(refused.status == 77 && refused.errorLines.count == 1)
    #expect(refused.errors.contains("block 9") && refused.errors.contains("locked"))
  }

  /// The only frames to the tag are those that find it and read its size. A command that changes the tag also
  /// looks for a second tag.
  @Test func refusesBeforeAnythingIsSent() async throws {
    let shown = try Shown(.icodeSLIX2())
    defer { shown.close() }
    let (chip, daemon, virtual) = (shown.chip, shown.daemon, shown.virtual)
    let before = chip.memory
    let questions = 2
    let search = 1
    let mistakes: [(arguments: [String], text: String, exchanges: Int)] = [
      (["read", "79-80"], "0 to 79", questions), (["read", "300"], "0 to 79", questions),
      (["write", "80", "11223344"], "0 to 79", questions + search),
      (["write", "79", "1122334455667788"], "block 80", questions + search),
      (["write", "4", "112233"], "4 bytes", 1 + search),
      (["lock", "80", "--permanently"], "0 to 79", questions + search),
      (["lock", "4"], "--permanently", 0), (["read", "65536"], "65536", 0),
      (["send", "02"], "flags", 1), (["send", String(repeating: "02", count: 260)], "bytes", 1),
    ]
    for mistake in mistakes {
      virtual.setFaults([])
      let result = try await daemon.nfc(arguments: ["iso15693"] + mistake.arguments)
      #expect(result.status == 64, "\(mistake)")
      #expect(result.output == "", "\(mistake)")
      #expect(result.errors.contains(mistake.text), "\(mistake): \(result.errors)")
      #expect(virtual.statistics.exchanges == mistake.exchanges, "\(mistake)")
    }
    #expect(chip.memory == before)
  }

  @Test func saysWhatIsNotThere() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let none = try await daemon.nfc("poll", "--once", "--timeout", "0.3")
    #expect(none.status == 66, "\(none.errors)")
    daemon.stop()
    let gone = try await daemon.nfc("poll", "--once", "--timeout", "0.3")
    #expect(gone.status == 69, "\(gone.errors)")
    #expect(gone.errors.contains("pcscd"))
  }

  /// If no reader is named, a service that is not running is not reported as a service without readers.
  @Test func saysThatTheServiceDoesNotRun() async throws {
    let environment = [
      "PCSCLITE_CSOCK_NAME": "/nowhere/pcscd.comm", "LIBNFC_AUTO_SCAN": "false",
    ]
    for command in [["poll", "--once"], ["iso15693", "read", "0"]] {
      let result = try await Tool.run(command, environment: environment)
      #expect(result.status == 69)
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      #expect(
        result.errors
          == "nfc: no reader was found, and the PC/SC service is not running; nfc doctor says what to do; "
          + "--virtual demo needs none\n")
    }
  }
}
