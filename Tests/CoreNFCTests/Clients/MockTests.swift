import CoreNFC
import Testing

/// What programs do in tests of their own: stand-ins for tags that write only what has to be written, and
/// subclasses of sessions.
@Suite struct MockTests {
  class Mock: NSObject, NFCNDEFTag, __NFCTag {
    static var supportsSecureCoding: Bool { true }
    func encode(with coder: NSCoder) {}
    required init?(coder: NSCoder) { nil }
    override init() { super.init() }
    func copy(with zone: NSZone? = nil) -> Any { self }

    var type: __NFCTagType { .miFare }
    var session: (any NFCReaderSessionProtocol)? { nil }
    var isAvailable: Bool { true }
    func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { nil }
    func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { self as? any NFCISO7816Tag }
    func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { nil }
    func asNFCMiFareTag() -> (any NFCMiFareTag)? { self as? any NFCMiFareTag }

    func queryNDEFStatus(
      completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void
    ) {
      completionHandler(.readOnly, 7, nil)
    }

    func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
      completionHandler(nil, NFCReaderError(.ndefReaderSessionErrorZeroLengthMessage))
    }

    func writeNDEF(
      _ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
      completionHandler(nil)
    }

    func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
      completionHandler(NFCReaderError(.ndefReaderSessionErrorTagNotWritable))
    }
  }

  final class MockCard: Mock, NFCISO7816Tag {
    var initialSelectedAID: String { "D2760000850101" }
    var identifier: Data { Data([1, 2, 3, 4]) }
    var historicalBytes: Data? { nil }
    var applicationData: Data? { nil }
    var proprietaryApplicationDataCoding: Bool { false }

    func sendCommand(
      apdu: NFCISO7816APDU,
      completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
      completionHandler(Data([apdu.instructionCode]), 0x90, 0x00, nil)
    }
  }

  final class MockMiFare: Mock, NFCMiFareTag {
    var mifareFamily: NFCMiFareFamily { .ultralight }
    var identifier: Data { Data([4, 5, 6, 7, 8, 9, 10]) }
    var historicalBytes: Data? { nil }

    func sendMiFareCommand(
      commandPacket command: Data,
      completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
    ) {
      completionHandler(command, nil)
    }

    func sendMiFareISO7816Command(
      _ apdu: NFCISO7816APDU,
      completionHandler: @escaping @Sendable (Data, UInt8, UInt8, (any Error)?) -> Void
    ) {
      completionHandler(Data(), 0, 0, NFCReaderError(.readerErrorUnsupportedFeature))
    }
  }

  /// Takes what a program says without a reader.
  final class MockSession: NFCTagReaderSession {
    var hasBegun = false
    override func begin() { hasBegun = true }
    override func connect(
      to tag: NFCTag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
      completionHandler(nil)
    }
  }

  @Test func theOtherFormsComeOfThemselves() async throws {
    let card = MockCard()
    let command = try #require(NFCISO7816APDU(data: Data([0x00, 0xB0, 0x00, 0x00, 0x01])))
    let (data, sw1, _) = try await card.sendCommand(apdu: command)
    #expect(data == Data([0xB0]))
    #expect(sw1 == 0x90)
    let answer: NFCISO7816ResponseAPDU = try await card.sendCommand(apdu: command)
    #expect(answer.payload == Data([0xB0]))
    // Older than this property, a stand-in does not have it.
    #expect(!card.supportsPACE)
    #expect(try await card.queryNDEFStatus() == (.readOnly, 7))
    await expect(.ndefReaderSessionErrorZeroLengthMessage) { _ = try await card.readNDEF() }
    await expect(.ndefReaderSessionErrorTagNotWritable) { try await card.writeLock() }
    #expect(card.native == nil)

    let miFare = MockMiFare()
    #expect(try await miFare.sendMiFareCommand(commandPacket: Data([0x30])) == Data([0x30]))
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await miFare.sendMiFareISO7816Command(command) as (Data, UInt8, UInt8)
    }
    #expect(NFCTag.miFare(miFare).isAvailable)
    #expect(miFare.asNFCMiFareTag() === miFare)
  }

  @Test func sessionsCanBeSubclassed() async throws {
    let delegate = TagDelegate()
    let session = try #require(MockSession(pollingOption: .iso14443, delegate: delegate))
    session.begin()
    #expect(session.hasBegun)
    try await session.connect(to: .miFare(MockMiFare()))
  }

  @Test func errorsAreCaughtAsOnAnIPhone() throws {
    let error: any Error = NFCReaderError(.readerErrorRadioDisabled)
    do {
      throw error
    } catch NFCReaderError.readerErrorRadioDisabled {
    }
    #expect((error as? NFCReaderError)?.code == .readerErrorRadioDisabled)
    #expect((error as NSError).domain == NFCErrorDomain)
    #expect((error as NSError).code == 6)
    #expect(NFCReaderError.errorDomain == "NFCError")
    #expect(NFCReaderError(.readerErrorRadioDisabled) == NFCReaderError(.readerErrorRadioDisabled))
    #expect(
      NFCReaderError(.readerTransceiveErrorTagConnectionLost).localizedDescription
        == "Tag connection lost")
    #expect(
      error.localizedDescription == NFCReaderError(.readerErrorRadioDisabled).localizedDescription)
  }
}
