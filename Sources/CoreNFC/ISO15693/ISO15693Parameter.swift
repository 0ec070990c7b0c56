import Foundation
import NFC

/// Converts a program's arguments into the form of the native commands, before anything is sent.
enum ISO15693Parameter {
  private static let ordinaryBlockCount = 0x100
  private static let blockSizes = 1...32

  /// - Throws: `readerErrorParameterOutOfBound` for a number that does not fit into a byte.
  static func byte(_ value: Int) throws -> UInt8 {
    guard let byte = UInt8(exactly: value) else { throw outOfBound }
    return byte
  }

  /// - Throws: `readerErrorParameterOutOfBound` outside A0 to DF.
  static func customCode(_ code: Int) throws -> UInt8 {
    let code = try byte(code)
    guard ISO15693CommandCode.custom.contains(code) else { throw outOfBound }
    return code
  }

  /// Returns the number of a block in an extended command.
  ///
  /// - Throws: `readerErrorParameterOutOfBound` outside 0 to 65535.
  static func extended(_ block: Int) throws -> UInt16 {
    guard let number = UInt16(exactly: block) else { throw outOfBound }
    return number
  }

  /// Returns the blocks of an extended command.
  ///
  /// - Throws: `readerErrorInvalidParameter` for no block, `readerErrorParameterOutOfBound` outside 0 to
  ///   65535.
  static func extended(_ range: NSRange) throws -> ISO15693BlockRange {
    guard range.length != 0 else { throw NFCReaderError(.readerErrorInvalidParameter) }
    guard let blocks = ISO15693BlockRange(first: range.location, count: range.length) else {
      throw outOfBound
    }
    return blocks
  }

  /// Returns the blocks of an ordinary command.
  ///
  /// - Throws: `readerErrorInvalidParameter` for no block, `readerErrorParameterOutOfBound` outside 0 to
  ///   255.
  static func ordinary(_ range: NSRange) throws -> ISO15693BlockRange {
    let blocks = try extended(range)
    guard blocks.numbers.upperBound <= ordinaryBlockCount else { throw outOfBound }
    return blocks
  }

  /// Returns a block's data.
  ///
  /// - Throws: `readerErrorInvalidParameterLength` unless it is 1 to 32 bytes (ISO/IEC 15693-3, 4.2).
  static func block(_ data: Data) throws -> [UInt8] {
    guard blockSizes.contains(data.count) else { throw wrongLength }
    return Array(data)
  }

  /// Returns the data of blocks, one after the other.
  ///
  /// - Throws: `readerErrorInvalidParameterLength` unless there is a block for each number, and all
  ///   have the same size.
  static func blocks(_ data: [Data], for range: ISO15693BlockRange) throws -> [UInt8] {
    guard data.count == range.count, Set(data.map(\.count)).count == 1 else { throw wrongLength }
    return try data.flatMap { try block($0) }
  }

  private static var outOfBound: NFCReaderError { NFCReaderError(.readerErrorParameterOutOfBound) }
  private static var wrongLength: NFCReaderError {
    NFCReaderError(.readerErrorInvalidParameterLength)
  }
}

extension ISO15693Response {
  /// Returns the answer to a read of blocks, each with its security status before it if the request
  /// had the option flag.
  func blocks(_ count: Int, _ flags: NFCISO15693RequestFlag) throws -> [Data] {
    do {
      return try ISO15693Block.decode(
        payload, count: count, hasSecurityStatus: flags.contains(.option)
      ).map { block in
        Data((block.securityStatus.map { [$0] } ?? []) + block.data)
      }
    } catch {
      throw unexpectedLength(error)
    }
  }

  /// Returns the answer to a read of one block.
  func block(_ flags: NFCISO15693RequestFlag) throws -> Data { try Data(blocks(1, flags).joined()) }

  /// Returns the answer to a question for the security status of blocks.
  func securityStatus(_ count: Int) throws -> [UInt8] {
    guard payload.count == count else { throw unexpectedLength(nil) }
    return payload
  }

  /// Returns the answer to get system information.
  func systemInformation(_ flags: NFCISO15693RequestFlag) throws -> ISO15693SystemInformation {
    do {
      return try ISO15693SystemInformation(
        decoding: payload,
        form: flags.contains(.protocolExtension) ? .protocolExtension : .ordinary)
    } catch {
      throw unexpectedLength(error)
    }
  }

  /// The result of a cryptographic command: the flags, and what follows them.
  var whole: (NFCISO15693ResponseFlag, Data) { (NFCISO15693ResponseFlag(flags), Data(payload)) }

  private func unexpectedLength(_ error: (any Error)?) -> NFCReaderError {
    var userInfo: [String: Any] = [
      NFCTagResponseUnexpectedLengthErrorKey: NSNumber(value: payload.count)
    ]
    userInfo[NSUnderlyingErrorKey] = error
    return NFCReaderError(.readerTransceiveErrorTagResponseError, userInfo: userInfo)
  }
}
