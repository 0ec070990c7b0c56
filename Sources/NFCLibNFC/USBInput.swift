#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The path of a USB reader's answers: its first bulk endpoint towards the host.
///
/// libnfc has no call that only reads. Linux has one for the descriptor on which the interface is
/// claimed (linux/usbdevice_fs.h).
struct USBInput {
  /// `struct usbdevfs_bulktransfer`.
  private struct Transfer {
    var endpoint: UInt32
    var length: UInt32
    var timeout: UInt32
    var data: UnsafeMutableRawPointer?
  }

  /// `USBDEVFS_BULK`: read and write, `U`, 2, and the size of the structure.
  private static let bulk =
    UInt(3) << 30 | UInt(MemoryLayout<Transfer>.size) << 16 | UInt(UInt8(ascii: "U")) << 8 | 2

  /// Descriptor types and fields of USB 2.0, 9.6.
  private static let endpointType: UInt8 = 5
  private static let endpointLength = 7
  private static let bulkAttribute: UInt8 = 2
  private static let inDirection: UInt8 = 0x80
  private static let longestDescriptors = 4096

  private let endpoint: UInt8

  /// Reads the descriptors of the device from its node; `nil` if there is no such endpoint.
  init?(of descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: Self.longestDescriptors)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0, let endpoint = Self.endpoint(in: Array(bytes.prefix(count))) else {
      return nil
    }
    self.endpoint = endpoint
  }

  /// Returns the address of the first bulk endpoint towards the host in a sequence of descriptors.
  static func endpoint(in bytes: [UInt8]) -> UInt8? {
    var rest = bytes[...]
    while let length = rest.first.map(Int.init), length >= 2, length <= rest.count {
      let descriptor = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      guard descriptor[1] == endpointType, length >= endpointLength else { continue }
      if descriptor[3] & 0x03 == bulkAttribute, descriptor[2] & inDirection != 0 {
        return descriptor[2]
      }
    }
    return nil
  }

  /// How long an answer that is on its way is waited for, in milliseconds, and how many there can be.
  private static let patience: UInt32 = 20
  private static let mostAnswers = 8

  /// Reads until nothing more arrives.
  func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 512)
    buffer.withUnsafeMutableBytes { bytes in
      for _ in 0..<Self.mostAnswers {
        var transfer = Transfer(
          endpoint: UInt32(endpoint), length: UInt32(bytes.count), timeout: Self.patience,
          data: bytes.baseAddress)
        guard ioctl(descriptor, Self.bulk, &transfer) >= 0 else { return }
      }
    }
  }
}
