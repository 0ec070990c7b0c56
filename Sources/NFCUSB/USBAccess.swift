/// Checks whether this program may use a USB device, and resets devices.
package struct USBAccess {
  /// libnfc's readers have one interface, or use the first one.
  private static let interface: Int32 = 0

  /// The reason why a program cannot use a device.
  package enum Obstacle: Error, Hashable {
    /// It has been unplugged.
    case notThere
    /// The user lacks write permission for the device node.
    case noRights
    /// A kernel driver uses the device, and the user may not unbind it.
    case kernelDriver
    /// This program or another one has claimed the device.
    case inUse
    /// Another reason, in libusb's words.
    case other(String)

    fileprivate init(_ failure: LibUSB.Failure) {
      switch failure {
      case .access: self = .noRights
      case .busy: self = .inUse
      case .noDevice, .notFound: self = .notThere
      default: self = .other(failure.text)
      }
    }
  }

  private let handle: LibUSB.Handle

  /// Opens a device without changing it.
  package init(_ device: USBIdentity) throws(Obstacle) {
    do throws(LibUSB.Failure) {
      guard let handle = try LibUSB.Context().open(bus: device.bus, number: device.number) else {
        throw LibUSB.Failure.noDevice
      }
      self.handle = handle
    } catch {
      throw Obstacle(error)
    }
  }

  /// Checks whether the device is free by claiming it briefly. Unbinds a kernel driver if the user
  /// may do that; the driver stays unbound until the device is plugged in again.
  package func checkFree() throws(Obstacle) {
    if handle.hasKernelDriver(Self.interface) {
      do throws(LibUSB.Failure) {
        try handle.detachKernelDriver(Self.interface)
      } catch {
        throw error == .noDevice ? .notThere : .kernelDriver
      }
    }
    do throws(LibUSB.Failure) {
      try handle.tryClaim(Self.interface)
    } catch {
      throw Obstacle(error)
    }
  }

  /// Resets a device that nobody uses, as if it had been plugged in again. It may get another
  /// number.
  package func reset() throws(Obstacle) {
    try checkFree()
    do throws(LibUSB.Failure) {
      try handle.reset()
    } catch  where error == .notFound {
      // The device has been reset and returns with another number.
      return
    } catch {
      throw Obstacle(error)
    }
  }
}
