import Foundation
import TestSupport
import Testing

/// Tests of the files of `--record`, `--pcap` and `--trace`.
@Suite struct RecordingFileTests {
  /// A recording would replace a file that the same command reads or writes. Links are the same file.
  @Test func theFileIsNotAnotherOne() async throws {
    try await TemporaryDirectory.with { directory async throws in
      func path(_ name: String) -> String { directory.appending(path: name).path }
      let image = path("tag.nfc")
      #expect(try await Tool.run("dump", image, "--virtual", "ntag213").status == 0)
      let content = try Data(contentsOf: URL(filePath: image))
      try FileManager.default.createSymbolicLink(
        atPath: path("link"), withDestinationPath: image)
      let lines: [[String]] = [
        ["dump", image, "--virtual", "ntag213", "--record", image],
        ["dump", image, "--virtual", "ntag213", "--record=\(path("link"))"],
        ["restore", image, "--virtual", "ntag213", "--pcap", image],
        ["read", "--virtual", image, "--record", path("link")],
        ["read", "--virtual=\(image)", "--record", image],
        ["--record", image, "read", "--raw", image, "--virtual", "ntag213"],
        ["info", "--keys", image, "--virtual", "ntag213", "--record", image],
        ["read", "--replay", image, "--pcap", path("link")],
        ["virtual", image, "--trace", image],
        ["read", "--virtual", "ntag213", "--record", image, "--pcap", path("link")],
      ]
      for line in lines {
        let result = try await Tool.run(line)
        #expect(result.status == 64, "\(line)")
        #expect(result.errors.contains("is named twice"), "\(line): \(result.errors)")
        #expect(result.output == "")
        #expect(try Data(contentsOf: URL(filePath: image)) == content, "\(line)")
      }
      let own = ["--record", path("a.jsonl"), "--pcap", path("a.pcapng")]
      #expect(try await Tool.run(["read", "--virtual", image] + own).status == 0)
    }
  }

  /// A command that finds no reader replaces no file, and leaves no empty one.
  @Test func withoutAReaderTheFileStaysAsItWas() async throws {
    try await TemporaryDirectory.with { directory async throws in
      for option in ["--record", "--pcap"] {
        let old = directory.appending(path: "old")
        let new = directory.appending(path: "new")
        try Data("session".utf8).write(to: old)
        for file in [old, new] {
          let result = try await Tool.run(
            "read", "--reader", "pn532_uart:/dev/nowhere", "--force", option, file.path)
          #expect(result.status == 69)
        }
        #expect(try Data(contentsOf: old) == Data("session".utf8))
        #expect(!FileManager.default.fileExists(atPath: new.path))
        #expect(
          try await Tool.run("read", "--virtual", "ntag213", "--force", option, old.path).status
            == 0)
        #expect(try Data(contentsOf: old).starts(with: Data("session".utf8)) == false)
      }
    }
  }
}
