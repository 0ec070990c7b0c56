import Foundation
import NDEF
import TestSupport
import Testing
import VirtualNFC

/// Tests of chips that are known by name, but whose pages are unknown.
@Suite struct UnknownPagesTests {
  /// What the chip returns is saved; how it uses its pages is not guessed, and nothing is written.
  @Test(arguments: [
    ("NTAG213 TT", "0004040203000F03"), ("NTAG 223 DNA", "0004040204000F03"),
    ("NTAG NT2H1411", "0004040201011103"), ("this chip", "0005340201000F03"),
  ])
  func isDumpedAndNotRestored(_ product: String, _ version: String) async throws {
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
      #expect(dump.status == 0, "\(dump.errors)")
      #expect(dump.errors.contains("45 were read"), "\(dump.errors)")
      // Password and acknowledge read as zeros.
      #expect(
        [UInt8](try Data(contentsOf: URL(filePath: file))).prefix(43 * 4) == image.prefix(43 * 4))
      let same = try await Tool.run("diff", file, "-", "--reader", virtual.connectionString)
      #expect(same.status == 0, "\(same.output)\(same.errors)")
      try Data(repeating: 0x5A, count: image.count).write(to: URL(filePath: file))
      let restore = try await Tool.run(
        "mifare", "restore", file, "--reader", virtual.connectionString)
      #expect(restore.status == 66)
      #expect(restore.output == "")
      #expect(restore.errorLines.count == 1)
      #expect(restore.errors.contains("how the pages of \(product) are used is not known"))
      #expect(tag.memory == image)
    }
  }

  /// The sizes are those of Proxmark3 (`cmdhfmfu.c`). The link, which the chip itself would insert, is that of a real
  /// NTAG 223 DNA StatusDetect (`ntag22x_libsuncmac.py`).
  @Test(arguments: [
    ("NTAG 223 DNA", "0004040204000F03", 240),
    ("NTAG 223 DNA StatusDetect", "0004040804000F03", 240),
    ("NTAG 224 DNA", "0004040205001003", 304),
    ("NTAG 224 DNA StatusDetect", "0004040805001003", 304),
  ])
  func dnaChips(_ product: String, _ version: String, _ size: Int) async throws {
    let link = "http://www.foo.bar?uid=046910EA841390x000000xCO00000000x146F1F74FFB89569"
    let field = VirtualField()
    field.place(
      VirtualTag(
        FalseVersionChip(
          try NTAG21x(.ntag213, ndef: NDEFMessage(.uri(link))),
          version: try #require([UInt8](hexadecimal: version)))))
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let info = try await Tool.run("info", "--json", "--reader", virtual.connectionString)
    #expect(info.status == 0)
    #expect(info.output.contains(#""product":"\#(product)""#))
    #expect(info.output.contains(#""memorySize":\#(size)"#))
    let read = try await Tool.run("read", "--json", "--reader", virtual.connectionString)
    let uri = try #require(read.output.firstMatch(of: /"uri":"(http[^"]*)"/)?.1)
    let verified = try await Tool.run(
      "sun", "verify", String(uri), "--key", "00000000000000000000000000000000")
    #expect(verified.status == 0 && verified.output.contains("right, SUNCMAC"))
  }
}
