import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCCore
@testable import SwiftNFCPCSC

/// What ACS's readers do in another way than PC/SC part 3 says, and what they do in addition.
@Suite struct ACSReaderTests {
  typealias Dialect = VirtualPCSCReader.Dialect

  /// The answer to `FF CA 01 00 00` is the whole ATS (ACM1281U-C7, reference manual 1.02, page 12), or, as PC/SC part 3
  /// says, the historical bytes: then the rest of the ATS is not known.
  @Test(
    arguments: [
      Dialect.transparentSession, .acsPassThrough, .directTransmit, .feliCaFrames, .sessionKey,
      .storageCard, .omnikey,
    ])
  func readsTheATS(_ dialect: Dialect) async throws {
    let bench = try await PCSCBench(.desfire(.ev1), dialect: dialect)
    let found = try #require(try await bench.reader.tagsInField().first)
    guard case .miFare(let tag) = found else { throw NFCError(.wrongTag, "\(found)") }
    #expect(tag.family == .desfire)
    let driver = try PCSCDriver("", over: bench.virtual.service())
    guard case .iso14443a(let card)? = try driver.list(.iso14443a).first else {
      throw NFCError(.wrongTag, "no type A card")
    }
    let isWhole = ![Dialect.storageCard, .omnikey].contains(dialect)
    #expect(card.ats == (isWhole ? [0x75, 0x77, 0x81, 0x02, 0x80] : []))
    #expect(card.historicalBytes == [0x80])
  }

  /// Commands to an ACR122U around its chip, as programs for this reader send them. The first is answered without a
  /// status word, and the next two with a state in it (nfcpy issues 105 and 154).
  @Test(arguments: [
    ("FF00480000", "ACR122U214".utf8.map { $0 }), ("FF00517F00", [0x90, 0x7F]),
    ("FF00400E0400000000", [0x90, 0x02]), ("FF00520000", [0x90, 0x00]),
    ("FF00410500", [0x90, 0x00]), ("FF004A0000", [0x63, 0x00]),
  ])
  func answersProgramsForAnACR122U(_ command: String, _ answer: [UInt8]) throws {
    let field = VirtualField()
    field.place(.ntag215())
    let virtual = VirtualPCSCReader(field, dialect: .directTransmit)
    let service = virtual.service()
    try service.connect(to: virtual.name)
    let bytes = try #require([UInt8](hexadecimal: command))
    #expect(try service.transmit(bytes, atMost: .seconds(1)) == answer)
  }

  @Test func remembersTheOperatingParameterOfAnACR122U() throws {
    let field = VirtualField()
    field.place(.ntag215())
    let virtual = VirtualPCSCReader(field, dialect: .directTransmit)
    let service = virtual.service()
    try service.connect(to: virtual.name)
    func send(_ command: [UInt8]) throws -> [UInt8] {
      try service.transmit(command, atMost: .seconds(1))
    }
    #expect(try send([0xFF, 0x00, 0x50, 0x00, 0x00]) == [0x90, 0xFF])
    #expect(try send([0xFF, 0x00, 0x51, 0x3F, 0x00]) == [0x90, 0x3F])
    #expect(try send([0xFF, 0x00, 0x50, 0x00, 0x00]) == [0x90, 0x3F])
  }
}
