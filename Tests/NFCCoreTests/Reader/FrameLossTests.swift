import Testing

@testable import SwiftNFCCore

/// Which commands are repeated after a lost frame, and which losses are seen as one.
@Suite struct FrameLossTests {
  private static func line(_ meaning: NFCError.DriverFailure.Meaning?) -> NFCError.Cause {
    .driver(NFCError.DriverFailure(domain: "libnfc", code: -1, text: "", meaning: meaning))
  }

  @Test(
    arguments: [
      (.tagResponseError, line(.readerFailure), .onLine), (.tagResponseError, .checksum, .ofCheck),
      (.tagResponseError, .noAnswer, .inSilence),
      (.tagResponseError, .chip(code: 0x05, text: ""), .ofCheck),
      // The radio protocol was broken; the card was exchanged: the same again.
      (.tagResponseError, .chip(code: 0x0B, text: ""), nil),
      (.tagResponseError, .chip(code: 0x2A, text: ""), nil),
      (.tagResponseError, line(nil), nil), (.tagResponseError, nil, nil),
      (.tagConnectionLost, line(.readerFailure), nil), (.readerLost, line(.readerFailure), nil),
      (.tagRefused, .negativeAcknowledge(1), nil), (.tagRefused, .noAnswer, nil),
    ] as [(NFCError.Code, NFCError.Cause?, FrameLoss?)])
  func aLossIsRecognized(_ code: NFCError.Code, _ cause: NFCError.Cause?, _ loss: FrameLoss?) {
    #expect(FrameLoss(NFCError(code, "", cause: cause)) == loss)
  }

  @Test func anExchangeIsRepeatedOnce() throws {
    var count = 0
    let error = #expect(throws: NFCError.self) {
      try FrameLoss.any.repeatingOnce {
        count += 1
        throw NFCError(.tagResponseError, "\(count)", cause: .checksum)
      }
    }
    #expect(count == 2 && error?.reason == "2")
    let answer = try FrameLoss.onLine.repeatingOnce {
      count += 1
      guard count > 3 else {
        throw NFCError(.tagResponseError, "", cause: Self.line(.readerFailure))
      }
      return count
    }
    #expect(answer == 4)
  }

  @Test func anotherLossIsNotRepeated() {
    var count = 0
    #expect(throws: NFCError.self) {
      try FrameLoss.visible.repeatingOnce {
        count += 1
        throw NFCError(.tagResponseError, "", cause: .noAnswer)
      }
    }
    #expect(throws: CancellationError.self) {
      try FrameLoss.any.repeatingOnce {
        count += 1
        throw CancellationError()
      }
    }
    #expect(count == 2)
  }

  @Test(
    arguments: [
      // SELECT by name, by identifier, of an EF; READ BINARY with and without a data object; another channel.
      ("00A4040007D276000085010100", true), ("00A4000C02E104", true), ("00A4020C02E104", true),
      ("00B000000F", true), ("00B1000003540100", true), ("03B0000010", true),
      // A child or parent of the current DF; the next occurrence.
      ("00A4010002DF01", false), ("00A4030000", false), ("00A4040207D2760000850101", false),
      // Secure messaging, chaining, classes of makers.
      ("0CB0000010", false), ("04B0000010", false), ("10B0000010", false), ("80B0000010", false),
      ("90AF000000", false),
      // UPDATE BINARY, VERIFY, GET RESPONSE, GET CHALLENGE, EXTERNAL and INTERNAL AUTHENTICATE, READ RECORD.
      ("00D600000100", false), ("0020000104", false), ("00C0000010", false), ("0084000008", false),
      ("0082000008", false), ("0088000008", false), ("00B2010400", false),
    ])
  func anAPDUThatChangesNothing(_ bytes: String, _ expected: Bool) throws {
    let encoded = try #require([UInt8](hexadecimal: bytes))
    let command = try #require(APDU(encoded))
    #expect(command.changesNothing == expected)
  }

  @Test func commandsOfUltralights() {
    #expect(UltralightCommand.read(page: 4).repeatedAfter == .any)
    #expect(UltralightCommand.fastRead(first: 0, last: 9).repeatedAfter == .visible)
    #expect(UltralightCommand.getVersion.repeatedAfter == .visible)
    let once: [UltralightCommand] = [
      .write(page: 4, data: [0, 0, 0, 0]), .incrementCounter(0, by: 1),
      .passwordAuthenticate([0, 0, 0, 0]), .authenticate, .authenticateContinued([]), .sectorSelect,
      .sector(1), .halt,
    ]
    for command in once { #expect(command.repeatedAfter == [], "\(command)") }
  }

  @Test(
    arguments: [
      // Read Without Encryption of one block, of two, and of none that is there.
      ("060102030405060708010B00018000", FrameLoss.any),
      ("060102030405060708010B000280008001", .visible), ("06", .visible),
      ("0C0102030405060708", .visible), ("00FFFF0100", .visible),
      // Write Without Encryption, Reset Mode, Authentication1, nothing.
      ("080102030405060708010900018000", []), ("3E01020304050607080000", []),
      ("100102030405060708", []), ("", []),
    ] as [(String, FrameLoss)])
  func commandsOfFeliCa(_ command: String, _ losses: FrameLoss) throws {
    let bytes = try #require([UInt8](hexadecimal: command))
    #expect(FeliCaCommandCode.repeatedAfter(bytes) == losses)
  }
}
