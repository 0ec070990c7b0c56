/// The reason why an image cannot be read from a file or written to one.
public struct ImageError: Error, Hashable, Sendable {
  /// The kind of error, for programs.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// The file does not follow its format.
    case malformed
    /// The format cannot hold such a tag.
    case cannotHold
  }

  /// A place in the file.
  @nonexhaustive
  public enum Place: Hashable, Sendable {
    /// A line, counted from 1.
    case line(Int)
    /// An offset in bytes, counted from 0.
    case offset(Int)
  }

  /// The kind of error.
  public let code: Code
  /// The place in the file; `nil` if it is not one place.
  public let place: Place?
  /// The reason, without the place; it never contains keys or passwords.
  public let reason: String
  /// The formats that can hold the tag, with ``Code/cannotHold``.
  public let alternatives: [ImageFormat]

  init(_ reason: String, at place: Place?) {
    code = .malformed
    self.place = place
    self.reason = reason
    alternatives = []
  }

  init(_ format: ImageFormat, cannotHold image: TagImage, _ why: String? = nil) {
    code = .cannotHold
    place = nil
    reason =
      "\(format.name) cannot hold \(image.kind.name)" + (why.map { " \($0)" } ?? "")
    alternatives = ImageFormat.allCases.filter { $0 != format && $0.objection(to: image) == nil }
  }
}

extension ImageError: CustomStringConvertible {
  public var description: String {
    switch place {
    case .line(let number): "line \(number): \(reason)"
    case .offset(let offset): "offset \(offset): \(reason)"
    case nil: reason
    }
  }
}
