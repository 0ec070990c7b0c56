import CoreNFC
import Testing

@Suite struct APDUTests {
  /// The forms of ISO/IEC 7816-4, 5.1, short and extended.
  static let forms: [(bytes: [UInt8], data: [UInt8]?, length: Int)] = [
    ([0x00, 0xA4, 0x04, 0x00], nil, -1),
    ([0x00, 0xB0, 0x01, 0x02, 0x10], nil, 16),
    ([0x00, 0xB0, 0x01, 0x02, 0x00], nil, 256),
    ([0x00, 0xD6, 0x01, 0x02, 0x02, 0xAA, 0xBB], [0xAA, 0xBB], -1),
    ([0x00, 0xA4, 0x04, 0x00, 0x02, 0xAA, 0xBB, 0x00], [0xAA, 0xBB], 256),
    ([0x00, 0xB0, 0x01, 0x02, 0x00, 0x01, 0x2C], nil, 300),
    ([0x00, 0xB0, 0x01, 0x02, 0x00, 0x00, 0x00], nil, 65_536),
    ([0x00, 0xD6, 0x01, 0x02, 0x00, 0x00, 0x01, 0xAA], [0xAA], -1),
    ([0x00, 0xCB, 0x3F, 0xFF, 0x00, 0x00, 0x01, 0xAA, 0x00, 0x00], [0xAA], 65_536),
  ]

  @Test(arguments: forms)
  func aCompleteCommandIsRead(_ form: (bytes: [UInt8], data: [UInt8]?, length: Int)) throws {
    // A slice, whose first index is not 0.
    let slice = Data([0x55] + form.bytes).dropFirst()
    let apdu = try #require(NFCISO7816APDU(data: slice))
    #expect(apdu.instructionClass == form.bytes[0])
    #expect(apdu.instructionCode == form.bytes[1])
    #expect(apdu.p1Parameter == form.bytes[2])
    #expect(apdu.p2Parameter == form.bytes[3])
    #expect(apdu.data == form.data.map { Data($0) })
    #expect(apdu.expectedResponseLength == form.length)
  }

  @Test(
    arguments: [
      [], [0x00, 0xA4, 0x04], [0x00, 0xA4, 0x04, 0x00, 0x02, 0xAA],
      [0x00, 0xA4, 0x04, 0x00, 0x01, 0xAA, 0x00, 0x00],
      [0x00, 0xA4, 0x04, 0x00, 0x00, 0x00, 0x02, 0xAA],
      [0x00, 0xA4, 0x04, 0x00, 0x00, 0x00],
    ] as [[UInt8]])
  func whatIsNotACommandIsRefused(_ bytes: [UInt8]) {
    #expect(NFCISO7816APDU(data: Data(bytes)) == nil)
  }

  /// On an iPhone, data begins at index 0, also if it was given as a slice.
  @Test func dataIsCountedFromZero() {
    let slice = Data([0x55, 0xAA, 0xBB]).dropFirst()
    let apdu = NFCISO7816APDU(
      instructionClass: 0, instructionCode: 0xD6, p1Parameter: 0, p2Parameter: 0, data: slice,
      expectedResponseLength: -1)
    #expect(apdu.data?.startIndex == 0 && apdu.data == Data([0xAA, 0xBB]))
    let configuration = NFCISO15693CustomCommandConfiguration(
      manufacturerCode: 7, customCommandCode: 0xA0, requestParameters: slice)
    #expect(configuration.requestParameters.startIndex == 0)
    configuration.requestParameters = slice
    #expect(
      configuration.requestParameters.startIndex == 0
        && configuration.requestParameters == Data([0xAA, 0xBB]))
  }

  @Test func partsAreKeptAsGiven() throws {
    let apdu = NFCISO7816APDU(
      instructionClass: 0x80, instructionCode: 0xCA, p1Parameter: 1, p2Parameter: 2, data: Data(),
      expectedResponseLength: 0)
    #expect(apdu.data == nil)
    #expect(apdu.expectedResponseLength == 0)
    let copy = try #require(apdu.copy() as? NFCISO7816APDU)
    #expect(copy.instructionClass == 0x80)
    #expect(copy.expectedResponseLength == 0)
  }

  @Test func theAnswerHasAppleSpellingAndTheRightOne() {
    let first = NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, paylaod: Data([1]))
    var second = NFCISO7816ResponseAPDU(statusWord1: 0x90, statusWord2: 0, payload: Data([1]))
    #expect(first.payload == second.payload)
    second.payload = nil
    #expect(second.payload == nil)
  }
}
