import Foundation
import Testing
import VirtualNFC

/// Tests of the sectors that a smart card has in addition to its applications.
@Suite struct SmartMXCommandTests {
  @Test func sectorsAreReadWrittenAndSaved() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.mfd").path
      try await Tool.with("blank-smartmx-1k") { nfc async throws in
        let write = try await nfc([
          "mifare", "send", "60 04 FFFFFFFFFFFF", "A0 04 000102030405060708090A0B0C0D0E0F",
        ])
        #expect(write.lines == ["0A", "0A"])
        let read = try await nfc(["mifare", "read", "1"])
        #expect(read.lines.first?.hasPrefix("4") == true)
        #expect(read.output.contains("00 01 02 03") || read.output.contains("00010203"))
        #expect(try await nfc(["dump", file]).status == 0)
        #expect(try await nfc(["mifare", "restore", file]).status == 0)
        // The applications have not changed.
        #expect(try await nfc(["apdu", "00A4040007D276000085010100"]).output.hasSuffix("9000\n"))
        #expect(try await nfc(["write", "text", "a"]).status == 0)
      }
      #expect(try Data(contentsOf: URL(filePath: file)).count == 1024)
    }
  }
}

/// Tests of `nfc mifare read`, `dump` and `restore`.
@Suite struct MemoryCommandTests {
  typealias Case = FeliCaCommandTests.Case

