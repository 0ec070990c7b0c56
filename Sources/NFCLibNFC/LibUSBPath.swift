#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Makes the libusb 0.1 beneath libnfc find a USB that it has not found before.
///
/// libusb 0.1 looks for the folder of USB devices once in a process (linux.c, `usb_os_init`), and
/// gives up permanently when there is none yet: in a container or under WSL the first USB device
/// makes it. Its `usb_init` looks again each time it is called; libnfc calls it once.
enum LibUSBPath {
  private typealias Initialize = @convention(c) @Sendable () -> Void

  /// `nil` where libnfc stands on no libusb 0.1, or has it hidden.
  private static let initialize: Initialize? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "usb_init") else {
      return nil
    }
    return unsafeBitCast(symbol, to: Initialize.self)
  }()

  /// Looks again. To be called while nothing else is asked of libnfc's USB readers.
  static func findAgain() { initialize?() }
}
