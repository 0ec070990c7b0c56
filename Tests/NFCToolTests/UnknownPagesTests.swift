import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Tests of chips that are known by name, but whose pages are unknown.
@Suite struct UnknownPagesTests {
  /// The pages are not guessed: no file is created, and nothing is written.
  @Test(arguments: [
    ("NTAG213 TT", "0004040203000F03"), ("NTAG 223 DNA", "0004040204000F03"),
    ("NTAG NT2H1411", "0004040201011103"),
  ])
  func isNeitherDumpedNorRestored(_ product: String, _ version: String) async throws {
    let tag = VirtualTag(
      FalseVersionChip(
        NTAG21x(.ntag213), version: try #require([UInt8](hexadecimal: version))))
    let image = tag.memory
    let field = VirtualField()
    field.place(tag)
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "dump.bin").path
      let dump = try await Tool.run(
        "mifare", "dump", file, "--reader", virtual.connectionString)
      #expect(!FileManager.default.fileExists(atPath: file))
      try Data(repeating: 0x5A, count: image.count).write(to: URL(filePath: file))
      let restore = try await Tool.run(
        "mifare", "restore", file, "--reader", virtual.connectionString)
      for result in [dump, restore] {
        #expect(result.status == 66)
        #expect(result.output == "")
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains("how the pages of \(product) are used is not known"))
      }
      #expect(tag.memory == image)
    }
  }
}