  @Test(arguments: [
    Case(
      "mifare read 0 --virtual classic-1k",
      """
      0  6F21D40A90080400C818002000000018
      1  140103E103E103E103E103E103E103E1
      2  03E103E103E103E103E103E103E103E1
      3  000000000000787788C1000000000000

      """),
    Case(
      "mifare read 0 --json --virtual ntag213",
      """
      {"page":0,"data":"04E10C61"}
      {"page":1,"data":"DA993C80"}
      {"page":2,"data":"FF480000"}
      {"page":3,"data":"E1101200"}

      """),
    // This chip has 45 pages.
    Case("mifare read 11 --virtual ntag213", "44  00000000\n"),
    Case("mifare read 12 --virtual ntag213", "", 64, errors: ["sectors 0 to 11"]),
    Case("mifare read 16 --virtual classic-1k", "", 64, errors: ["sectors 0 to 15"]),
    Case("mifare read 0 --virtual suica", "", 66, errors: ["FeliCa"]),
    Case("mifare read 0 --virtual desfire", "", 66, errors: ["DESFire"]),
    Case(
      "mifare read 1 --no-default-keys --key 010203040506 --virtual classic-1k", "", 77,
      errors: ["sector 1", "6F21D40A"]),
    Case("mifare read 1 --key 0102030405 --virtual classic-1k", "", 64, errors: ["not 5"]),
    Case("mifare read 1 --key 01020304 --virtual classic-1k", "", 64, errors: ["6 bytes"]),
    Case("mifare read 1 --key 010203040506 --virtual ntag215", "", 64, errors: ["4 bytes"]),
    Case("mifare read 1 --key 01020304 --virtual ntag215", "", 77, errors: ["04DB0BDA993C80"]),
    Case("mifare read 1 --key secret --virtual ntag215", "", 64, errors: ["--key"]),
    // This is the key on delivery (MF0ICU2 data sheet, 7.5.5).
    Case(
      "mifare read 1 --key 49454D4B41455242214E4143554F5946 --virtual ultralight-c",
      "4  0103A010\n5  440300FE\n6  00000000\n7  00000000\n"),
  ])
  func reads(_ test: Case) async throws {
    let result = try await Tool.run(test.arguments)
    if let output = test.output { #expect(result.output == output) }
    #expect(result.status == test.status)
    if test.status == 0 { #expect(result.errors == "") }
    for text in test.errors { #expect(result.errors.contains(text)) }
    for key in ["010203040506", "01020304", "secret"] { #expect(!result.errors.contains(key)) }
  }

  @Test(arguments: [
    ("classic-1k", 1024), ("classic-4k", 4096), ("blank-classic-mini", 320), ("ntag216", 924),
    ("ntag203", 168), ("ultralight", 64), ("ultralight-ev1", 80),
  ])
  func aDumpIsTheMemory(_ name: String, _ size: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.bin").path
      let result = try await Tool.run("mifare", "dump", file, "--virtual", name)
      #expect(result.status == 0)
      #expect(result.output == "")
      #expect(result.errors == "")
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
      #expect(bytes.count == size)
      // The password of an NTAG cannot be read, and is replaced by zeros in a dump.
      let comparable = name == "ntag216" || name == "ultralight-ev1" ? size - 8 : size
      #expect(
        Array(bytes.prefix(comparable))
          == Array(try VirtualTag.named(name).memory.prefix(comparable)))
      // A dump can be used as a tag.
      let again = directory.appending(path: "again.eml").path
      #expect(try await Tool.run("mifare", "dump", again, "--virtual", file).status == 0)
      let text = try String(contentsOfFile: again, encoding: .utf8)
      let unit = name.contains("classic") ? 16 : 4
      #expect(text.split(separator: "\n").allSatisfy { $0.count == 2 * unit })
      #expect([UInt8](hexadecimal: text) == bytes)
    }
  }

  @Test func aSectorThatNoKeyOpensIsNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.mfd").path
      try await Tool.with("blank-classic-1k") { nfc async throws in
        // Sector 3 gets other keys.
        let trailer = "A0B0B1B2B3B4B5FF078069C0C1C2C3C4C5"
        let command = trailer.prefix(2) + "0F" + trailer.dropFirst(2)
        #expect(
          try await nfc(["mifare", "send", "600FFFFFFFFFFFFF", String(command)]).status == 0)
        let refused = try await nfc(["mifare", "dump", file])
        #expect(refused.status == 77)
        #expect(refused.errorLines.count == 1)
        #expect(refused.errors.contains("sector 3"))
        #expect(!FileManager.default.fileExists(atPath: file))

        let partial = try await nfc(["mifare", "dump", file, "--partial"])
        #expect(partial.status == 0)
        #expect(partial.errors.contains("sector 3"))
        let zeros = [UInt8](repeating: 0, count: 64)
        #expect([UInt8](try Data(contentsOf: URL(filePath: file))[192..<256]) == zeros)
        let restore = try await nfc(["mifare", "restore", file])
        #expect(restore.status == 77)
        #expect(restore.errors.contains("sector 3"))
        #expect(restore.errorLines.count == 1)

        // The zeros are not written either if the sector can be opened.
        #expect(
          try await nfc([
            "mifare", "send", "600FB0B1B2B3B4B5", "A00C" + String(repeating: "5A", count: 16),
          ]).status == 0)
        let opened = ["--key", "FFFFFFFFFFFF", "--key", "B0B1B2B3B4B5"]
        #expect(try await nfc(["mifare", "restore", file] + opened).status == 77)
        #expect(
          try await nfc(["mifare", "read", "3", "--key", "B0B1B2B3B4B5"]).output.contains("5A5A"))

