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
      self.init(Self.code(of: error, during: operation), userInfo: Self.userInfo(of: error))
    case is CancellationError:
      self.init(.readerTransceiveErrorSessionInvalidated)
    default:
      self.init(.readerTransceiveErrorTagResponseError, userInfo: [NSUnderlyingErrorKey: error])
    }
  }

  private static func code(of error: NFCError, during operation: Operation) -> Code {
    switch error.code {
    case .tagConnectionLost, .readerLost: return .readerTransceiveErrorTagConnectionLost
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

  private static func userInfo(of error: NFCError) -> [String: Any] {
    var userInfo: [String: Any] = [
      NSUnderlyingErrorKey: error, NSLocalizedFailureReasonErrorKey: error.description,
    ]
    if case .iso15693(let code) = error.cause {
      userInfo[NFCISO15693TagResponseErrorKey] = NSNumber(value: code)
    }
    return userInfo
  }
}
