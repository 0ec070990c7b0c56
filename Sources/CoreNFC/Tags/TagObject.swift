import Foundation
import NFC

/// The object behind every tag that a session reports: the native tag, and its session.
///
/// Unchecked because `NSObject` cannot say it: all that is stored here and in the subclasses is set once.
class TagObject: NSObject, NFCNDEFTag, @unchecked Sendable {
  let native: any NDEFTag
  let core: SessionCore

  init(_ native: any NDEFTag, in core: SessionCore) {
    self.native = native
    self.core = core
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// Prepares the tag when the program connects to it, after the native tag was connected.
  func prepare() async throws {}

  /// Whether a command to the tag fails as long as the program has not connected to it.
  var requiresConnection: Bool { false }

  /// The tag in the form of ``NFCTagReaderSession``; `nil` for tags without a case.
  var tag: NFCTag? { nil }

  // MARK: Commands

  /// Runs a command after all those before it, and completes it on the session's queue.
  ///
  /// Fails with `readerTransceiveErrorTagNotConnected` if the session is connected to another tag, or to none and
  /// the tag requires it, and with `readerTransceiveErrorSessionInvalidated` if it has ended before the answer came.
  final func perform<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    perform(.command, operation, completion: completion)
  }

  final func perform<Value: Sendable>(
    _ kind: Operation, _ operation: @escaping @Sendable () async throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    core.submit(completion) { [self] in
      try await core.requireConnection(to: self)
      do {
        let value = try await operation()
        core.noteAnswer()
        return value
      } catch {
        throw core.noting(NFCReaderError(error, during: kind), of: self)
      }
    }
  }

  /// As ``perform(_:completion:)``, for commands that answer nothing.
  final func perform(
    _ operation: @escaping @Sendable () async throws -> Void,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    perform(operation) { completionHandler($0.failure) }
  }

  // MARK: NFCNDEFTag

  var isAvailable: Bool { core.isAvailable(self) }

  func queryNDEFStatus(
    completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void
  ) {
    perform(.readNDEF) { [native] in
      try await native.queryNDEFStatus()
    } completion: { result in
      switch result {
      case .success(let status):
        completionHandler(NFCNDEFStatus(status.access), status.capacity, nil)
      case .failure(let error): completionHandler(.notSupported, 0, error)
      }
    }
  }

  func readNDEF(completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void) {
    perform(.readNDEF) { [native] in
      guard let message = try await native.readNDEF(.strict) else {
        throw NFCReaderError(.ndefReaderSessionErrorZeroLengthMessage)
      }
      return message
    } completion: { result in
      switch result {
      case .success(let message): completionHandler(NFCNDEFMessage(message), nil)
      case .failure(let error): completionHandler(nil, error)
      }
    }
  }

  func writeNDEF(
    _ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let bytes = Result { try ndefMessage.validEncoding() }
    perform(.writeNDEF) { [native] in
      try await native.writeNDEFBytes(bytes.get(), verify: false)
    } completion: {
      completionHandler($0.failure)
    }
  }

  func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    perform(.writeNDEF) { [native] in
      // Native tags accept this call: the tag already is in the requested state.
      guard try await native.queryNDEFStatus().access != .readOnly else {
        throw NFCReaderError(.ndefReaderSessionErrorTagNotWritable)
      }
      try await native.makeReadOnly()
    } completion: {
      completionHandler($0.failure)
    }
  }

  // MARK: NSSecureCoding, NSCopying

  static var supportsSecureCoding: Bool { true }

  /// A tag belongs to one connection; there is nothing to archive.
  func encode(with coder: NSCoder) {}
  required init?(coder: NSCoder) { nil }

  func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A tag of one of the four kinds of ``NFCTag``.
class TypedTagObject: TagObject, __NFCTag, @unchecked Sendable {
  let type: __NFCTagType

  init(_ native: any NDEFTag, _ type: __NFCTagType, in core: SessionCore) {
    self.type = type
    super.init(native, in: core)
  }

  required init?(coder: NSCoder) { nil }

  var session: (any NFCReaderSessionProtocol)? { core.session }

  func asNFCISO15693Tag() -> (any NFCISO15693Tag)? { self as? any NFCISO15693Tag }
  func asNFCISO7816Tag() -> (any NFCISO7816Tag)? { self as? any NFCISO7816Tag }
  func asNFCFeliCaTag() -> (any NFCFeliCaTag)? { self as? any NFCFeliCaTag }
  func asNFCMiFareTag() -> (any NFCMiFareTag)? { self as? any NFCMiFareTag }
}

extension NFCNDEFStatus {
  init(_ access: NDEFStatus.Access) {
    switch access {
    case .notSupported: self = .notSupported
    case .readOnly: self = .readOnly
    case .readWrite: self = .readWrite
    }
  }
}

extension Result {
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
