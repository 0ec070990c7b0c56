/// The reason why a virtual tag cannot be created.
@nonexhaustive
public enum VirtualTagError: Error, Hashable, Sendable {
  /// The NDEF message is longer than the memory that the tag has for it, which is `capacity` bytes
  /// long.
  case messageTooLarge(capacity: Int)
  /// A machine readable zone or a data group cannot be that of a travel document. The text says why.
  case invalidTravelDocument(String)
}
