/// Why a virtual tag cannot be made as asked.
public enum VirtualTagError: Error, Hashable, Sendable {
  /// The NDEF message is longer than the tag's memory for it, `capacity` in bytes.
  case messageTooLarge(capacity: Int)
}
