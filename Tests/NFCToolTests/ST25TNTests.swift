import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Tests of ST25TN01K and ST25TN512, which are read according to ST's apps and Proxmark3.
@Suite struct ST25TNTests {
  /// An ST25TN, simulated in the memory of an NTAG216, which has enough pages. Commands that an ST25TN does
  /// not support are refused as unknown. Each bit of page 2Ch locks two pages from page 16 on, and is never cleared.
  private struct ST25TN: ForwardingChip {
    static let uid: [UInt8] = [0x02, 0x84, 0x00, 0x31, 0x52, 0x07, 0x19]
    static let signature: [UInt8] = Array(0x40..<0x60)
    private static let pageSize = 4
    private static let pageCount = 64
    private static let unknownCommand: UInt8 = 0x3F
    private static let write: UInt8 = 0xA2
    private static let commands: Set<UInt8> = [0x30, write, 0x50]
    private static let lockPage = 0x2C
    private static let lockedPages = 16...43

    var chip: NTAG21x

    init(code: UInt8, size: UInt8) {
      chip = NTAG21x(.ntag216, uid: Self.uid)
      var pages = chip.memory
      func set(_ page: Int, _ bytes: [UInt8]) {
        pages.replaceSubrange(
          page * Self.pageSize..<page * Self.pageSize + bytes.count, with: bytes)
      }
      set(3, [0xE1, 0x10, size, 0x00, 0x03, 0x00, 0xFE, 0x00])
      set(0x2D, [code, 0x90, 0x13, 0x05])
      set(0x2F, [0x11, 0x22, 0x33, 0x44])
      set(0x34, Self.signature)
      chip.memory = pages
    }

    var name: String { "st25tn" }
    var memory: [UInt8] {
      get { Array(chip.memory.prefix(Self.pageCount * Self.pageSize)) }
      set { chip.memory = newValue }
    }
    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      guard let command = frame.checkedPayload, let code = command.first else {
        return chip.receive(frame)
      }
      if code == Self.write, command.count == 2 + Self.pageSize {
        if isLocked(Int(command[1])) { return chip.receive(.typeA([Self.unknownCommand])) }
        if command[1] == Self.lockPage {
          let set = zip(chip.memory[(Self.lockPage * Self.pageSize)...], command.dropFirst(2))
          return chip.receive(.typeA(Array(command.prefix(2)) + set.map { $0 | $1 }))
        }
      }
      // HALT, selection and anticollision do not access the memory.
      let isOfMemory = ![0x50, 0x93, 0x95].contains(code)
      let isKnown = Self.commands.contains(code) && command.dropFirst().first ?? 0 < Self.pageCount
      return chip.receive(isOfMemory && !isKnown ? .typeA([Self.unknownCommand]) : frame)
    }

    private func isLocked(_ page: Int) -> Bool {
      guard Self.lockedPages.contains(page) else { return false }
      let bit = (page - Self.lockedPages.lowerBound) / 2
      return chip.memory[Self.lockPage * Self.pageSize + bit / 8] >> (bit % 8) & 1 == 1
    }
  }

  private static func with(
    code: UInt8, size: UInt8, _ body: (VirtualTag, String) async throws -> Void
  ) async throws {
    let tag = VirtualTag(ST25TN(code: code, size: size))
    let field = VirtualField()
    field.place(tag)
    let reader = try VirtualReader(field)
    defer { reader.close() }
    try await body(tag, reader.connectionString)
  }

  @Test(
    arguments: [
      (0x90, 0x14, "ST25TN01K", 160), (0x91, 0x08, "ST25TN512", 64),
    ] as [(UInt8, UInt8, String, Int)])
  func isNamedAndItsSignatureRead(
    _ code: UInt8, _ size: UInt8, _ name: String, _ bytes: Int
  ) async throws {
    try await Self.with(code: code, size: size) { _, reader in
      let info = try await Tool.run("info", "--json", "--reader", reader)
      #expect(info.status == 0, "\(info.errors)")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(info.output.utf8)) as? [String: Any])
      #expect(object["product"] as? String == name)
      #expect(object["maker"] as? String == "STMicroelectronics")
      #expect(object["memorySize"] as? Int == 256)
      #expect(
        (object["signature"] as? String)?.uppercased()
          == ST25TN.signature.map { String(format: "%02X", $0) }.joined())
      // The chip may be signed with a key that is not published.
      #expect(object["originality"] as? String == "unknown")
      let text = "x" + String(repeating: "y", count: bytes - 13)
      let write = try await Tool.run("write", "text", text, "--reader", reader)
      #expect(write.status == 0, "\(write.errors)")
      #expect(try await Tool.run("read", "--reader", reader).output.contains(text))
    }
  }

  /// Chips with unknown product codes or an invalid answer have no name.
  @Test(arguments: [0x92, 0x00] as [UInt8]) func othersAreNotNamed(_ code: UInt8) async throws {
    try await Self.with(code: code, size: 0x14) { _, reader in
      let poll = try await Tool.run("poll", "--once", "--reader", reader)
      #expect(poll.status == 0 && !poll.output.contains("ST25TN"))
    }
  }

  /// The dynamic lock bits are at the position that the standard specifies.
  @Test(.asking(.lockBits)) func isLocked() async throws {
    try await Self.with(code: 0x90, size: 0x14) { tag, reader in
      let lock = try await Tool.run("lock", "--permanently", "--reader", reader)
      #expect(lock.status == 0, "\(lock.errors)")
      let memory = tag.memory
      #expect(memory[10] & 0xF8 == 0xF8 && memory[11] == 0xFF)
      #expect(Array(memory[0x2C * 4..<0x2D * 4]) == [0xFF, 0x3F, 0x00, 0x00])
    }
  }

  /// A password in the keyhole page kills the chip, so these pages are never written.
  @Test func theKeyholeIsNotTouched() async throws {
    try await Self.with(code: 0x90, size: 0x14) { tag, reader in
      try await TemporaryDirectory.with { directory async throws in
        let file = directory.appending(path: "tag.bin")
        let dump = try await Tool.run("mifare", "dump", file.path, "--reader", reader)
        #expect(dump.status == 0, "\(dump.errors)")
        var image = [UInt8](try Data(contentsOf: file))
        #expect(image == tag.memory)
        for page in 0x2F...0x33 { image[page * 4] ^= 0xFF }
        image[5 * 4] = 0x77
        try Data(image).write(to: file)
        let restore = try await Tool.run(
          "mifare", "restore", file.path, "--include-configuration", "--include-locks",
          "--include-password", "--reader", reader)
        #expect(tag.memory[5 * 4] == 0x77, "\(restore.errors)")
        #expect(
          Array(tag.memory[0x2F * 4..<0x34 * 4]).filter { $0 != 0 } == [0x11, 0x22, 0x33, 0x44])
      }
    }
  }
}
