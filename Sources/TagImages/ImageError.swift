/// Why an image cannot be read from a file or written to one.
public struct ImageError: Error, Hashable, Sendable {
  /// What has gone wrong, for a program to decide by.
  public enum Code: Hashable, Sendable {
    /// The file is not what its format asks for.
    case malformed
    /// The format has no place for such a tag.
    case cannotHold
  }

  /// Where in the file.
  public enum Place: Hashable, Sendable {
    /// From 1.
    case line(Int)
    /// In bytes, from 0.
    case offset(Int)
  }

  /// What has gone wrong.
  public let code: Code
  /// Where in the file; `nil` if it is not one place.
  public let place: Place?
  /// Without the place; keys and passwords are never part of it.
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
