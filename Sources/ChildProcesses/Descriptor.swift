#if canImport(Glibc)
import Glibc
private let writeBytes = Glibc.write
#else
import Darwin
private let writeBytes = Darwin.write
#endif

/// Output to a descriptor.
package enum Descriptor {
  /// Writes all bytes, and waits while the program that reads them is busy.
  ///
  /// - Returns: whether all bytes were written. They are not if nobody reads them.
  @discardableResult
  package static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else { return false }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }
}
