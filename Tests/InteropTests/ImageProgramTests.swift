import Foundation
import TagImages
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// Other people's programs that convert files of tags, with files of ours and back.
  @Suite struct ImageProgramTests {
    /// mfdtool 0.1.1 writes the two bytes of each pair the other way round (`struct.pack('H', …)` on a processor that
    /// has the least significant byte first).
    private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
      stride(from: 0, to: bytes.count - 1, by: 2).flatMap { [bytes[$0 + 1], bytes[$0]] }
    }

    private static func image(_ tag: VirtualTag) throws -> TagImage {
      var memory = tag.memory
      for index in 16..<48 { memory[index] = UInt8(truncatingIfNeeded: index * 7 + 1) }
      tag.memory = memory
      return try #require(tag.image)
    }

    private static let tags: [@Sendable () -> VirtualTag] = [{ .classic1K() }, { .classic4K() }]

    @Test(arguments: tags.indices) func readsFlipperFiles(_ index: Int) async throws {
      let image = try Self.image(Self.tags[index]())
      let bench = try InteropBench(.ntag213())
      try bench.write(try ImageFormat.flipper.encode(image).bytes, to: "card.nfc")
      let result = try await bench.installed(
        "mfdtool", ["from-flipper", "--output-dir", "out", "card.nfc"])
      result.expectSuccess()
      #expect(try bench.bytes(of: "out/card.mfd") == Self.swapped(image.memory.bytes))
    }

    /// What is unknown is known to be so.
    @Test func readsUnknownBytes() async throws {
      var image = try Self.image(.classic1K())
      image.memory.markUnknown(64..<128)
      let bench = try InteropBench(.ntag213())
      try bench.write(try ImageFormat.flipper.encode(image).bytes, to: "card.nfc")
      let result = try await bench.installed(
        "mfdtool", ["from-flipper", "--output-dir", "out", "card.nfc"])
      result.expectSuccess()
      #expect(result.errors.contains("missing data will be replaced by zeroes"))
      #expect(try bench.bytes(of: "out/card.mfd") == Self.swapped(image.memory.bytes))
    }

    @Test(arguments: tags.indices) func readsRawFilesAndWritesFlipper(_ index: Int) async throws {
      let image = try Self.image(Self.tags[index]())
      let bench = try InteropBench(.ntag213())
      try bench.write(try ImageFormat.binary.encode(image).bytes, to: "card.mfd")
      let result = try await bench.installed(
        "mfdtool", ["to-flipper", "--output-dir", "out", "card.mfd"])
      result.expectSuccess()
      let copy = try ImageFormat.flipper.decode(try bench.bytes(of: "out/card.nfc"))
      #expect(copy.kind == .classic)
      #expect(copy.uid == image.uid)
      #expect(copy.memory == image.memory)
      let keys = try await bench.installed("mfdtool", ["keys", "card.mfd"])
      keys.expectSuccess()
      keys.expectOutput("D3F7D3F7D3F7", "FFFFFFFFFFFF")
    }

    /// amiibo-converter takes the pages of any NTAG215, and ends with how many files it has made.
    @Test func readsFlipperFilesOfNTAG215() async throws {
      let image = try Self.image(.ntag215())
      let bench = try InteropBench(.ntag213())
      try bench.write(try ImageFormat.flipper.encode(image).bytes, to: "tag.nfc")
      let toBinary = try await bench.installed(
        "amiibo-converter", ["-m", "nfc2bin", "-i", "tag.nfc", "-o", "binary/"])
      #expect(toBinary.status == 1)
      #expect(try bench.bytes(of: "binary/tag.bin") == image.memory.bytes)
      let toFlipper = try await bench.installed(
        "amiibo-converter", ["-m", "bin2nfc", "-i", "binary/tag.bin", "-o", "flipper/"])
      #expect(toFlipper.status == 1)
      let copy = try ImageFormat.flipper.decode(try bench.bytes(of: "flipper/tag.nfc"))
      #expect(copy.uid == image.uid)
      #expect(copy.type2Chip?.name == "NTAG215")
      // It puts in the password that goes with the UID of such figures.
      #expect(copy.memory.bytes.prefix(532) == image.memory.bytes.prefix(532))
    }

    /// nfc-mfultralight writes a file of ours to a tag; what nfc-mfclassic writes is in ``MemoryProgramTests``.
    @Test func libnfcWritesRawFiles() async throws {
      let image = try Self.image(.ntag215())
      let tag = VirtualTag.ntag215()
      let bench = try InteropBench(tag)
      try bench.write(try ImageFormat.binary.encode(image).bytes, to: "tag.mfd")
      let result = try await bench.run(
        "nfc-mfultralight", ["w", bench.path("tag.mfd")], input: "n\nn\nn\nn\n")
      result.expectSuccess()
      #expect(Array(tag.memory[16..<520]) == Array(image.memory.bytes[16..<520]))
    }
  }
}

extension InteropBench {
  /// Runs a program that Scripts/install-dependencies installs beside nfcpy.
  fileprivate func installed(_ name: String, _ arguments: [String]) async throws -> FinishedProgram
  {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    let program = root.appending(path: ".build/python/bin/\(name)")
    try #require(
      FileManager.default.isExecutableFile(atPath: program.path),
      "\(name) is not installed; run Scripts/install-dependencies tests")
    return try await start(program, arguments, environment: ["PYTHONIOENCODING": "utf-8"]).result()
  }
}
