import CoreNFC

/// ISO 15693.
let iso15693Members = Area(
  name: "ISO 15693", types: ISO15693Members.types.map { "\($0)" },
  members: ISO15693TagMembers.plain + ISO15693TagMembers.asynchronous + ISO15693TagMembers.results
    + ISO15693Members.flags + ISO15693Members.answers
    + ISO15693Members.legacy)

private enum ISO15693Members {
  static let types: [Any.Type] = [
    (any NFCISO15693Tag).self, NFCISO15693RequestFlag.self, NFCISO15693ResponseFlag.self,
    NFCISO15693SystemInfo.self, NFCISO15693MultipleBlockSecurityStatus.self,
    NFCISO15693CustomCommandConfiguration.self, NFCISO15693ReadMultipleBlocksConfiguration.self,
    __NFCISO15693ReaderSession.self, (any __NFCReaderSessionDelegate).self,
  ]

  static let flags: [Member] = [
    Member("NFCISO15693RequestFlag.init(rawValue:)") { (value: UInt8) in
      NFCISO15693RequestFlag(rawValue: value)
    },
    Member(
      "NFCISO15693RequestFlag.dualSubCarriers",
      NFCISO15693RequestFlag.dualSubCarriers as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.highDataRate",
      NFCISO15693RequestFlag.highDataRate as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.protocolExtension",
      NFCISO15693RequestFlag.protocolExtension as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.select", NFCISO15693RequestFlag.select as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.address", NFCISO15693RequestFlag.address as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.option", NFCISO15693RequestFlag.option as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.commandSpecificBit8",
      NFCISO15693RequestFlag.commandSpecificBit8 as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.RequestFlagDualSubCarriers",
      RequestFlag.RequestFlagDualSubCarriers as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.RequestFlagHighDataRate",
      RequestFlag.RequestFlagHighDataRate as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.RequestFlagProtocolExtension",
      RequestFlag.RequestFlagProtocolExtension as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.RequestFlagSelect",
      RequestFlag.RequestFlagSelect as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.RequestFlagAddress",
      RequestFlag.RequestFlagAddress as NFCISO15693RequestFlag),
    Member(
      "NFCISO15693RequestFlag.RequestFlagOption",
      RequestFlag.RequestFlagOption as NFCISO15693RequestFlag),
    Member("NFCISO15693ResponseFlag.init(rawValue:)") { (value: UInt8) in
      NFCISO15693ResponseFlag(rawValue: value)
    },
    Member(
      "NFCISO15693ResponseFlag.error", NFCISO15693ResponseFlag.error as NFCISO15693ResponseFlag),
    Member(
      "NFCISO15693ResponseFlag.responseBufferValid",
      NFCISO15693ResponseFlag.responseBufferValid as NFCISO15693ResponseFlag),
    Member(
      "NFCISO15693ResponseFlag.finalResponse",
      NFCISO15693ResponseFlag.finalResponse as NFCISO15693ResponseFlag),
    Member(
      "NFCISO15693ResponseFlag.protocolExtension",
      NFCISO15693ResponseFlag.protocolExtension as NFCISO15693ResponseFlag),
    Member(
      "NFCISO15693ResponseFlag.blockSecurityStatusBit5",
      NFCISO15693ResponseFlag.blockSecurityStatusBit5 as NFCISO15693ResponseFlag),
    Member(
      "NFCISO15693ResponseFlag.blockSecurityStatusBit6",
      NFCISO15693ResponseFlag.blockSecurityStatusBit6 as NFCISO15693ResponseFlag),
    Member(
      "NFCISO15693ResponseFlag.waitTimeExtension",
      NFCISO15693ResponseFlag.waitTimeExtension as NFCISO15693ResponseFlag),
  ]

  static let answers: [Member] = [
    Member(
      "NFCISO15693SystemInfo.init(uniqueIdentifier:dataStorageFormatIdentifier:applicationFamilyIdentifier:"
        + "blockSize:totalBlocks:icReference:)"
    ) { (uid: Data, number: Int) in
      NFCISO15693SystemInfo(
        uniqueIdentifier: uid, dataStorageFormatIdentifier: number,
        applicationFamilyIdentifier: number, blockSize: number, totalBlocks: number,
        icReference: number)
    },
    Member(
      "NFCISO15693SystemInfo.uniqueIdentifier",
      \NFCISO15693SystemInfo.uniqueIdentifier as WritableKeyPath<NFCISO15693SystemInfo, Data>),
    Member(
      "NFCISO15693SystemInfo.dataStorageFormatIdentifier",
      \NFCISO15693SystemInfo.dataStorageFormatIdentifier
        as WritableKeyPath<NFCISO15693SystemInfo, Int>),
    Member(
      "NFCISO15693SystemInfo.applicationFamilyIdentifier",
      \NFCISO15693SystemInfo.applicationFamilyIdentifier
        as WritableKeyPath<NFCISO15693SystemInfo, Int>),
    Member(
      "NFCISO15693SystemInfo.blockSize",
      \NFCISO15693SystemInfo.blockSize as WritableKeyPath<NFCISO15693SystemInfo, Int>),
    Member(
      "NFCISO15693SystemInfo.totalBlocks",
      \NFCISO15693SystemInfo.totalBlocks as WritableKeyPath<NFCISO15693SystemInfo, Int>),
    Member(
      "NFCISO15693SystemInfo.icReference",
      \NFCISO15693SystemInfo.icReference as WritableKeyPath<NFCISO15693SystemInfo, Int>),
    Member("NFCISO15693MultipleBlockSecurityStatus.init(blockSecurityStatus:)") { (status: [Int]) in
      NFCISO15693MultipleBlockSecurityStatus(blockSecurityStatus: status)
    },
    Member(
      "NFCISO15693MultipleBlockSecurityStatus.blockSecurityStatus",
      \NFCISO15693MultipleBlockSecurityStatus.blockSecurityStatus
        as WritableKeyPath<NFCISO15693MultipleBlockSecurityStatus, [Int]>),
  ]

