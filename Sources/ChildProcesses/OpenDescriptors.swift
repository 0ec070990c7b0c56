#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The descriptors that this process has open.
package enum OpenDescriptors {
  /// Returns their numbers in no order, without that of the list itself; `nil` if the system does not list them.
  package static func list() -> [Int32]? {
    guard let folder = opendir("/dev/fd") else { return nil }
    defer { closedir(folder) }
    let own = dirfd(folder)
    var numbers: [Int32] = []
    while let entry = readdir(folder) {
      // Not copied: an entry is as long as its name needs, and the whole field may reach past the end of its memory.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if let number = Int32(name), number != own { numbers.append(number) }
    }
    return numbers
  }
}
