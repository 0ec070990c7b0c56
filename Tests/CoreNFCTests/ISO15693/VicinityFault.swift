import CoreNFC
import Testing

/// A call whose parameters are wrong, and the error that it has to end with.
struct VicinityFault: Sendable {
  let code: NFCReaderError.Code
  let call: nonisolated(nonsending) @Sendable (any NFCISO15693Tag) async throws -> Void
  let sourceLocation: SourceLocation

  init(
    _ code: NFCReaderError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: nonisolated(nonsending) @escaping @Sendable (any NFCISO15693Tag) async throws -> Void
  ) {
    self.code = code
    self.call = call
    self.sourceLocation = sourceLocation
  }

  static let all = blocks + ranges + extendedRanges + data + codes + lengths

  private static let block = Data([1, 2, 3, 4])

  private static let blocks = [-1, 0x1_0000, Int.min, Int.max].flatMap { number in
    [
      VicinityFault(.readerErrorParameterOutOfBound) {
        _ = try await $0.extendedReadSingleBlock(requestFlags: [], blockNumber: number)
      },
      VicinityFault(.readerErrorParameterOutOfBound) {
        try await $0.extendedWriteSingleBlock(
          requestFlags: [], blockNumber: number, dataBlock: block)
      },
      VicinityFault(.readerErrorParameterOutOfBound) {
        try await $0.extendedLockBlock(requestFlags: [], blockNumber: number)
      },
    ]
  }

  private static var hostile: [(NSRange, NFCReaderError.Code)] {
    [
      (NSRange(location: NSNotFound, length: 0), .readerErrorInvalidParameter),
      (NSRange(location: 0, length: 0), .readerErrorInvalidParameter),
      (NSRange(location: NSNotFound, length: 1), .readerErrorParameterOutOfBound),
      (NSRange(location: -1, length: 1), .readerErrorParameterOutOfBound),
      (NSRange(location: 0, length: -1), .readerErrorParameterOutOfBound),
      (NSRange(location: 1, length: .max), .readerErrorParameterOutOfBound),
      (NSRange(location: .min, length: .min), .readerErrorParameterOutOfBound),
      (NSRange(location: 65535, length: 2), .readerErrorParameterOutOfBound),
      (NSRange(location: 0, length: 65537), .readerErrorParameterOutOfBound),
    ]
  }

  private static var narrow: [(NSRange, NFCReaderError.Code)] {
    [
      (NSRange(location: 256, length: 1), .readerErrorParameterOutOfBound),
      (NSRange(location: 255, length: 2), .readerErrorParameterOutOfBound),
      (NSRange(location: 0, length: 257), .readerErrorParameterOutOfBound),
    ]
  }

  private static let ranges = (hostile + narrow).flatMap { range, code in
    [
      VicinityFault(code) {
        _ = try await $0.readMultipleBlocks(requestFlags: [], blockRange: range)
      },
      VicinityFault(code) {
        _ = try await $0.fastReadMultipleBlocks(requestFlags: [], blockRange: range)
      },
      VicinityFault(code) {
        try await $0.writeMultipleBlocks(
          requestFlags: [], blockRange: range, dataBlocks: [block])
      },
      VicinityFault(code) {
        _ = try await $0.getMultipleBlockSecurityStatus(requestFlags: [], blockRange: range)
      },
    ]
  }

  private static let extendedRanges = hostile.flatMap { range, code in
    [
      VicinityFault(code) {
        _ = try await $0.extendedReadMultipleBlocks(requestFlags: [], blockRange: range)
      },
      VicinityFault(code) {
        _ = try await $0.extendedFastReadMultipleBlocks(requestFlags: [], blockRange: range)
      },
      VicinityFault(code) {
        try await $0.extendedWriteMultipleBlocks(
          requestFlags: [], blockRange: range, dataBlocks: [block])
      },
      VicinityFault(code) {
        _ = try await $0.extendedGetMultipleBlockSecurityStatus(
          requestFlags: [], blockRange: range)
      },
    ]
  }

  private static let data =
    [Data(), Data(count: 33)].flatMap { data in
      [
        VicinityFault(.readerErrorInvalidParameterLength) {
          try await $0.writeSingleBlock(requestFlags: [], blockNumber: 0, dataBlock: data)
        },
        VicinityFault(.readerErrorInvalidParameterLength) {
          try await $0.extendedWriteSingleBlock(requestFlags: [], blockNumber: 0, dataBlock: data)
        },
      ]
    }
    + [[], [block], [block, block, block], [block, Data([1])], [Data(), Data()]].flatMap { list in
      [
        VicinityFault(.readerErrorInvalidParameterLength) {
          try await $0.writeMultipleBlocks(
            requestFlags: [], blockRange: NSRange(0..<2), dataBlocks: list)
        },
        VicinityFault(.readerErrorInvalidParameterLength) {
          try await $0.extendedWriteMultipleBlocks(
            requestFlags: [], blockRange: NSRange(0..<2), dataBlocks: list)
        },
      ]
    }

  private static let codes =
    [-1, 0x100, Int.max].flatMap { number in
      [
        VicinityFault(.readerErrorParameterOutOfBound) {
          _ = try await $0.authenticate(
            requestFlags: [], cryptoSuiteIdentifier: number, message: Data())
        },
        VicinityFault(.readerErrorParameterOutOfBound) {
          _ = try await $0.keyUpdate(requestFlags: [], keyIdentifier: number, message: Data())
        },
        VicinityFault(.readerErrorParameterOutOfBound) {
          try await $0.challenge(
            requestFlags: [], cryptoSuiteIdentifier: number, message: Data())
        },
        VicinityFault(.readerErrorParameterOutOfBound) {
          _ = try await $0.sendRequest(requestFlags: number, commandCode: 0x20, data: nil)
        },
        VicinityFault(.readerErrorParameterOutOfBound) {
          _ = try await $0.sendRequest(requestFlags: 0x02, commandCode: number, data: nil)
        },
      ]
    }
    + [-1, 0x9F, 0xE0, Int.min].map { code in
      VicinityFault(.readerErrorParameterOutOfBound) {
        _ = try await $0.customCommand(
          requestFlags: [], customCommandCode: code, customRequestParameters: Data())
      }
    }
    + [
      // The inventory flag, 04, has no name and makes no sense here.
      VicinityFault(.readerErrorInvalidParameter) {
        _ = try await $0.readSingleBlock(
          requestFlags: NFCISO15693RequestFlag(rawValue: 0x04), blockNumber: 0)
      }
    ]

  private static let lengths = [
    VicinityFault(.readerTransceiveErrorPacketTooLong) {
      _ = try await $0.customCommand(
        requestFlags: [], customCommandCode: 0xA0, customRequestParameters: Data(count: 256))
    },
    VicinityFault(.readerTransceiveErrorPacketTooLong) {
      _ = try await $0.sendRequest(requestFlags: 2, commandCode: 0xE0, data: Data(count: 255))
    },
    VicinityFault(.readerTransceiveErrorPacketTooLong) {
      try await $0.writeMultipleBlocks(
        requestFlags: [], blockRange: NSRange(0..<64),
        dataBlocks: Array(repeating: block, count: 64))
    },
    VicinityFault(.readerTransceiveErrorPacketTooLong) {
      _ = try await $0.getMultipleBlockSecurityStatus(
        requestFlags: [], blockRange: NSRange(0..<256))
    },
  ]
}
