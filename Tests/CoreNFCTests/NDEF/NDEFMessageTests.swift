import CoreNFC
import Foundation
import NFC
import Testing

/// ``NFCNDEFMessage``: what it encodes to, and what it takes.
@Suite struct NDEFMessageTests {
  private static let abc = Data("abc".utf8)

  private static func record(
    _ format: NFCTypeNameFormat = .nfcExternal, type: String = "a:b", identifier: String = "",
    payload: String = "abc"
  ) -> NFCNDEFPayload {
    NFCNDEFPayload(
      format: format, type: Data(type.utf8), identifier: Data(identifier.utf8),
      payload: Data(payload.utf8))
  }

  /// NDEF 1.0, 3.2: header, lengths, type, identifier, payload.
  @Test func oneRecordTakesItsLengthsAndItsFields() {
    let message = NFCNDEFMessage(records: [Self.record(identifier: "i")])
    #expect(message.length == 1 + 1 + 1 + 1 + 3 + 1 + 3)
    #expect(message.records.count == 1)
  }

  /// `D0 00 00`: a record of the format empty.
  @Test func noRecordsAreTheEmptyMessage() {
    let message = NFCNDEFMessage(records: [])
    #expect(message.length == 3)
    #expect(message.records.isEmpty)
    let read = NFCNDEFMessage(data: Data([0xD0, 0x00, 0x00]))
    #expect(read?.records.map(\.typeNameFormat) == [.empty])
    #expect(read?.length == 3)
  }

  @Test func aMessageFollowsItsRecords() {
    let record = Self.record()
    let message = NFCNDEFMessage(records: [record])
    let before = message.length
    record.payload += Self.abc
    #expect(message.length == before + 3)
    message.records.append(Self.record())
    #expect(message.length == before + 3 + before)
  }

  /// On an iPhone, what an object hands out begins at index 0, also if it was given a slice.
  @Test func fieldsAreCountedFromZero() {
    let slice = Data("xabc".utf8).dropFirst()
    let records = [
      NFCNDEFPayload(format: .nfcExternal, type: slice, identifier: slice, payload: slice),
      NFCNDEFPayload(
        format: .nfcExternal, type: slice, identifier: slice, payload: slice, chunkSize: 2),
      Self.record(),
    ]
    (records[2].type, records[2].identifier, records[2].payload) = (slice, slice, slice)
    for record in records {
      for field in [record.type, record.identifier, record.payload] {
        #expect(field.startIndex == 0 && field == Self.abc)
      }
    }
  }

  /// NDEF 1.0, 2.3.3: three chunks of at most two bytes have three headers of 3 bytes, the first with
  /// the type; more than 255 bytes have a length of four bytes.
  @Test(arguments: [(0, 9), (-1, 9), (1, 15), (2, 12), (3, 9), (4, 9), (Int.max, 9), (Int.min, 9)])
  func chunks(size: Int, length: Int) {
    let record = NFCNDEFPayload(
      format: .nfcExternal, type: Data("a:b".utf8), identifier: Data(), payload: Self.abc,
      chunkSize: size)
    #expect(NFCNDEFMessage(records: [record]).length == length)
  }

  /// Bytes of NDEF 1.0, 3.2, and of what it forbids.
  @Test(arguments: [
    // Two records.
    ("9101015431 5101015432", 2),
    // One in two chunks, joined: 2.3.3.
    ("B101015431 56000132", 1),
    // An identifier.
    ("D901010154 69 31", 1),
  ])
  func wholeMessagesAreRead(bytes: String, count: Int) throws {
    let data = Data(try #require([UInt8](hexadecimal: bytes)))
    #expect(NFCNDEFMessage(data: data)?.records.count == count)
    // A part of something larger: its indices do not begin at 0.
    #expect(NFCNDEFMessage(data: (Data([0xFF]) + data).dropFirst())?.records.count == count)
    #expect(NFCNDEFMessage(data: data + [0x00]) == nil)
    #expect(NFCNDEFMessage(data: data.dropLast()) == nil)
  }

  @Test(arguments: [
    // Nothing; no end; no beginning; a second message.
    "", "9101015431", "5101015431", "D101015431 D101015432",
    // A type where there is none to be (3.2.6): in an empty record, in an unknown one.
    "D0010054", "D501005 4",
    // Unchanged outside of chunks.
    "D6000131",
    // A length beyond the end, and one of four bytes far beyond.
    "D101055431", "C101FFFFFFFF5431",
  ])
  func whatIsNotAMessageIsRefused(bytes: String) throws {
    let data = Data(try #require([UInt8](hexadecimal: bytes)))
    #expect(NFCNDEFMessage(data: data) == nil)
  }

  @Test func moreThan128KiBIsRefused() throws {
    func bytes(_ count: Int) -> Data {
      let length = withUnsafeBytes(of: UInt32(count).bigEndian) { Data($0) }
      return Data([0xC5, 0x00]) + length + Data(count: count)
    }
    let largest = 128 * 1024 - 6
    #expect(NFCNDEFMessage(data: bytes(largest))?.length == 128 * 1024)
    #expect(NFCNDEFMessage(data: bytes(largest + 1)) == nil)
    let text = String(repeating: "a", count: 128 * 1024)
    #expect(NFCNDEFPayload.wellKnownTypeURIPayload(string: text) == nil)
    #expect(
      NFCNDEFPayload.wellKnownTypeTextPayload(string: text, locale: Locale(identifier: "en"))
        == nil)
  }

  @Test func everyFormatHasItsNumber() {
    let formats: [NFCTypeNameFormat] = [
      .empty, .nfcWellKnown, .media, .absoluteURI, .nfcExternal, .unknown, .unchanged,
    ]
    #expect(formats.map(\.rawValue) == Array(0...6))
    #expect(NFCTypeNameFormat(rawValue: 7) == nil)
    for format in formats where format != .unchanged && format != .empty {
      let type = format == .unknown ? "" : "t"
      let message = NFCNDEFMessage(records: [Self.record(format, type: type)])
      #expect(message.length == 6 + type.utf8.count)
    }
  }

  @Test func archivesAreSecure() throws {
    let chunked = NFCNDEFPayload(
      format: .media, type: Data("text/plain".utf8), identifier: Data("i".utf8),
      payload: Self.abc, chunkSize: 2)
    let message = NFCNDEFMessage(records: [Self.record(), chunked])
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: message, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NFCNDEFMessage.self, from: archive))
    #expect(copy !== message)
    #expect(copy.length == message.length)
    #expect(copy.records.map(\.typeNameFormat) == [.nfcExternal, .media])
    #expect(copy.records.map(\.type) == message.records.map(\.type))
    #expect(copy.records.map(\.identifier) == message.records.map(\.identifier))
    #expect(copy.records.map(\.payload) == message.records.map(\.payload))
  }

  @Test func anArchiveOfSomethingElseIsRefused() throws {
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: NSString("records"), requiringSecureCoding: true)
    let message = try? NSKeyedUnarchiver.unarchivedObject(
      ofClass: NFCNDEFMessage.self, from: archive)
    #expect(message == nil)
  }

  @Test func descriptionsAreForPeople() throws {
    let link = try #require(NFCNDEFPayload.wellKnownTypeURIPayload(string: "https://example.com"))
    #expect(link.description == "https://example.com")
    #expect(NFCNDEFMessage(records: [link, link]).description.split(separator: "\n").count == 2)
  }
}
