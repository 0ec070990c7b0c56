import SwiftNFCSeededRandom
import SwiftNFCJSONText
import SwiftNFCCore
import TestSupport
import Testing

@testable import Recordings

/// Lines of a recording and back again.
@Suite struct RecordingFormatTests {
  static let reader = RecordedReader(
    name: "A \"reader\" µ", connectionString: "pn532_uart:/dev/ttyUSB0", firmware: "PN532 v1.6",
    capabilities: ReaderCapabilities(
      technologies: [.iso14443a, .feliCa], bitRates: [.iso14443a: [106], .feliCa: [212, 424]],
      maximumCommandLength: 262, maximumResponseLength: 264, supportsOnlyAPDUs: true,
      commandPaths: [
        CommandPath(
          name: "storage card", capabilities: [.iso15693: [.readAndWrite]], note: "a note")
      ]),
    findsOneByOne: [.iso14443a], canReconnect: true)

  static func call(
    _ request: RecordedCall.Request, _ outcome: RecordedCall.Outcome
  ) -> RecordedCall {
    RecordedCall(
      reader: 0, time: .milliseconds(1500), duration: .microseconds(250), request: request,
      outcome: outcome)
  }

  static let targets: [Target] = [
    .iso14443a(ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, 6], atqa: [0, 0x44], sak: 0)),
    .iso14443a(ISO14443ATarget(uid: [8, 1, 2, 3], historicalBytes: [0x80, 0x31])),
    // A PC/SC reader says that the card has none, which is not the same as saying nothing.
    .iso14443a(ISO14443ATarget(uid: [8, 1, 2, 3], historicalBytes: [])),
    .iso14443a(
      ISO14443ATarget(
        uid: [1, 2, 3, 4], atqa: [3, 4], sak: 0x20, ats: [0x75, 0x77, 0x81, 2, 0x80])),
    .iso14443b(
      ISO14443BTarget(
        pupi: [1, 2, 3, 4], applicationData: [0, 0, 0, 0], protocolInfo: [0, 0x81, 0xE1])),
    .feliCa(
      FeliCaTarget(
        idm: [1, 0x2E, 3, 4, 5, 6, 7, 8], pmm: [0, 0xF1, 0, 0, 0, 1, 0x43, 0],
        systemCode: [0x88, 0xB4], bitRate: 212)),
    .iso15693(ISO15693Target(uid: [0xE0, 4, 1, 8, 1, 2, 3, 4], dsfid: 5)),
    .iso15693(ISO15693Target(uid: [0xE0, 2, 1, 8, 1, 2, 3, 4])),
    .jewel(sensRes: [0x0C, 0], uid: [1, 2, 3, 4]),
    .iso14443bPrime(div: [1, 2, 3, 4], version: 1, configuration: nil, atr: [5]),
    .iso14443b2sr(uid: [0xD0, 2, 3, 4, 5, 6, 7, 8]),
    .iso14443b2ct(uid: [1, 2, 3, 4], productCode: 6, fabricationCode: 7),
    .barcode(data: [1, 2, 3]), .iClass(serialNumber: [1, 2, 3, 4, 5, 6, 7, 8]),
  ]

  static let causes: [NFCError.Cause?] = [
    nil, .driver(.init(domain: "libnfc", code: -20, text: "lost", meaning: .readerFailure)),
    .driver(.init(domain: "pcsc", code: 0x8010_0069 as UInt32, text: "removed")),
    .driver(
      .init(domain: "pcsc", code: 0x8010_000B as UInt32, text: "in use", meaning: .cardInUse)),
    .driver(.init(domain: "other", code: Int64.min, text: "no", meaning: .notPermitted)),
    .system(errno: 5, text: "I/O"),
    .negativeAcknowledge(1), .statusWord(0x6A82), .statusFlags(flag1: 1, flag2: 0xA6),
    .desfireStatus(0xAE),
    .iso15693(0x0F), .chip(code: 1, text: "time"), .unsupportedByReader, .noAnswer, .checksum,
    .foreignContent,
  ]

  static let calls: [RecordedCall] =
    [
      call(.resetField, .done), call(.list(.iso14443a), .targets(targets)),
      call(.find(.feliCa, excluding: [[1, 2], [3]]), .targets([])),
      call(.select([1, 2, 3, 4]), .done), call(.isPresent([1]), .isPresent(true)),
      call(.capabilities([1]), .capabilities(reader.capabilities)),
      call(
        .exchange(RecordedBytes([0x1B, 1, 2], masking: [1..<3]), .bare, timeout: .seconds(1)),
        .answer(RecordedBytes([0, 0]))),
      call(.exchange(RecordedBytes([]), .checked, timeout: .zero), .cancelled),
      call(
        .authenticate(block: 3, .b, key: RecordedBytes([1, 2], masking: [0..<2]), uid: [9]), .done),
    ]
    + causes.map {
      call(.select([1]), .failure(NFCError(.tagResponseError, "why", cause: $0, place: .page(3))))
    }

  /// Recordings of earlier versions have other names for some fields.
  @Test func formerNamesAreRead() throws {
    let call = Self.call(
      .select([1]), .failure(NFCError(.unsupported, "why", cause: .unsupportedByReader)))
    let lines = Self.reader.line(number: 0) + "\n" + call.line + "\n"
    let former = [
      ("supportsOnlyAPDUs", "takesAPDUsAlone"), ("unsupportedByReader", "notCarried"),
      (#""capabilities":{"iso15693""#, #""means":{"iso15693""#),
    ].reduce(lines) { text, names in
      #expect(text.contains(names.0))
      return text.replacing(names.0, with: names.1)
    }
    let recording = try Recording(Array(former.utf8))
    #expect(recording.readers == [Self.reader])
    #expect(recording.calls == [call])
  }

  /// A time limit that is no time is recorded as the nearest one that is, so that the line can be read.
  @Test(arguments: [
    (Duration.seconds(Int64.max / 4), Duration.seconds(31_536_000)), (.seconds(-3), .zero),
    (.seconds(Int64.min / 4), .zero), (.milliseconds(1500), .milliseconds(1500)),
  ])
  func anyTimeLimitComesBack(_ limit: Duration, _ expected: Duration) throws {
    let call = Self.call(
      .exchange(RecordedBytes([0x30, 0x04]), .checked, timeout: limit), .cancelled)
    let text = Self.reader.line(number: 0) + "\n" + call.line + "\n"
    let found = try #require(try Recording(text.utf8).calls.first)
    #expect(
      found.request
        == .exchange(RecordedBytes([0x30, 0x04]), .checked, timeout: expected))
  }

  @Test func everyLineComesBack() throws {
    var recording = try Recording((Self.reader.line(number: 0) + "\n").utf8)
    recording.entries += Self.calls.enumerated().map {
      Recording.Entry(number: $0.offset + 2, line: .call($0.element))
    }
    let again = try Recording(recording.text.utf8)
    #expect(again == recording)
    #expect(again.text == recording.text)
    #expect(again.readers == [Self.reader])
    #expect(again.calls == Self.calls)
  }

  @Test(arguments: targets)
  func aTargetIsWhatItWas(_ target: Target) throws {
    let value = try JSONNode(parsing: Array(target.recorded.text.utf8)).value
    let again = try Target(recorded: RecordedField(value))
    #expect(again == target)
  }

  /// Earlier recordings name the domain of a driver's failure as its kind.
  @Test(arguments: [
    (
      #"{"kind":"libnfc","code":-6,"text":"lost"}"#,
      NFCError.DriverFailure(domain: "libnfc", code: -6, text: "lost", meaning: .readerFailure)
    ),
    (
      #"{"kind":"pcsc","code":2148532235,"text":"in use"}"#,
      NFCError.DriverFailure(
        domain: "pcsc", code: 0x8010_000B as UInt32, text: "in use", meaning: .cardInUse)
    ),
    (
      #"{"kind":"pcsc","code":2148532329,"text":"removed"}"#,
      NFCError.DriverFailure(domain: "pcsc", code: 0x8010_0069 as UInt32, text: "removed")
    ),
  ])
  func causesOfEarlierRecordings(_ cause: String, _ failure: NFCError.DriverFailure) throws {
    let text = #"{"code":"tagResponseError","reason":"why","cause":\#(cause)}"#
    let value = try JSONNode(parsing: Array(text.utf8)).value
    let error = try NFCError(recorded: RecordedField(value))
    #expect(error.cause == .driver(failure))
    #expect(error.isCardInUse == (failure.meaning == .cardInUse))
  }

  @Test func readerNumbersAreChecked() throws {
    let text = Self.reader.line(number: 0) + "\n" + Self.calls[0].line + "\n"
    #expect(try Recording(text.utf8).calls.count == 1)
    let wrong = text.replacing("\"reader\":0,\"time\"", with: "\"reader\":1,\"time\"")
    let error = #expect(throws: RecordingError.self) { try Recording((wrong + "\n{}\n").utf8) }
    #expect(error?.line == 2)
    #expect(error?.reason == "there is no reader 1")
  }

  @Test(arguments: [
    ("call", "x"), ("technology", "nfc"), ("framing", "loose"), ("keyType", "C"),
  ])
  func valuesThatAreNotKnown(_ key: String, _ value: String) throws {
    for call in Self.calls {
      guard let range = call.line.firstRange(of: try Regex("\"\(key)\":\"[A-Za-z0-9]*\"")) else {
        continue
      }
      var line = call.line
      line.replaceSubrange(range, with: "\"\(key)\":\"\(value)\"")
      let text = Self.reader.line(number: 0) + "\n" + line + "\n\n"
      let error = #expect(throws: RecordingError.self) { try Recording(text.utf8) }
      #expect(error?.line == 2)
    }
  }

  /// Any bytes give a recording or an error with its line.
  @Test func brokenTextsAreRefused() {
    let whole = Array(
      ([Self.reader.line(number: 0)] + Self.calls.map(\.line)).joined(separator: "\n").utf8)
    var generator = SplitMix64(seed: 1)
    var refused = 0
    for _ in 0..<400 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(contentsOf: Array("\"{[,:9".utf8), at: index)
        default: bytes.removeLast(min(bytes.count - 1, Int.random(in: 1...200, using: &generator)))
        }
      }
      do throws(RecordingError) {
        let recording = try Recording(bytes)
        #expect(!recording.readers.isEmpty)
      } catch {
        refused += 1
        #expect(error.line >= 1)
        #expect(error.line <= bytes.split(separator: 10, omittingEmptySubsequences: false).count)
      }
    }
    #expect(refused > 50)
  }

  @Test(arguments: [
    ("00**FF", [0, 0, 0xFF], true), ("", [], false), ("0a0B", [0x0A, 0x0B], false),
  ])
  func maskedBytes(_ text: String, _ bytes: [UInt8], _ hasMasked: Bool) throws {
    let recorded = try #require(RecordedBytes(text: text))
    #expect(recorded.bytes == bytes)
    #expect(recorded.hasMasked == hasMasked)
    #expect(recorded.text == text.uppercased())
    #expect(recorded.matches(bytes))
    #expect(!recorded.matches(bytes + [0]))
  }

  @Test func maskedBytesCanBeAny() throws {
    let recorded = try #require(RecordedBytes(text: "1B********"))
    #expect(recorded.matches([0x1B, 1, 2, 3, 4]))
    #expect(!recorded.matches([0x1C, 1, 2, 3, 4]))
    #expect(RecordedBytes(text: "1") == nil)
    #expect(RecordedBytes(text: "*1") == nil)
    #expect(RecordedBytes(text: "1G") == nil)
  }
}
