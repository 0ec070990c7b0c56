#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Makes the libusb 0.1 that libnfc uses find USB devices after it has found none before.
///
/// libusb 0.1 searches for the folder of USB devices once per process (linux.c, `usb_os_init`), and
/// gives up permanently if there is none yet: in a container or under WSL, the first USB device
/// creates it. Its `usb_init` searches again each time it is called, but libnfc calls it only once.
enum LibUSBPath {
  private typealias Initialize = @convention(c) @Sendable () -> Void

  /// The function `usb_init`; `nil` if libnfc does not use libusb 0.1, or hides it.
  private static let initialize: Initialize? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "usb_init") else {
      return nil
    }
    return unsafeBitCast(symbol, to: Initialize.self)
  }()

  /// Searches again. Call it while nothing else uses libnfc's USB readers.
  static func findAgain() { initialize?() }
}
