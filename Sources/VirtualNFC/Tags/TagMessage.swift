import NDEF

/// The content of a new virtual tag: an NDEF message, or the bytes of a message, which may be
/// invalid.
public protocol TagMessage {
  /// The bytes to store on the tag.
  var encodedMessage: [UInt8] { get }
}

extension NDEFMessage: TagMessage {
  public var encodedMessage: [UInt8] { encoded() }
}

extension [UInt8]: TagMessage {
  public var encodedMessage: [UInt8] { self }
}
