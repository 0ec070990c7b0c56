import CoreNFC
import Testing

/// A tag of a program's own tests has the forms with completion handlers alone; the others come of them,
/// and the commands that Apple's protocol does not ask of it fail.
@Suite struct VicinityMockTests {
  @Test func otherFormsComeOfTheCompletionForms() async throws {
    let tag: any NFCISO15693Tag = MockVicinityTag()
    let block = Data([0x20])
    #expect(try await tag.readSingleBlock(requestFlags: [], blockNumber: 0) == block)
    let result: Data = try await handled {
      tag.readSingleBlock(requestFlags: [], blockNumber: 0, resultHandler: $0)
    }
    #expect(result == block)
    let info = try await tag.systemInfo(requestFlags: [])
    #expect(info.uniqueIdentifier == Data([3, 2, 1]))
    #expect(info.totalBlocks == 4)
    try await handled { tag.lockDFSID(requestFlags: [], completionHandler: $0) }
    await expect(.readerErrorSecurityViolation) { try await tag.lockAFI(requestFlags: []) }
  }

  @Test func commandsThatItNeedNotHaveFail() async {
    let tag: any NFCISO15693Tag = MockVicinityTag()
    let range = NSRange(location: 0, length: 1)
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.fastReadMultipleBlocks(requestFlags: [], blockRange: range)
    }
    await expect(.readerErrorUnsupportedFeature) {
      try await tag.extendedWriteMultipleBlocks(
        requestFlags: [], blockRange: range, dataBlocks: [])
    }
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.extendedGetMultipleBlockSecurityStatus(requestFlags: [], blockRange: range)
    }
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.extendedFastReadMultipleBlocks(requestFlags: [], blockRange: range)
    }
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.authenticate(requestFlags: [], cryptoSuiteIdentifier: 0, message: Data())
    }
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.keyUpdate(requestFlags: [], keyIdentifier: 0, message: Data())
    }
    await expect(.readerErrorUnsupportedFeature) {
      try await tag.challenge(requestFlags: [], cryptoSuiteIdentifier: 0, message: Data())
    }
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.readBuffer(requestFlags: [])
    }
    await expect(.readerErrorUnsupportedFeature) {
      _ = try await tag.sendRequest(requestFlags: 0, commandCode: 0, data: nil)
    }
  }
}

/// As a program would write it, for Apple's protocol.
private final class MockVicinityTag: NSObject, NFCISO15693Tag {
  var identifier: Data { Data([1, 2, 3]) }
  var icManufacturerCode: Int { 4 }
  var icSerialNumber: Data { Data() }
  var isAvailable: Bool { true }
  var type: __NFCTagType { .ISO15693 }
  var session: (any NFCReaderSessionProtocol)? { nil }

  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) { nil }
  func encode(with coder: NSCoder) {}
  func copy(with zone: NSZone? = nil) -> Any { self }

  func asNFCISO15693Tag() -> NFCISO15693Tag? { self }
  func asNFCISO7816Tag() -> NFCISO7816Tag? { nil }
  func asNFCFeliCaTag() -> NFCFeliCaTag? { nil }
  func asNFCMiFareTag() -> NFCMiFareTag? { nil }

  func queryNDEFStatus(completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, Error?) -> Void)
  {
    completionHandler(.notSupported, 0, nil)
  }
  func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, Error?) -> Void) {
    completionHandler(nil, nil)
  }
  func writeNDEF(
    _ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func writeLock(completionHandler: @escaping @Sendable (Error?) -> Void) { completionHandler(nil) }

  func stayQuiet(completionHandler: @escaping @Sendable (Error?) -> Void) { completionHandler(nil) }
  func select(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func resetToReady(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }

  func readSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    completionHandler: @escaping @Sendable (Data, Error?) -> Void
  ) { completionHandler(Data([0x20]), nil) }
  func writeSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8, dataBlock: Data,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func lockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: UInt8,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func readMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([Data], Error?) -> Void
  ) { completionHandler([], nil) }
  func writeMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange, dataBlocks: [Data],
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func getMultipleBlockSecurityStatus(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([NSNumber], Error?) -> Void
  ) { completionHandler([], nil) }

  func writeAFI(
    requestFlags flags: NFCISO15693RequestFlag, afi: UInt8,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func lockAFI(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(NFCReaderError(.readerErrorSecurityViolation)) }
  func writeDSFID(
    requestFlags flags: NFCISO15693RequestFlag, dsfid: UInt8,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func lockDSFID(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func getSystemInfo(
    requestFlags flags: NFCISO15693RequestFlag,
    completionHandler: @escaping @Sendable (Int, Int, Int, Int, Int, Error?) -> Void
  ) { completionHandler(1, 2, 3, 4, 5, nil) }

  func extendedReadSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    completionHandler: @escaping @Sendable (Data, Error?) -> Void
  ) { completionHandler(Data(), nil) }
  func extendedWriteSingleBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int, dataBlock: Data,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func extendedLockBlock(
    requestFlags flags: NFCISO15693RequestFlag, blockNumber: Int,
    completionHandler: @escaping @Sendable (Error?) -> Void
  ) { completionHandler(nil) }
  func extendedReadMultipleBlocks(
    requestFlags flags: NFCISO15693RequestFlag, blockRange: NSRange,
    completionHandler: @escaping @Sendable ([Data], Error?) -> Void
  ) { completionHandler([], nil) }

  func customCommand(
    requestFlags flags: NFCISO15693RequestFlag, customCommandCode: Int,
    customRequestParameters: Data, completionHandler: @escaping @Sendable (Data, Error?) -> Void
  ) { completionHandler(Data(), nil) }
  func sendCustomCommand(
    commandConfiguration: NFCISO15693CustomCommandConfiguration,
    completionHandler: @escaping @Sendable (Data, Error?) -> Void
  ) { completionHandler(Data(), nil) }
  func readMultipleBlock(
    readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration,
    completionHandler: @escaping @Sendable (Data, Error?) -> Void
  ) { completionHandler(Data(), nil) }
}
