import CoreNFC
import NFC
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// MIFARE and NTAG tags.
  @Suite(.replayed) struct MiFareTests {
    /// READ, WRITE and GET_VERSION: NTAG21x data sheet, 9.1.
    private static let read = Data([0x30, 0x04])
    private static let write = Data([0xA2, 0x04, 0x01, 0x02, 0x03, 0x04])
    private static let acknowledge = Data([0x0A])

    /// GetFreeMemory of DESFire EV1, three bytes, in the form of ISO/IEC 7816-4 (MF3ICDx21_41_81 data sheet).
    private var freeMemory: NFCISO7816APDU {
      NFCISO7816APDU(
        instructionClass: 0x90, instructionCode: 0x6E, p1Parameter: 0, p2Parameter: 0,
        data: Data(), expectedResponseLength: 256)
    }

    /// Runs `body` with a tag, connected; no application is listed.
    private func withTag(
      _ tag: VirtualTag,
      _ body: nonisolated(nonsending) (SessionBench, any NFCMiFareTag) async throws -> Void
    ) async throws {
      let bench = try SessionBench(tag, information: NFCInformation(usageDescription: "Tests"))
      try await bench.withTag(.iso14443) { _, tag in try await body(bench, #require(tag.miFare)) }
    }

    @Test(
      arguments: [
        ("ntag215", .ultralight), ("ultralight-c", .ultralight), ("desfire", .desfire),
        ("classic-1k", .unknown),
      ] as [(String, NFCMiFareFamily)])
    func theFamilyIsApples(_ name: String, _ family: NFCMiFareFamily) async throws {
      let virtual = try VirtualTag.named(name)
      try await withTag(virtual) { _, tag in
        #expect(tag.mifareFamily == family)
        #expect(tag.identifier == Data(virtual.identifier))
        #expect((tag.historicalBytes == nil) == (family != .desfire))
        #expect(tag.type == .miFare)
        #expect(tag.asNFCMiFareTag() === tag)
        #expect(tag.asNFCISO7816Tag() == nil)
      }
    }

    @Test(arguments: ["ntag215", "ultralight-c"])
    func aCommandIsAnsweredInAllForms(_ name: String) async throws {
      try await withTag(try .named(name)) { _, tag in
        let page = Data([0x01, 0x02, 0x03, 0x04])
        #expect(try await tag.sendMiFareCommand(commandPacket: Self.write) == Self.acknowledge)
        let content = try await tag.sendMiFareCommand(commandPacket: Self.read)
        #expect(content.count == 16)
        #expect(content.prefix(4) == page)
        // A slice, whose first index is not 0.
        let command = (Data([0x55]) + Self.read).dropFirst()
        let completed = await handed { done in
          tag.sendMiFareCommand(commandPacket: command) { done(($0, code($1))) }
        }
        #expect(completed == (content, nil))
        let viaResult = try await result { done in
          tag.sendMiFareCommand(commandPacket: command, resultHandler: done)
        }
        #expect(viaResult == content)
      }
    }

    @Test func aRefusalIsAnError() async throws {
      try await withTag(.ntag215()) { _, tag in
        let error = await expect(.readerTransceiveErrorTagResponseError) {
          _ = try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0xFF]))
        }
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NFCError
        #expect(cause?.code == .tagRefused)
      }
    }

    @Test func anEmptyCommandIsNotSent() async throws {
      try await withTag(.ntag215()) { bench, tag in
        try await bench.sendingNothing {
          await expect(.readerErrorInvalidParameterLength) {
            _ = try await tag.sendMiFareCommand(commandPacket: Data())
          }
        }
      }
    }

    @Test func aCommandLongerThanAFrameIsNotSent() async throws {
      try await withTag(.ntag215()) { bench, tag in
        try await bench.sendingNothing {
          await expect(.readerTransceiveErrorPacketTooLong) {
            _ = try await tag.sendMiFareCommand(commandPacket: Data(count: 300))
          }
        }
      }
    }

    // MARK: ISO 7816

    @Test func aDESFireAcceptsBothKindsOfCommands() async throws {
      try await withTag(try .named("desfire")) { _, tag in
        let (body, sw1, sw2) = try await tag.sendMiFareISO7816Command(freeMemory)
        #expect(body.count == 3)
        #expect([sw1, sw2] == [0x91, 0x00])
        let completed = await handed { done in
          tag.sendMiFareISO7816Command(freeMemory) { done(($0, $1, $2, code($3))) }
        }
        #expect(completed == (body, 0x91, 0x00, nil))
        let answer: NFCISO7816ResponseAPDU = try await tag.sendMiFareISO7816Command(freeMemory)
        #expect(answer.payload == body)
        #expect((answer.statusWord1, answer.statusWord2) == (0x91, 0x00))
        let result = try await result { done in
          tag.sendMiFareISO7816Command(freeMemory, resultHandler: done)
        }
        #expect(result.payload == body)
      }
      // The native form has the status before the body.
      try await withTag(try .named("desfire")) { _, tag in
        let answer = try await tag.sendMiFareCommand(commandPacket: Data([0x60]))
        #expect(answer.first == 0xAF)
        #expect(answer.count == 8)
      }
      // A native command of more than one frame, which the card refuses at the first.
      try await withTag(try .named("desfire")) { _, tag in
        let long = Data([0x3D] + [UInt8](repeating: 0x01, count: 299))
        let answer = try await tag.sendMiFareCommand(commandPacket: long)
        #expect(answer.count == 1)
        #expect(answer.first != 0x00)
      }
    }

    @Test(arguments: ["ntag215", "ultralight-c", "classic-1k"])
    func otherFamiliesTakeNoneOfISO7816(_ name: String) async throws {
      try await withTag(try .named(name)) { bench, tag in
        try await bench.sendingNothing {
          await expect(.readerErrorUnsupportedFeature) {
            let _: (Data, UInt8, UInt8) = try await tag.sendMiFareISO7816Command(freeMemory)
          }
        }
      }
    }

    @Test func anImpossibleISO7816CommandIsNotSent() async throws {
      try await withTag(try .named("desfire")) { bench, tag in
        try await bench.sendingNothing {
          await expect(.readerErrorParameterOutOfBound) {
            let _: NFCISO7816ResponseAPDU = try await tag.sendMiFareISO7816Command(
              NFCISO7816APDU(
                instructionClass: 0x90, instructionCode: 0x60, p1Parameter: 0, p2Parameter: 0,
                data: Data(), expectedResponseLength: -5))
          }
        }
      }
    }

    @Test func commandsNeedTheirTagAndASession() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tags) = try await bench.tags(.iso14443)
      let tag = try #require(tags.first?.miFare)
      nonisolated(nonsending) func send() async throws {
        _ = try await tag.sendMiFareCommand(commandPacket: Self.read)
      }
      try await session.connect(to: tags[0])
      bench.field.removeAll()
      await expect(.readerTransceiveErrorTagConnectionLost) { try await send() }
      session.invalidate()
      _ = try await delegate.events.end()
      await expect(.readerTransceiveErrorSessionInvalidated) { try await send() }
    }

    // MARK: Beneath

    @Test func classicIsReadThroughTheNativeTag() async throws {
      // Sector 1 of a card as it leaves the factory opens with the factory's key.
      let virtual = VirtualTag.classic1K(formatted: false)
      try await withTag(virtual) { _, tag in
        let classic = try #require(tag.native?.classic)
        try await classic.authenticate(block: 4, with: .factory, as: .a)
        let block = (0..<16).map { UInt8($0) }
        try await classic.writeBlock(4, block)
        #expect(try await classic.readBlock(4) == block)
        await #expect(throws: NFCError.self) {
          try await classic.authenticate(
            block: 4, with: #require(MiFareClassicKey([1, 2, 3, 4, 5, 6])), as: .a)
        }
      }
    }

    @Test func aTagOfTheProgramsOwnHasNothingBeneath() {
      #expect(MockMiFareTag().native == nil)
    }
  }
}

