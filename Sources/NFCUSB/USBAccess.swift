/// Whether this program may take a USB device, and what else can be done to one.
package struct USBAccess {
  /// libnfc's readers have one interface, or use the first.
  private static let interface: Int32 = 0

  /// What keeps a program from a device.
  package enum Obstacle: Error, Hashable {
    /// It has been unplugged.
    case notThere
    /// This login has no right to write to its node.
    case noRights
    /// A module of the kernel has it, and this login may not unbind that.
    case kernelDriver
    /// Another program has claimed it, or this one.
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

  /// Opens a device, which changes nothing about it.
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

  /// Finds out whether the device is free, by claiming it for a moment. A module of the kernel that has it is
  /// unbound where this login may do that; it stays so until the device is plugged in again.
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

  /// Resets a device that nobody uses: it starts as if it had been plugged in again. It may come back under
  /// another number.
  package func reset() throws(Obstacle) {
    try checkFree()
    do throws(LibUSB.Failure) {
      try handle.reset()
    } catch  where error == .notFound {
      // It has been reset, and comes back under another number.
      return
    } catch {
      throw Obstacle(error)
    }
  }
}
