import SwiftNFCSeededRandom
import NFC
import TestSupport
import Testing

@testable import SwiftNFCIsolated

@Suite struct HelperMessageTests {
  static let targets: [Target] = [
    .iso14443a(
      ISO14443ATarget(uid: [4, 1, 2, 3], atqa: [0, 0x44], sak: 0x20, ats: [0x78, 0x80])),
    .iso14443b(
      ISO14443BTarget(
        pupi: [1, 2, 3, 4], applicationData: [5, 6, 7, 8], protocolInfo: [9, 10, 11])),
    .feliCa(FeliCaTarget(idm: [1], pmm: [2], systemCode: [0x12, 0xFC], bitRate: 424)),
    .iso15693(ISO15693Target(uid: [0xE0], dsfid: 3)), .iso15693(ISO15693Target(uid: [0xE0])),
    .jewel(sensRes: [0x0C, 0], uid: [1, 2, 3, 4]),
    .iso14443bPrime(div: [1], version: 2, configuration: nil, atr: [3]),
    .iso14443bPrime(div: [1], version: 2, configuration: 4, atr: []),
    .iso14443b2sr(uid: [0xD0]), .iso14443b2ct(uid: [1], productCode: 2, fabricationCode: 3),
    .barcode(data: [0x80]), .iClass(serialNumber: [1, 2]),
  ]

  static let requests: [HelperRequest] =
    [
      .open("pn532_uart:/dev/ttyUSB0"), .reset("usb:1-2"), .resetField, .list(.feliCa),
      .find(.iso14443a, excluding: targets),
      .exchange([0x30, 0x00], .checked, timeout: .milliseconds(1500)),
      .exchange([], .bare, timeout: .zero),
      .authenticate(block: 4, .b, key: [1, 2, 3, 4, 5, 6], uid: [1, 2, 3, 4]), .disconnect, .close,
      .commandWasInterrupted, .switchFieldOff,
    ] + targets.flatMap { [.select($0), .isPresent($0)] }

  static let causes: [NFCError.Cause] = [
    .driver(.init(domain: "libnfc", code: -20, text: "RF", meaning: .readerFailure)),
    .driver(.init(domain: "pcsc", code: 0x8010_0001 as UInt32, text: "x")),
    .driver(.init(domain: "", code: Int64.max, text: "", meaning: .cardInUse)),
    .system(errno: 5, text: "EIO"), .signal(number: 6, text: "SIGABRT"),
    .negativeAcknowledge(1), .statusWord(0x6A82), .statusFlags(flag1: 1, flag2: 2),
    .desfireStatus(0xAE),
    .iso15693(0x0F), .chip(code: 0x14, text: "key"), .unsupportedByReader, .noAnswer, .checksum,
    .foreignContent,
  ]
  static let places: [NFCError.Place] = [
    .page(1), .block(2), .sector(3), .file(0xE104), .offset(5),
  ]

  static let responses: [HelperResponse] =
    [
      .done, .targets(targets), .answer([1, 2]), .decision(true), .decision(false), .cancelled,
      .opened(
        HelperResponse.Opened(
          name: "PN532", firmware: "PN532 v1.6",
          capabilities: ReaderCapabilities(
            technologies: [.iso14443a, .feliCa], bitRates: [.feliCa: [212, 424]],
            maximumCommandLength: 262, maximumResponseLength: 262), foundOneByOne: [.iso14443a])),
      .opened(
        HelperResponse.Opened(
          name: "", firmware: nil,
          capabilities: ReaderCapabilities(
            technologies: [], bitRates: [:], maximumCommandLength: 1, maximumResponseLength: 1),
          foundOneByOne: [])),
    ] + causes.map { .failure(NFCError(.readerLost, "gone", cause: $0)) }
    + places.map { .failure(NFCError(.tagRefused, "no", place: $0)) }

  private func bytes(_ write: (inout MessageWriter) -> Void) -> [UInt8] {
    var writer = MessageWriter()
    write(&writer)
    return writer.bytes
  }

  @Test(arguments: requests) func aRequestArrivesAsItWasSent(_ request: HelperRequest) throws {
    var reader = MessageReader(bytes { request.write(to: &$0) })
    #expect(try HelperRequest(from: &reader) == request)
    try reader.end()
  }

  @Test(arguments: responses) func aResponseArrivesAsItWasSent(_ response: HelperResponse) throws {
    var reader = MessageReader(bytes { response.write(to: &$0) })
    #expect(try HelperResponse(from: &reader) == response)
    try reader.end()
  }

  @Test func aMessageThatIsCutIsNotOne() {
    for request in Self.requests {
      let whole = bytes { request.write(to: &$0) }
      for length in whole.indices {
        var reader = MessageReader(Array(whole.prefix(length)))
        #expect(throws: MalformedMessage.self) { _ = try HelperRequest(from: &reader) }
      }
    }
    for response in Self.responses {
      let whole = bytes { response.write(to: &$0) }
      for length in whole.indices {
        var reader = MessageReader(Array(whole.prefix(length)))
        #expect(throws: MalformedMessage.self) { _ = try HelperResponse(from: &reader) }
      }
    }
  }

  /// Any bytes give a message or an error, and none takes more memory than its bytes allow.
  @Test func anyBytesGiveAMessageOrAnError() {
    var random = SplitMix64(seed: 1)
    var messages = 0
    for _ in 0..<20_000 {
      var noise = (0..<Int.random(in: 0..<48, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      if !noise.isEmpty { noise[0] = UInt8.random(in: 0..<16, using: &random) }
      var requests = MessageReader(noise)
      if (try? HelperRequest(from: &requests)) != nil { messages += 1 }
      var responses = MessageReader(noise)
      if (try? HelperResponse(from: &responses)) != nil { messages += 1 }
    }
    #expect(messages > 0)
  }
}
