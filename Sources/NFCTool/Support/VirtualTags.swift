import NFC
import VirtualNFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The tags that the command line names.
struct VirtualTags: Sendable {
  /// The name that stands for one tag of each protocol.
  static let demo = "demo"

  /// Tags that are in the field all the time.
  var tags: [VirtualTag] = []
  var showsDemo = false

  /// - Throws: ``Failure``: a name that is not known is `usage`, a file that is no dump `content`.
  init(_ names: [String]) throws {
    for name in names {
      if name == Self.demo {
        showsDemo = true
      } else {
        tags.append(try Self.tag(name))
      }
    }
  }

  private static func tag(_ name: String) throws -> VirtualTag {
    do {
      return try VirtualTag.named(name)
    } catch let error as VirtualTagNameError {
      guard name.contains("/") || access(name, F_OK) == 0 else {
        throw Failure(.usage, "\(error)", advice: "a dump file's name and demo do as well")
      }
    }
    let bytes = try File.read(name)
    do {
      return try VirtualTag.dump([UInt8](hexadecimalFile: bytes) ?? bytes)
    } catch {
      throw Failure(.content, "\(name) is no dump of a tag: \(error)")
    }
  }
}

extension Array where Element == UInt8 {
  /// The bytes of a dump that is written in hexadecimal, a block a line (`.eml`); `nil` if it is
  /// not.
  fileprivate init?(hexadecimalFile bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(hexadecimal: String(decoding: bytes, as: UTF8.self))
  }
}
