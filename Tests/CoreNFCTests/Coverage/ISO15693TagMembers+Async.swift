import CoreNFC

/// ISO 15693, the tag's methods: the `async` forms and those with result handlers.
extension ISO15693TagMembers {
  static let asynchronous: [Member] = [
    Member("NFCISO15693Tag.stayQuiet()") { (tag: any NFCISO15693Tag) async throws in
      try await tag.stayQuiet()
    },
    Member("NFCISO15693Tag.readSingleBlock(requestFlags:blockNumber:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8) async throws -> Data
      in
      try await tag.readSingleBlock(requestFlags: flags, blockNumber: number)
    },
    Member("NFCISO15693Tag.writeSingleBlock(requestFlags:blockNumber:dataBlock:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8, block: Data)
        async throws in
      try await tag.writeSingleBlock(requestFlags: flags, blockNumber: number, dataBlock: block)
    },
    Member("NFCISO15693Tag.lockBlock(requestFlags:blockNumber:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8) async throws in
      try await tag.lockBlock(requestFlags: flags, blockNumber: number)
    },
    Member("NFCISO15693Tag.readMultipleBlocks(requestFlags:blockRange:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) async throws
        -> [Data] in
      try await tag.readMultipleBlocks(requestFlags: flags, blockRange: range)
    },
    Member("NFCISO15693Tag.writeMultipleBlocks(requestFlags:blockRange:dataBlocks:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange, blocks: [Data])
        async throws in
      try await tag.writeMultipleBlocks(requestFlags: flags, blockRange: range, dataBlocks: blocks)
    },
    Member("NFCISO15693Tag.select(requestFlags:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) async throws in
      try await tag.select(requestFlags: flags)
    },
    Member("NFCISO15693Tag.resetToReady(requestFlags:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) async throws in
      try await tag.resetToReady(requestFlags: flags)
    },
    Member("NFCISO15693Tag.writeAFI(requestFlags:afi:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, afi: UInt8) async throws in
      try await tag.writeAFI(requestFlags: flags, afi: afi)
    },
    Member("NFCISO15693Tag.lockAFI(requestFlags:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) async throws in
      try await tag.lockAFI(requestFlags: flags)
    },
    Member("NFCISO15693Tag.writeDSFID(requestFlags:dsfid:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, dsfid: UInt8) async throws in
      try await tag.writeDSFID(requestFlags: flags, dsfid: dsfid)
    },
    Member("NFCISO15693Tag.lockDSFID(requestFlags:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) async throws in
      try await tag.lockDSFID(requestFlags: flags)
    },
    Member("NFCISO15693Tag.systemInfo(requestFlags:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) async throws -> NFCISO15693SystemInfo
      in
      try await tag.systemInfo(requestFlags: flags)
    },
    Member("NFCISO15693Tag.getMultipleBlockSecurityStatus(requestFlags:blockRange:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) async throws
        -> [NSNumber] in
      try await tag.getMultipleBlockSecurityStatus(requestFlags: flags, blockRange: range)
    },
    Member("NFCISO15693Tag.fastReadMultipleBlocks(requestFlags:blockRange:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) async throws
        -> [Data] in
      try await tag.fastReadMultipleBlocks(requestFlags: flags, blockRange: range)
    },
    Member("NFCISO15693Tag.customCommand(requestFlags:customCommandCode:customRequestParameters:)")
    {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, code: Int, parameters: Data)
        async throws -> Data in
      try await tag.customCommand(
        requestFlags: flags, customCommandCode: code, customRequestParameters: parameters)
    },
    Member("NFCISO15693Tag.extendedReadSingleBlock(requestFlags:blockNumber:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int) async throws -> Data in
      try await tag.extendedReadSingleBlock(requestFlags: flags, blockNumber: number)
    },
    Member("NFCISO15693Tag.extendedWriteSingleBlock(requestFlags:blockNumber:dataBlock:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int, block: Data)
        async throws in
      try await tag.extendedWriteSingleBlock(
        requestFlags: flags, blockNumber: number, dataBlock: block)
    },
    Member("NFCISO15693Tag.extendedLockBlock(requestFlags:blockNumber:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int) async throws in
      try await tag.extendedLockBlock(requestFlags: flags, blockNumber: number)
    },
    Member("NFCISO15693Tag.extendedReadMultipleBlocks(requestFlags:blockRange:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) async throws
        -> [Data] in
      try await tag.extendedReadMultipleBlocks(requestFlags: flags, blockRange: range)
    },
    Member("NFCISO15693Tag.extendedWriteMultipleBlocks(requestFlags:blockRange:dataBlocks:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange, blocks: [Data])
        async throws in
      try await tag.extendedWriteMultipleBlocks(
        requestFlags: flags, blockRange: range, dataBlocks: blocks)
    },
    Member("NFCISO15693Tag.authenticate(requestFlags:cryptoSuiteIdentifier:message:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, suite: Int, message: Data)
        async throws -> (NFCISO15693ResponseFlag, Data) in
      try await tag.authenticate(
        requestFlags: flags, cryptoSuiteIdentifier: suite, message: message)
    },
    Member("NFCISO15693Tag.keyUpdate(requestFlags:keyIdentifier:message:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, key: Int, message: Data) async throws
        -> (NFCISO15693ResponseFlag, Data) in
      try await tag.keyUpdate(requestFlags: flags, keyIdentifier: key, message: message)
    },
    Member("NFCISO15693Tag.challenge(requestFlags:cryptoSuiteIdentifier:message:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, suite: Int, message: Data)
        async throws in
      try await tag.challenge(requestFlags: flags, cryptoSuiteIdentifier: suite, message: message)
    },
    Member("NFCISO15693Tag.readBuffer(requestFlags:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) async throws -> (
        NFCISO15693ResponseFlag, Data
      ) in
      try await tag.readBuffer(requestFlags: flags)
    },
    Member("NFCISO15693Tag.extendedGetMultipleBlockSecurityStatus(requestFlags:blockRange:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) async throws
        -> NFCISO15693MultipleBlockSecurityStatus in
      try await tag.extendedGetMultipleBlockSecurityStatus(requestFlags: flags, blockRange: range)
    },
    Member("NFCISO15693Tag.extendedFastReadMultipleBlocks(requestFlags:blockRange:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) async throws
        -> [Data] in
      try await tag.extendedFastReadMultipleBlocks(requestFlags: flags, blockRange: range)
    },
    Member("NFCISO15693Tag.sendRequest(requestFlags:commandCode:data:)") {
      (tag: any NFCISO15693Tag, flags: Int, code: Int, data: Data?) async throws -> (
        NFCISO15693ResponseFlag, Data?
      ) in
      try await tag.sendRequest(requestFlags: flags, commandCode: code, data: data)
    },
  ]

  static let results: [Member] = [
    Member("NFCISO15693Tag.readSingleBlock(requestFlags:blockNumber:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8) in
      tag.readSingleBlock(requestFlags: flags, blockNumber: number) {
        (_: Result<Data, any Error>) in
      }
    },
    Member("NFCISO15693Tag.readMultipleBlocks(requestFlags:blockRange:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.readMultipleBlocks(requestFlags: flags, blockRange: range) {
        (_: Result<[Data], any Error>) in
      }
    },
    Member("NFCISO15693Tag.getSystemInfo(requestFlags:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.getSystemInfo(requestFlags: flags) { (_: Result<NFCISO15693SystemInfo, any Error>) in }
    },
    Member("NFCISO15693Tag.fastReadMultipleBlocks(requestFlags:blockRange:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.fastReadMultipleBlocks(requestFlags: flags, blockRange: range) {
        (_: Result<[Data], any Error>) in
      }
    },
    Member(
      "NFCISO15693Tag.customCommand(requestFlags:customCommandCode:customRequestParameters:resultHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, code: Int, parameters: Data) in
      tag.customCommand(
        requestFlags: flags, customCommandCode: code, customRequestParameters: parameters
      ) { (_: Result<Data, any Error>) in }
    },
    Member("NFCISO15693Tag.extendedReadSingleBlock(requestFlags:blockNumber:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int) in
      tag.extendedReadSingleBlock(requestFlags: flags, blockNumber: number) {
        (_: Result<Data, any Error>) in
      }
    },
    Member("NFCISO15693Tag.authenticate(requestFlags:cryptoSuiteIdentifier:message:resultHandler:)")
    { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, suite: Int, message: Data) in
      tag.authenticate(requestFlags: flags, cryptoSuiteIdentifier: suite, message: message) {
        (_: Result<(NFCISO15693ResponseFlag, Data), any Error>) in
      }
    },
    Member("NFCISO15693Tag.keyUpdate(requestFlags:keyIdentifier:message:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, key: Int, message: Data) in
      tag.keyUpdate(requestFlags: flags, keyIdentifier: key, message: message) {
        (_: Result<(NFCISO15693ResponseFlag, Data), any Error>) in
      }
    },
    Member("NFCISO15693Tag.readBuffer(requestFlags:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.readBuffer(requestFlags: flags) {
        (_: Result<(NFCISO15693ResponseFlag, Data), any Error>) in
      }
    },
    Member(
      "NFCISO15693Tag.extendedGetMultipleBlockSecurityStatus(requestFlags:blockRange:resultHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.extendedGetMultipleBlockSecurityStatus(requestFlags: flags, blockRange: range) {
        (_: Result<NFCISO15693MultipleBlockSecurityStatus, any Error>) in
      }
    },
    Member("NFCISO15693Tag.extendedFastReadMultipleBlocks(requestFlags:blockRange:resultHandler:)")
    { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.extendedFastReadMultipleBlocks(requestFlags: flags, blockRange: range) {
        (_: Result<[Data], any Error>) in
      }
    },
    Member("NFCISO15693Tag.sendRequest(requestFlags:commandCode:data:resultHandler:)") {
      (tag: any NFCISO15693Tag, flags: Int, code: Int, data: Data?) in
      tag.sendRequest(requestFlags: flags, commandCode: code, data: data) {
        (_: Result<(NFCISO15693ResponseFlag, Data?), any Error>) in
      }
    },
  ]
}
