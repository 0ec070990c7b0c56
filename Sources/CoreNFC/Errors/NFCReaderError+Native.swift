import Foundation
import NFC

/// The operation during which a native error occurred; the same fault has a different code in each.
enum Operation: Sendable {
  case command
  case readNDEF
  case writeNDEF
}

extension NFCReaderError {
  /// Translates the error of a tag or a reader.
  init(_ error: any Error, during operation: Operation = .command) {
    switch error {
    case let error as NFCReaderError: self = error
    case let error as NFCError:
      let code = Self.code(of: error, during: operation)
      self.init(code, userInfo: Self.userInfo(of: error, code))
    case is CancellationError:
      self.init(.readerTransceiveErrorSessionInvalidated)
    default:
      self.init(.readerTransceiveErrorTagResponseError, userInfo: [NSUnderlyingErrorKey: error])
    }
  }

  /// Whether the tag has left, whatever was being done.
  var isTagLoss: Bool {
    if code == .readerTransceiveErrorTagConnectionLost { return true }
    guard let error = userInfo[NSUnderlyingErrorKey] as? NFCError else { return false }
    return error.code == .tagConnectionLost || error.code == .readerLost
  }

  private static func code(of error: NFCError, during operation: Operation) -> Code {
    switch error.code {
    // For a write, an iPhone's logs have "Connection Closed" under "Stack Error".
    case .tagConnectionLost, .readerLost:
      return operation == .writeNDEF
        ? .ndefReaderSessionErrorTagUpdateFailure : .readerTransceiveErrorTagConnectionLost
    case .tagNotConnected: return .readerTransceiveErrorTagNotConnected
    case .commandTooLong: return .readerTransceiveErrorPacketTooLong
    case .invalidParameter: return .readerErrorInvalidParameter
    case .unsupported: return .readerErrorUnsupportedFeature
    case .capacityExceeded: return .ndefReaderSessionErrorTagSizeTooSmall
    case .readOnly where operation == .writeNDEF: return .ndefReaderSessionErrorTagNotWritable
    default: break
    }
    switch operation {
    case .writeNDEF: return .ndefReaderSessionErrorTagUpdateFailure
    case .command, .readNDEF: return .readerTransceiveErrorTagResponseError
    }
  }

  private static func userInfo(of error: NFCError, _ code: Code) -> [String: Any] {
    var userInfo: [String: Any] = [
      NSUnderlyingErrorKey: error, NSLocalizedFailureReasonErrorKey: error.description,
    ]
    if code == .readerTransceiveErrorTagResponseError, error.cause == .noAnswer {
      userInfo[NSLocalizedDescriptionKey] = Code.textWithoutResponse
    }
    if case .iso15693(let code) = error.cause {
      userInfo[NFCISO15693TagResponseErrorKey] = NSNumber(value: code)
    }
    return userInfo
  }
}
