import Foundation
import NFC
import Testing
import VirtualNFC

/// A tag that an app on a phone stands for.
@Suite struct AppAsTagTests {
  /// Answers like `NdefHostApduService` of TechBooster's C85-Android-4.4-Sample: 9000 to the commands that Android's
  /// own NFC stack sends, and 6A82 to everything else.
  private struct App: VirtualApplet {
    let aid: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
    let file: [UInt8]
    private var isContainer = true

    private static let container: [UInt8] = [
      0x00, 0x0F, 0x20, 0x00, 0x3B, 0x00, 0x34, 0x04, 0x06, 0xE1, 0x04, 0x00, 0x32, 0x00, 0xFF,
    ]

    init(_ message: [UInt8]) { file = [0x00, UInt8(message.count)] + message }

    mutating func process(_ apdu: [UInt8]) -> [UInt8] {
      switch apdu {
      case [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03]: isContainer = true
      case [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04]: isContainer = false
      case [0x00, 0xB0, 0x00, 0x00, 0x0F] where isContainer: return Self.container + [0x90, 0x00]
      case _ where apdu.starts(with: [0x00, 0xB0]) && apdu.count == 5 && !isContainer:
        let (offset, count) = (Int(apdu[2]) << 8 | Int(apdu[3]), Int(apdu[4]))
        guard offset + count <= file.count else { return [0x6A, 0x82] }
        return file[offset..<(offset + count)] + [0x90, 0x00]
      default: return [0x6A, 0x82]
      }
      return [0x90, 0x00]
    }

    var card: VirtualTag {
      VirtualTag(ISO7816Card(name: "app", uid: [0x08, 0x31, 0x22, 0x73], applets: [self]))
    }
  }

  private static let message = NDEFMessage(records: [.uri("https://example.com")])

  @Test func isReadAndSaved() async throws {
    let app = App(Self.message.encoded())
    try await Tool.with([app.card]) { nfc in
      let read = try await nfc(["read"])
      #expect(read.output == "https://example.com\n")
      #expect(read.status == 0)
      let info = try await nfc(["info"])
      #expect(info.output.contains("read only"))
      try await TemporaryDirectory.with { directory in
        let file = directory.appending(path: "app.nfc").path
        // The app has fewer bytes than its container says, and all of them are saved.
        let dumped = try await nfc(["dump", file])
        #expect(dumped.status == 0, "\(dumped.errors)")
        let copy = try await Tool.run("read", "--virtual", file)
        #expect(copy.output == "https://example.com\n")
      }
    }
  }

  @Test func isNotWritten() async throws {
    let app = App(Self.message.encoded())
    try await Tool.with([app.card]) { nfc in
      let written = try await nfc(["write", "text", "a"])
      #expect(written.status == 77)
      #expect(written.errorLines.count == 1)
    }
  }
}
