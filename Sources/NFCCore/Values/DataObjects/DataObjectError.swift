/// Bytes that are not the data objects that they should be.
public struct DataObjectError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, as one clause. It contains nothing of the bytes.
  public let reason: String
  /// The position of the first wrong byte, counted from the beginning of what was decoded.
  public let offset: Int

  /// Creates an error.
  public init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { "\(reason) (byte \(offset))" }
}
