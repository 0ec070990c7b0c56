import NDEF

/// What a new virtual tag can hold: an NDEF message, or bytes that stand for one, right or wrong.
public protocol TagMessage {
  /// The bytes that lie on the tag.
  var encodedMessage: [UInt8] { get }
}

extension NDEFMessage: TagMessage {
  public var encodedMessage: [UInt8] { encoded() }
}

extension [UInt8]: TagMessage {
  public var encodedMessage: [UInt8] { self }
}