        let keys = ["--key", "B0B1B2B3B4B5", "--key", "FFFFFFFFFFFF"]
        #expect(try await nfc(["mifare", "dump", file, "--force"] + keys).status == 0)
        #expect(
          [UInt8](try Data(contentsOf: URL(filePath: file))[240..<246])
            == [0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5])
        // The dump contains the keys of the card.
        #expect(try await nfc(["mifare", "restore", file]).status == 0)
      }
    }
  }

  @Test func restoringAClassic() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.mfd").path
      var image = try VirtualTag.named("classic-1k").memory
      image[0] ^= 0xFF
      image[4] ^= 0xFF
      try Data(image).write(to: URL(filePath: file))
      try await Tool.with("blank-classic-1k") { nfc async throws in
        let plan = try await nfc(["mifare", "restore", file, "--plan"])
        // The plan lists blocks 1, 2 and 4, the trailers, and the omissions.
        #expect(plan.lines.count == 20)
        let zeros = String(repeating: "0", count: 32)
        #expect(plan.lines.first == "block 1: \(zeros) → 140103E103E103E103E103E103E103E1")
        #expect(plan.lines.contains { $0.hasPrefix("sector 0: ") && $0.contains("block 0") })
        // Keys are not printed. The plan shows only that they change.
        #expect(
          plan.lines.contains(
            "block 3: ************FF078069************ → ############787788C1************"))
        let report = try await nfc(["mifare", "restore", file, "--json"])
        #expect(report.status == 0)
        #expect(report.errors == "")
        #expect(report.lines.dropFirst().first == #"{"sector":1,"written":[4,7]}"#)
        let again = try await nfc(["mifare", "restore", file])
        #expect(again.output == "")
        #expect(again.errors == "")
        #expect(again.status == 0)
        #expect(try await nfc(["read", "--json"]).output.contains(#""status":"readWrite""#))
        // A genuine card refuses block 0, even on request.
        let block0 = try await nfc(["mifare", "restore", file, "--include-block-0"])
        #expect(block0.status == 77)
        #expect(block0.errors.contains("block 0"))
        #expect(block0.errorLines.count == 1)
      }
    }
  }

  /// A card that accepts block 0 would answer with it, and never be found again.
  @Test(
    arguments: [
      [4: 0x00], [5: 0x0C], [5: 0x20], [5: 0x18], [6: 0x44], [6: 0x00],
      Dictionary(uniqueKeysWithValues: (0..<16).map { ($0, 0x00) }),
    ] as [[Int: UInt8]])
  func aBlock0ThatNoReaderWouldFindIsRefused(_ bytes: [Int: UInt8]) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.mfd").path
      var image = try VirtualTag.named("blank-classic-1k").memory
      image[20] = 0x5A
      for (index, byte) in bytes { image[index] = byte }
      try Data(image).write(to: URL(filePath: file))
      try await Tool.with("blank-classic-1k") { nfc async throws in
        for options in [["--plan"], []] {
          let result = try await nfc(["restore", file, "--include-block-0"] + options)
          #expect(result.status == 65)
          #expect(result.errors.contains("no reader would find the card again"), "\(result.errors)")
        }
        #expect(try await nfc(["diff", "-", file]).output.contains("block 1: "))
        #expect(try await nfc(["restore", file]).status == 0)
      }
    }
  }

  @Test(.asking(.lockBits)) func restoringAnNTAG() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.eml").path
      try await Tool.with("ntag213") { nfc async throws in
        #expect(try await nfc(["write", "uri", "https://swift.org"]).status == 0)
        let before = try await nfc(["read", "--json"])
        #expect(try await nfc(["mifare", "dump", file]).status == 0)
        #expect(try await nfc(["erase"]).status == 0)
        #expect(try await nfc(["mifare", "restore", file]).status == 0)
        #expect(try await nfc(["read", "--json"]).output == before.output)

        // A lock bit in the file is omitted by default, and is written on request.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("FF480000", with: "FF481000").write(
          toFile: file, atomically: true, encoding: .utf8)
        let unasked = try await nfc(["mifare", "restore", file])
        #expect(unasked.status == 0)
        #expect(unasked.errors.contains("left out page 2: "))
        #expect(try await nfc(["mifare", "read", "0"]).output.contains("2  FF480000"))
        #expect(try await nfc(["mifare", "restore", file, "--include-locks"]).status == 0)
        #expect(try await nfc(["mifare", "read", "0"]).output.contains("2  FF481000"))
        // Page 4 is locked now.
        try text.replacing("\n0103A00C", with: "\n0003A00C").write(
          toFile: file, atomically: true, encoding: .utf8)
        let locked = try await nfc(["mifare", "restore", file])
        #expect(locked.status == 77)
        #expect(locked.errors.contains("page 4"))
        #expect(locked.errorLines.count == 1)
      }
    }
  }

  @Test(arguments: [("ntag213", 924, 65), ("classic-1k", 320, 65), ("ntag-i2c-1k", 924, 65)])
  func aDumpOfAnotherTag(_ name: String, _ size: Int, _ status: Int32) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.bin").path
      try Data(repeating: 0x80, count: size).write(to: URL(filePath: file))
      let result = try await Tool.run("mifare", "restore", file, "--virtual", name)
      #expect(result.status == status)
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      let gone = try await Tool.run("mifare", "restore", file + ".gone.bin", "--virtual", name)
      #expect(gone.status == 66)
    }
  }

  /// PWD, PACK, PROT and AUTH0 of an NTAG213 (NTAG21x data sheet, 8.5.7): from page 16 on, the password is
  /// required for reading and writing.
  @Test func aProtectedNTAG() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.bin").path
      let key = ["--key", "AABBCCDD"]
      try await Tool.with("ntag213") { nfc async throws in
        let protect = ["A22BAABBCCDD", "A22C11220000", "A22A80000000", "A22904000010"]
        #expect(try await nfc(["mifare", "send"] + protect).status == 0)
        for (arguments, text) in [
          (["dump", file], "16"), (["dump", file, "--key", "00000001"], "password"),
          (["read", "5"], "sector 5"),
        ] {
          let refused = try await nfc(["mifare"] + arguments)
          #expect(refused.status == 77)
          #expect(refused.output == "")
          #expect(refused.errorLines.count == 1)
          #expect(refused.errors.contains(text))
          #expect(!refused.errors.contains("00000001"))
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try await nfc(["mifare", "dump", file] + key).status == 0)
        #expect(try await nfc(["mifare", "read", "5"] + key).lines.count == 4)
        #expect(try await nfc(["mifare", "restore", file] + key).status == 0)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        try Data(bytes.prefix(80) + [1] + bytes.dropFirst(81)).write(to: URL(filePath: file))
        let unopened = try await nfc(["mifare", "restore", file])
        #expect(unopened.status == 77)
        #expect(unopened.errors.contains("pages 16-39: the tag has refused it"))
        #expect(unopened.errorLines.count == 1)
        #expect(try await nfc(["mifare", "restore", file] + key).errors == "")
        #expect(try await nfc(["mifare", "read", "5"] + key).lines.first == "20  01000000")
      }
    }
  }

  /// AUTHLIM is 1 (NTAG21x data sheet, 8.8.2): after the second wrong password, the tag accepts no password.
  @Test(.asking(.lockout)) func aPasswordThatIsLockedOut() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      let protect = ["A22BAABBCCDD", "A22C11220000", "A22A81000000", "A22904000010"]
      #expect(try await nfc(["mifare", "send"] + protect).status == 0)
      var reasons: [String] = []
      for key in ["00000001", "00000002", "00000003", "AABBCCDD"] {
        let result = try await nfc(["mifare", "read", "5", "--key", key])
        #expect(result.status == 77)
        #expect(result.output == "")
        #expect(result.errorLines.count == 1)
        #expect(!result.errors.contains(key))
        reasons.append(result.errors)
      }
      #expect(reasons[0].contains("the password is wrong"))
      #expect(reasons[3].contains("no longer accepts a password"))
      #expect(try await nfc(["mifare", "read", "1"]).status == 0)
    }
  }

  static let programs = ["/usr/bin/nfc-mfclassic", "/usr/bin/nfc-mfultralight"]

  /// libnfc's own programs can read the restored content.
  @Test func otherProgramsReadWhatWasRestored() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let image = directory.appending(path: "image.mfd").path
      let copy = directory.appending(path: "copy").path
      for (source, target, program, arguments) in [
        ("classic-1k", "blank-classic-1k", Self.programs[0], ["r", "a", "u", copy, image, "f"]),
        ("ntag215", "ntag215", Self.programs[1], ["r", copy]),
      ] {
        #expect(
          try await Tool.run("mifare", "dump", image, "--force", "--virtual", source).status == 0)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
        for index in 0..<16 { bytes[80 + index] = UInt8(index) }
        try Data(bytes).write(to: URL(filePath: image))
        let virtual = try RunningTool(["virtual", target])
        let reader = try #require(try await virtual.waitForLines(1).first)
        #expect(
          try await Tool.run("mifare", "restore", image, "--reader", reader).status == 0)
        let other = try RunningTool(
          arguments, environment: ["LIBNFC_DEVICE": reader], program: program)
        #expect(try await other.end().status == 0)
        #expect([UInt8](try Data(contentsOf: URL(filePath: copy))) == bytes)
        virtual.interrupt()
        _ = try await virtual.end()
      }
    }
  }
}
