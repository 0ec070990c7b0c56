/// Why a virtual tag cannot be made.
public enum VirtualTagError: Error, Hashable, Sendable {
  /// The NDEF message is longer than the tag can hold, `capacity` bytes.
  case messageTooLarge(capacity: Int)
}