/// A tag as a program writes it for its tests: what has no other form, and nothing else.
private final class MockMiFareTag: NSObject, NFCMiFareTag {
  let mifareFamily = NFCMiFareFamily.ultralight
  let identifier = Data()
  let historicalBytes: Data? = nil
  let type = __NFCTagType.miFare
  let session: (any NFCReaderSessionProtocol)? = nil
  let isAvailable = true

  func sendMiFareCommand(
    commandPacket command: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    completionHandler(Data(), nil)
  }

  func sendMiFareISO7816Command(
    _ apdu: NFCISO7816APDU,
    completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
  ) {
    completionHandler(Data(), 0x90, 0x00, nil)
  }

  func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { nil }
  func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { nil }
  func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { nil }
  func asNFCMiFareTag() -> (any NFCMiFareTag)? { self }

  func queryNDEFStatus(
    completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void
  ) {
    completionHandler(.notSupported, 0, nil)
  }
  func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
    completionHandler(nil, nil)
  }
  func writeNDEF(
    _ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }
  func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    completionHandler(nil)
  }

  static let supportsSecureCoding = true
  override init() {}
  init?(coder: NSCoder) { nil }
  func encode(with coder: NSCoder) {}
  func copy(with zone: NSZone? = nil) -> Any { self }
}
