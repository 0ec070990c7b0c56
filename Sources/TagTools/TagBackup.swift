import TagImages

/// An image that was read from a tag, and what it does not have of the tag.
public struct TagBackup: Sendable {
  /// The parts of a tag that are read.
  ///
  /// More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum Extent: Hashable, Sendable {
    /// The parts that can be written back.
    case memory
    /// The parts that can be written back, and the signature, version, counters and locks.
    case everything
  }

  /// The image. Bytes that were not read are unknown in it.
  public var image: TagImage
  /// What could not be read, in words: sectors without their key, protected pages. `nil` if nothing is missing.
  public var missing: String?
  /// How the tag was read, in words, if that leaves something open: a tag that does not report its size, for instance.
  public var remark: String?
}