  static let legacy: [Member] = [
    Member(
      "NFCISO15693CustomCommandConfiguration.init(manufacturerCode:customCommandCode:requestParameters:)"
    ) {
      (code: Int, parameters: Data?) in
      NFCISO15693CustomCommandConfiguration(
        manufacturerCode: code, customCommandCode: code, requestParameters: parameters)
    },
    Member(
      "NFCISO15693CustomCommandConfiguration.init(manufacturerCode:customCommandCode:requestParameters:"
        + "maximumRetries:retryInterval:)"
    ) { (code: Int, parameters: Data?, interval: TimeInterval) in
      NFCISO15693CustomCommandConfiguration(
        manufacturerCode: code, customCommandCode: code, requestParameters: parameters,
        maximumRetries: code, retryInterval: interval)
    },
    Member(
      "NFCISO15693CustomCommandConfiguration.manufacturerCode",
      \NFCISO15693CustomCommandConfiguration.manufacturerCode
        as ReferenceWritableKeyPath<NFCISO15693CustomCommandConfiguration, Int>),
    Member(
      "NFCISO15693CustomCommandConfiguration.customCommandCode",
      \NFCISO15693CustomCommandConfiguration.customCommandCode
        as ReferenceWritableKeyPath<NFCISO15693CustomCommandConfiguration, Int>),
    Member(
      "NFCISO15693CustomCommandConfiguration.requestParameters",
      \NFCISO15693CustomCommandConfiguration.requestParameters
        as ReferenceWritableKeyPath<NFCISO15693CustomCommandConfiguration, Data>),
    Member("NFCISO15693ReadMultipleBlocksConfiguration.init(range:chunkSize:)") {
      (range: NSRange, size: Int) in
      NFCISO15693ReadMultipleBlocksConfiguration(range: range, chunkSize: size)
    },
    Member(
      "NFCISO15693ReadMultipleBlocksConfiguration.init(range:chunkSize:maximumRetries:retryInterval:)"
    ) {
      (range: NSRange, size: Int, interval: TimeInterval) in
      NFCISO15693ReadMultipleBlocksConfiguration(
        range: range, chunkSize: size, maximumRetries: size, retryInterval: interval)
    },
    Member(
      "NFCISO15693ReadMultipleBlocksConfiguration.range",
      \NFCISO15693ReadMultipleBlocksConfiguration.range
        as ReferenceWritableKeyPath<NFCISO15693ReadMultipleBlocksConfiguration, NSRange>),
    Member(
      "NFCISO15693ReadMultipleBlocksConfiguration.chunkSize",
      \NFCISO15693ReadMultipleBlocksConfiguration.chunkSize
        as ReferenceWritableKeyPath<NFCISO15693ReadMultipleBlocksConfiguration, Int>),
    Member("__NFCISO15693ReaderSession.init(delegate:queue:)") {
      (it: any __NFCReaderSessionDelegate, queue: DispatchQueue?) in
      __NFCISO15693ReaderSession(delegate: it, queue: queue)
    },
    Member("__NFCISO15693ReaderSession.restartPolling()") { (it: __NFCISO15693ReaderSession) in
      it.restartPolling()
    },
    Member("__NFCReaderSessionDelegate.readerSessionDidBecomeActive(_:)") {
      (it: any __NFCReaderSessionDelegate, session: NFCReaderSession) in
      it.readerSessionDidBecomeActive(session)
    },
    Member("__NFCReaderSessionDelegate.readerSession(_:didInvalidateWithError:)") {
      (it: any __NFCReaderSessionDelegate, session: NFCReaderSession, error: any Error) in
      it.readerSession(session, didInvalidateWithError: error)
    },
    Member("__NFCReaderSessionDelegate.readerSession(_:didDetect:)") {
      (it: any __NFCReaderSessionDelegate, session: NFCReaderSession) in
      it.readerSession(session, didDetect: [any __NFCTag]())
    },
  ]
}
