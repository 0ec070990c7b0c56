import TagImages
import Testing
import VirtualNFC

/// Files of Type 4 tags and other smart cards.
@Suite struct SmartCardFileTests {
  private static let identity = """
    Filetype: Flipper NFC device
    Version: 4
    # Device type can be ISO14443-3A, ISO14443-3B, ISO14443-4A, Type 4 Tag
    Device type: Type 4 Tag
    # UID is common for all formats
    UID: 04 27 4B 52 1A 6E 80
    # ISO14443-3A specific data
    ATQA: 00 44
    SAK: 20
    # ISO14443-4A specific data
    T0: 78
    TA(1): 80
    TB(1): 70
    TC(1): 02
    # Type 4 Tag specific data

    """

  /// Returns a file as Flipper Zero's firmware writes it: 16 bytes per line, each with the same key.
  private static func flipper(_ message: [UInt8], size: Int? = nil) -> String {
    let lines = stride(from: 0, to: message.count, by: 16).map {
      "NDEF Data: " + Dialects.hexadecimal(Array(message[$0..<min($0 + 16, message.count)])) + "\n"
    }
    return identity + "NDEF Data Size: \(size ?? message.count)\n" + lines.joined()
  }

  private static let message: [UInt8] =
    [0xD1, 0x01, 0x16, 0x55, 0x04] + Array("example.com/with/path".utf8)

  @Test(arguments: [message, [], Array(message.prefix(16))])
  func readsAMessage(_ message: [UInt8]) throws {
    let image = try ImageFormat.flipper.decode(Array(Self.flipper(message).utf8))
    #expect(image.kind == .smartCard)
    #expect(image.uid == [0x04, 0x27, 0x4B, 0x52, 0x1A, 0x6E, 0x80])
    #expect(image.ats == [0x05, 0x78, 0x80, 0x70, 0x02])
    #expect(image.smartCard?.ndefFile?.message == message)
    // Values that the file does not contain are not invented.
    #expect(image.smartCard?.applications.first?.files.count == 1)
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(String(decoding: again.bytes, as: UTF8.self).contains("Device type: Type 4 Tag\n"))
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
    let tag = try VirtualTag.image(image)
    #expect(tag.image?.smartCard?.ndefFile?.message == message)
  }

  @Test(arguments: [
    (flipper([1, 2, 3], size: 4), 17, "3 bytes, not 4"),
    (flipper([1, 2, 3], size: 65_536), 16, "not a number from 0 to 65535"),
    (flipper([1, 2, 3], size: 2), 17, "3 bytes, not 2"),
    (identity, 15, "without \"NDEF Data Size\""),
    (identity + "Application Count: 1\nApplication 0 AID: D2 76\n", 17, "5 to 16 bytes"),
    (
      identity + "Application Count: 1\nApplication 0 AID:\nApplication 0 File IDs: 2F 00 01\n", 18,
      "two bytes each"
    ),
    (identity + "Application Count: 257\n", 16, "not a number from 0 to 256"),
    (
      identity + "Application Count: 1\nApplication 0 AID:\nApplication 0 File IDs: 2F 00\n"
        + "Application 0 File 2F00: 0x\n", 19, "not hexadecimal"
    ),
  ])
  func refusesWhatIsMalformed(_ text: String, _ line: Int, _ reason: String) {
    let error = #expect(throws: ImageError.self) {
      try ImageFormat.flipper.decode(Array(text.utf8))
    }
    #expect(error?.code == .malformed)
    #expect(error?.place == .line(line))
    #expect(error?.reason.contains(reason) == true)
  }

  /// A file that was not read remains unknown, and is not a difference.
  @Test func keepsUnreadFilesApart() throws {
    let image = try #require(try VirtualTag.named("ntag424").image)
    let files = try #require(image.smartCard?.applications.first?.files)
    #expect(files.map(\.identifier) == [0xE103, 0xE104, 0xE105])
    #expect(files.map { $0.data == nil } == [false, false, true])
    let encoding = try ImageFormat.flipper.encode(image)
    #expect(encoding.losses == [])
    #expect(try ImageFormat.flipper.decode(encoding.bytes) == image)
    var known = image
    known.smartCard?.applications[0].files[2].data = [0x00, 0x7E]
    let comparison = image.comparison(with: known)
    #expect(comparison.isEqual)
    #expect(comparison.incomparableFiles == ["application D2760000850101 file E105"])
    known.smartCard?.applications[0].files[1].data = [0x00, 0x00]
    #expect(!image.comparison(with: known).isEqual)
  }

  /// The lines of the message repeat a file. If they were changed, the file counts, and that is reported.
  @Test func theMessageIsNotLost() throws {
    let image = try #require(try VirtualTag.named("type4").image)
    let text = String(decoding: try ImageFormat.flipper.encode(image).bytes, as: UTF8.self)
    #expect(text.contains("NDEF Data Size: 0\n"))
    #expect(try ImageFormat.flipper.decoding(Array(text.utf8)).losses == [])
    let flipper = try ImageFormat.flipper.decoding(Array(Self.flipper(Self.message).utf8))
    #expect(flipper.losses == [])
    let written = String(
      decoding: try ImageFormat.flipper.encode(flipper.image).bytes, as: UTF8.self)
    #expect(try ImageFormat.flipper.decoding(Array(written.utf8)).losses == [])
    let changed = written.replacing("NDEF Data: D1", with: "NDEF Data: D2")
    let decoding = try ImageFormat.flipper.decoding(Array(changed.utf8))
    #expect(decoding.losses == ["NDEF Data"])
    #expect(decoding.image == flipper.image)
  }

  /// Type B, and files outside applications.
  @Test(arguments: ["type4b", "emrtd"]) func savesOthers(_ name: String) throws {
    let image = try #require(try VirtualTag.named(name).image)
    let text = String(decoding: try ImageFormat.flipper.encode(image).bytes, as: UTF8.self)
    #expect(text.contains(name == "emrtd" ? "Application 0 AID: \n" : "Device type: ISO14443-4B\n"))
    #expect(try ImageFormat.flipper.decode(Array(text.utf8)) == image)
  }
}
