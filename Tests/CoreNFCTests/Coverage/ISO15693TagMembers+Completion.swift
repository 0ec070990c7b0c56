import CoreNFC

/// ISO 15693, the tag's methods: with completion handlers.
enum ISO15693TagMembers {
  static let plain: [Member] = [
    Member("NFCISO15693Tag.identifier") { (it: any NFCISO15693Tag) -> Data in it.identifier },
    Member("NFCISO15693Tag.icManufacturerCode") { (it: any NFCISO15693Tag) -> Int in
      it.icManufacturerCode
    },
    Member("NFCISO15693Tag.icSerialNumber") { (it: any NFCISO15693Tag) -> Data in it.icSerialNumber
    },
    Member("NFCISO15693Tag.stayQuiet(completionHandler:)") { (tag: any NFCISO15693Tag) in
      tag.stayQuiet { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.readSingleBlock(requestFlags:blockNumber:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8) in
      tag.readSingleBlock(requestFlags: flags, blockNumber: number) { (_: Data, _: (any Error)?) in
      }
    },
    Member("NFCISO15693Tag.writeSingleBlock(requestFlags:blockNumber:dataBlock:completionHandler:)")
    { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8, block: Data) in
      tag.writeSingleBlock(requestFlags: flags, blockNumber: number, dataBlock: block) {
        (_: (any Error)?) in
      }
    },
    Member("NFCISO15693Tag.lockBlock(requestFlags:blockNumber:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: UInt8) in
      tag.lockBlock(requestFlags: flags, blockNumber: number) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.readMultipleBlocks(requestFlags:blockRange:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.readMultipleBlocks(requestFlags: flags, blockRange: range) {
        (_: [Data], _: (any Error)?) in
      }
    },
    Member(
      "NFCISO15693Tag.writeMultipleBlocks(requestFlags:blockRange:dataBlocks:completionHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange, blocks: [Data]) in
      tag.writeMultipleBlocks(requestFlags: flags, blockRange: range, dataBlocks: blocks) {
        (_: (any Error)?) in
      }
    },
    Member("NFCISO15693Tag.select(requestFlags:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.select(requestFlags: flags) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.resetToReady(requestFlags:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.resetToReady(requestFlags: flags) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.writeAFI(requestFlags:afi:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, afi: UInt8) in
      tag.writeAFI(requestFlags: flags, afi: afi) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.lockAFI(requestFlags:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.lockAFI(requestFlags: flags) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.writeDSFID(requestFlags:dsfid:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, dsfid: UInt8) in
      tag.writeDSFID(requestFlags: flags, dsfid: dsfid) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.lockDFSID(requestFlags:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.lockDFSID(requestFlags: flags) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.lockDSFID(requestFlags:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.lockDSFID(requestFlags: flags) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.getSystemInfo(requestFlags:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag) in
      tag.getSystemInfo(requestFlags: flags) {
        (_: Int, _: Int, _: Int, _: Int, _: Int, _: (any Error)?) in
      }
    },
    Member(
      "NFCISO15693Tag.getMultipleBlockSecurityStatus(requestFlags:blockRange:completionHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.getMultipleBlockSecurityStatus(requestFlags: flags, blockRange: range) {
        (_: [NSNumber], _: (any Error)?) in
      }
    },
    Member(
      "NFCISO15693Tag.customCommand(requestFlags:customCommandCode:customRequestParameters:completionHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, code: Int, parameters: Data) in
      tag.customCommand(
        requestFlags: flags, customCommandCode: code, customRequestParameters: parameters
      ) { (_: Data, _: (any Error)?) in }
    },
    Member("NFCISO15693Tag.extendedReadSingleBlock(requestFlags:blockNumber:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int) in
      tag.extendedReadSingleBlock(requestFlags: flags, blockNumber: number) {
        (_: Data, _: (any Error)?) in
      }
    },
    Member(
      "NFCISO15693Tag.extendedWriteSingleBlock(requestFlags:blockNumber:dataBlock:completionHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int, block: Data) in
      tag.extendedWriteSingleBlock(requestFlags: flags, blockNumber: number, dataBlock: block) {
        (_: (any Error)?) in
      }
    },
    Member("NFCISO15693Tag.extendedLockBlock(requestFlags:blockNumber:completionHandler:)") {
      (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, number: Int) in
      tag.extendedLockBlock(requestFlags: flags, blockNumber: number) { (_: (any Error)?) in }
    },
    Member("NFCISO15693Tag.extendedReadMultipleBlocks(requestFlags:blockRange:completionHandler:)")
    { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange) in
      tag.extendedReadMultipleBlocks(requestFlags: flags, blockRange: range) {
        (_: [Data], _: (any Error)?) in
      }
    },
    Member(
      "NFCISO15693Tag.extendedWriteMultipleBlocks(requestFlags:blockRange:dataBlocks:completionHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, range: NSRange, blocks: [Data]) in
      tag.extendedWriteMultipleBlocks(requestFlags: flags, blockRange: range, dataBlocks: blocks) {
        (_: (any Error)?) in
      }
    },
    Member(
      "NFCISO15693Tag.challenge(requestFlags:cryptoSuiteIdentifier:message:completionHandler:)"
    ) { (tag: any NFCISO15693Tag, flags: NFCISO15693RequestFlag, suite: Int, message: Data) in
      tag.challenge(requestFlags: flags, cryptoSuiteIdentifier: suite, message: message) {
        (_: (any Error)?) in
      }
    },
    Member("NFCISO15693Tag.sendCustomCommand(commandConfiguration:completionHandler:)") {
      (tag: any NFCISO15693Tag, configuration: NFCISO15693CustomCommandConfiguration) in
      tag.sendCustomCommand(commandConfiguration: configuration) { (_: Data, _: (any Error)?) in }
    },
    Member("NFCISO15693Tag.readMultipleBlock(readConfiguration:completionHandler:)") {
      (tag: any NFCISO15693Tag, configuration: NFCISO15693ReadMultipleBlocksConfiguration) in
      tag.readMultipleBlock(readConfiguration: configuration) { (_: Data, _: (any Error)?) in }
    },
  ]
}
