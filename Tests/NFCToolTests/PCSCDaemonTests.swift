import Foundation
import NFC
import Testing
import VirtualNFC

/// The same driver through a real PC/SC daemon with vsmartcard's virtual reader.
@Suite struct PCSCDaemonTests {
  private func lines(_ output: String) -> [Substring] { output.split(separator: "\n") }

  @Test func readsWhatAnotherProgramReads() throws {
    let chip = VirtualTag.icodeSLIX2()
    let field = VirtualField()
    field.place(chip)
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let client = try VirtualPCSCClient(VirtualPCSCReader(field), port: daemon.port)
    defer { client.close() }

    let written = try daemon.nfc("iso15693", "write", "4", "11223344")
    #expect(written.status == 0, "\(written.errors)")
    #expect(Array(chip.memory[16..<20]) == [0x11, 0x22, 0x33, 0x44])

    let read = try daemon.nfc("iso15693", "read", "0-7", "--json")
    #expect(read.status == 0, "\(read.errors)")
    let blocks = (0..<8).map { Array(chip.memory[($0 * 4)..<($0 * 4 + 4)]).hexadecimal }
    #expect(
      lines(read.output)
        == blocks.enumerated().map {
          "{\"block\":\($0.offset),\"data\":\"\($0.element)\"}"
        })

    let other = try daemon.scriptor((0..<8).map { "FF B0 00 0\($0) 04" })
    for block in blocks {
      let spaced = stride(from: 0, to: 8, by: 2).map { offset in
        let start = block.index(block.startIndex, offsetBy: offset)
        return String(block[start..<block.index(start, offsetBy: 2)])
      }
      #expect(other.contains(spaced.joined(separator: " ") + " 90 00"), "\(other)")
    }

    field.remove(chip)
    usleep(1_000_000)
    let gone = try daemon.nfc("iso15693", "read", "0", "--timeout", "0.3")
    #expect(gone.status == 66, "\(gone.errors)")
    field.place(chip)
    let back = try daemon.nfc("iso15693", "read", "0")
    #expect(back.status == 0, "\(back.errors)")
  }

  /// 60 blocks of 4 bytes are what fits the 256 bytes of an answer with its objects. Before them goes
  /// an inventory, and the question for the size.
  @Test func readsAnST25DVInTheFewestExchanges() throws {
    let chip = VirtualTag.st25dv()
    let field = VirtualField()
    field.place(chip)
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let virtual = VirtualPCSCReader(field)
    let client = try VirtualPCSCClient(virtual, port: daemon.port)
    defer { client.close() }
    let content = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(try daemon.nfc("iso15693", "write", "4", content.hexadecimal).status == 0)
    // Counts from here.
    virtual.setFaults([])
    let read = try daemon.nfc("iso15693", "read", "0-1023")
    #expect(virtual.statistics.exchanges == 1 + 1 + (1024 + 59) / 60)
    #expect(read.status == 0, "\(read.errors)")
    let data = lines(read.output).compactMap { $0.split(separator: " ").last }.joined()
    #expect(data == Array(chip.memory.prefix(4096)).hexadecimal)
    #expect(Array(chip.memory[16..<4016]) == content)
  }

  /// Chips that differ in what they take: by their size of block, number of blocks and refusals.
  @Test(arguments: ["icode-slix", "icode-sli-s", "st25dv", "st25tv", "tag-it", "mb89r118"])
  func readsAndWritesEveryChip(_ name: String) throws {
    let chip = try VirtualTag.named(name)
    let blockSize = name == "mb89r118" ? 8 : 4
    let field = VirtualField()
    field.place(chip)
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let client = try VirtualPCSCClient(VirtualPCSCReader(field), port: daemon.port)
    defer { client.close() }
    let content = (0..<(3 * blockSize)).map { UInt8($0 + 0xA1) }
    let written = try daemon.nfc("iso15693", "write", "4", content.hexadecimal)
    #expect(written.status == 0, "\(written.errors)")
    let start = 4 * blockSize
    #expect(Array(chip.memory[start..<(start + content.count)]) == content)
    let read = try daemon.nfc("iso15693", "read", "4-6")
    let data = lines(read.output).compactMap { $0.split(separator: " ").last }.joined()
    #expect(data == content.hexadecimal, "\(read.errors)")
    #expect(try daemon.nfc("write", "uri", "https://example.com/", "--verify").status == 0)
    #expect(try daemon.nfc("read").output == "https://example.com/\n")
    #expect(try daemon.nfc("iso15693", "lock", "7", "--permanently").status == 0)
    #expect(
      try daemon.nfc("iso15693", "write", "7", content.prefix(blockSize).map(\.self).hexadecimal)
        .status == 77)
  }

  @Test func saysWhatIsNotThere() throws {
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let none = try daemon.nfc("poll", "--once", "--timeout", "0.3")
    #expect(none.status == 66, "\(none.errors)")
    daemon.stop()
    let gone = try daemon.nfc("poll", "--once", "--timeout", "0.3")
    #expect(gone.status == 69, "\(gone.errors)")
    #expect(gone.errors.contains("pcscd"))
  }

  /// Where no reader is named, a service that does not run is not one without readers.
  @Test func saysThatTheServiceDoesNotRun() async throws {
    let environment = [
      "PCSCLITE_CSOCK_NAME": "/nowhere/pcscd.comm", "LIBNFC_AUTO_SCAN": "false",
    ]
    for command in [["poll", "--once"], ["iso15693", "read", "0"]] {
      let result = try await Tool.run(command, environment: environment)
      #expect(result.status == 69)
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("start pcscd"), "\(result.errors)")
      #expect(result.errors.contains("--virtual demo"))
    }
  }
}
