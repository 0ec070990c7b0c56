/// A transparent file with its access rights (ISO/IEC 7816-4, 7.2).
struct TransparentFile: Hashable, Sendable {
  let identifier: UInt16
  var content: [UInt8]
  var isReadable = true
  var isWritable = false

  /// The result of a read.
  enum Reading: Hashable, Sendable {
    case data([UInt8])
    /// The bytes up to the end of the file, which are fewer than requested.
    case short([UInt8])
    case refused(StatusWord)
  }

  /// Reads at most `count` bytes from `offset`.
  func read(offset: Int, count: Int) -> Reading {
    guard isReadable else { return .refused(.securityStatusNotSatisfied) }
    guard offset < content.count else { return .refused(.wrongParameters) }
    let part = Array(content[offset..<min(content.count, offset + count)])
    return part.count < count ? .short(part) : .data(part)
  }

  /// Overwrites bytes of the content; changes nothing if the data does not fit.
  mutating func update(offset: Int, data: [UInt8]) -> StatusWord {
    guard isWritable else { return .securityStatusNotSatisfied }
    guard offset < content.count else { return .wrongParameters }
    guard data.count <= content.count - offset else { return .notEnoughMemory }
    content.replaceSubrange(offset..<(offset + data.count), with: data)
    return .success
  }
}

extension [TransparentFile] {
  /// The contents of all files, one after the other. Setting it changes no file's size.
  var content: [UInt8] {
    get { flatMap(\.content) }
    set {
      var rest = newValue[...]
      for index in indices {
        let part = rest.prefix(self[index].content.count)
        self[index].content.replaceSubrange(0..<part.count, with: part)
        rest = rest.dropFirst(part.count)
      }
    }
  }
}
