import Foundation
import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// Tests of passwords and keys that a command is given: each is used, or refused.
@Suite struct GivenSecretTests {
  private static let password: [UInt8] = [0x11, 0x22, 0x33, 0x44]

  @Test(arguments: [
    ("dump FILE --password 12345678 --virtual icode-slix2", 77, "password is wrong"),
    ("dump FILE --password 1234567812345678 --virtual st25dv", 77, "password"),
    ("diff FILE - --password 12345678 --virtual icode-slix2", 77, "password is wrong"),
    ("restore FILE --password 12345678 --virtual icode-slix2", 77, "password is wrong"),
    ("dump FILE --password 12345678 --virtual suica", 64, "leave --password"),
    ("dump FILE --password 12345678 --virtual classic-1k", 64, "leave --password"),
    ("dump FILE --password 12345678 --virtual topaz96", 64, "leave --password"),
    ("copy --password 12345678 --virtual icode-slix2 --virtual icode-slix2", 77, "is wrong"),
    ("dump FILE --key 11223344 --virtual icode-slix2", 64, "leave --key out"),
    ("dump FILE --key 112233445566 --virtual desfire", 64, "leave --key out"),
    ("info --key 11223344 --virtual suica", 64, "leave --key out"),
    ("dump FILE --keys nowhere --virtual ntag213", 66, "nowhere"),
    ("info --keys nowhere --virtual suica", 66, "nowhere"),
    ("diff FILE FILE --uid 04", 64, "--uid"), ("diff FILE FILE --keys x", 64, "--keys"),
    ("sun setup https://a.example/?u={uid}&n={counter}&c={mac} --picc-key 3", 64, "{picc}"),
    ("sun setup https://a.example/?p={picc}&c={mac} --file-data x", 64, "{enc}"),
    ("sun setup https://a.example/?p={picc}&c={mac} --key-version 2", 64, "--new-key"),
    ("desfire create-file --app F00001 --file 1 --size 3 --records 4", 64, "linear, cyclic"),
    ("desfire create-file --app F00001 --file 1 --type value --size 3", 64, "standard, backup"),
    ("desfire create-file --app F00001 --file 1 --size 3 --upper 9", 64, "--type value"),
    ("desfire create-file --app F00001 --file 1 --size 3 --free-value", 64, "--type value"),
  ])
  func isUsedOrRefused(_ line: String, _ status: Int32, _ text: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "image.json")
      if !line.hasPrefix("dump") {
        #expect(
          try await Tool.run("dump", file.path, "--virtual", "icode-slix2").status == 0)
      }
      let result = try await Tool.run(
        line.split(separator: " ").map { String($0).replacing("FILE", with: file.path) })
      #expect(result.status == status, "\(result.errors)")
      #expect(result.output == "")
      #expect(result.errors.contains(text), "\(result.errors)")
      #expect(!line.hasPrefix("dump") || !FileManager.default.fileExists(atPath: file.path))
    }
  }

  /// A file of keys may be for other tags.
  @Test func aFileOfKeysIsForSeveralTags() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let keys = directory.appending(path: "keys").path
      try Data("A0B1C2D3E4F5\n".utf8).write(to: URL(filePath: keys))
      let file = directory.appending(path: "dump.bin").path
      for tag in ["suica", "ntag213", "icode-slix2", "classic-1k"] {
        let result = try await Tool.run("info", "--keys", keys, "--virtual", tag)
        #expect(result.status == 0, "\(result.errors)")
      }
      #expect(try await Tool.run("dump", file, "--keys", keys, "--virtual", "ntag213").status == 0)
    }
  }

  /// A label that requires its password for reading is saved, and one that requires it for writing is restored.
  @Test(arguments: [true, false]) func opensALabel(_ read: Bool) async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let tag = try await bench.tag()
    try await tag.writeBlocks(at: 30, [1, 2, 3, 4])
    let image = try await MemoryTag.vicinity(tag).read(TagKeys(), password: nil).image
    try await tag.writeBlocks(at: 30, [9, 9, 9, 9])
    let protection = TagProtection(password: SecretKey(Self.password), protectsReading: read)
    try await DetectedTag.iso15693(tag).protect(protection, accepting: [.forgetsPassword])

    let closed = MemoryTag.vicinity(try await bench.again())
    let content = try? await closed.read(TagKeys(), password: nil)
    #expect((content?.missing != nil || content == nil) == read)
    let opened = try await MemoryTag.vicinity(bench.again())
      .read(TagKeys(), password: Self.password, .everything)
    #expect(opened.missing == nil)
    #expect(opened.image.memory.known(120..<124) == [9, 9, 9, 9])

    let again = MemoryTag.vicinity(try await bench.again())
    let (restoration, _) = try await again.restoration(of: image, password: Self.password)
    let report = try await restoration.run()
    #expect(report.flatMap(\.omissions).isEmpty)
    let after = try await MemoryTag.vicinity(bench.again())
      .read(TagKeys(), password: Self.password)
    #expect(after.image.memory.known(120..<124) == [1, 2, 3, 4])
  }

  /// A file of a smart card that needs a password is saved as a message only.
  @Test func aFileWithAPasswordNamesTheOtherCommand() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.json").path
      let password = String(repeating: "1A", count: 16)
      try await Tool.with("st25ta") { nfc async throws in
        #expect(try await nfc(["protect", "--read", "--password", password]).status == 0)
        let wrong = try await nfc(["dump", file, "--password", String(repeating: "99", count: 16)])
        #expect(wrong.status == 77 && wrong.errors.contains("attempts"), "\(wrong.errors)")
        let dump = try await nfc(["dump", file, "--password", password])
        #expect(dump.status == 77)
        #expect(dump.errors.contains("nfc read --raw"), "\(dump.errors)")
        #expect(try await nfc(["read", "--raw", file, "--password", password]).status == 0)
      }
    }
  }
}
