import Foundation
import NFC

/// A vicinity tag that a session reports.
final class ISO15693TagObject: TypedTagObject, NFCISO15693Tag, @unchecked Sendable {
  let vicinity: any ISO15693Tag

  init(_ tag: any ISO15693Tag, in core: SessionCore) {
    vicinity = tag
    super.init(tag, .ISO15693, in: core)
  }

  required init?(coder: NSCoder) { nil }

  override var tag: NFCTag? { .iso15693(self) }

  var identifier: Data { Data(vicinity.identifier) }
  var icManufacturerCode: Int { Int(vicinity.icManufacturerCode ?? 0) }
  var icSerialNumber: Data { Data(vicinity.icSerialNumber) }

  /// Whether the tag belongs to the session of iOS 11, which supports only the commands of that
  /// time.
  var isLegacy: Bool { core.session is __NFCISO15693ReaderSession }

  /// Runs a command of one exchange.
  ///
  /// - Parameters:
  ///   - command: throws if a parameter is invalid, before anything is sent.
  ///   - decode: converts the answer, which is not a refusal, to the method's result.
  func exchange<Answer: Sendable>(
    _ flags: NFCISO15693RequestFlag, _ command: @escaping @Sendable () throws -> ISO15693Command,
    decode: @escaping @Sendable (ISO15693Response) throws -> Answer,
    completion: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    guard !isLegacy else {
      return core.submit(completion) { throw NFCReaderError(.readerErrorUnsupportedFeature) }
    }
    perform { [vicinity] in
      try decode(await vicinity.sendCommand(command(), flags: ISO15693RequestFlags(flags)))
    } completion: {
      completion($0)
    }
  }

  /// Runs a command of one exchange whose answer has no content.
  func exchange(
    _ flags: NFCISO15693RequestFlag, _ command: @escaping @Sendable () throws -> ISO15693Command,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    exchange(flags, command, decode: { _ in }) { completionHandler($0.failure) }
  }

  /// Runs a command of one exchange; `empty` is given beside an error.
  func exchange<Answer: Sendable>(
    _ flags: NFCISO15693RequestFlag, empty: Answer,
    _ command: @escaping @Sendable () throws -> ISO15693Command,
    decode: @escaping @Sendable (ISO15693Response) throws -> Answer,
    completionHandler: @escaping @Sendable (Answer, (any Error)?) -> Void
  ) {
    exchange(flags, command, decode: decode) { result in
      switch result {
      case .success(let answer): completionHandler(answer, nil)
      case .failure(let error): completionHandler(empty, error)
      }
    }
  }
}
