import CSwiftNFCLibUSB
import Synchronization

/// libusb-1.0. This is the only file of this module that calls its functions.
enum LibUSB {
  /// The error of a failed call: `LIBUSB_ERROR_…` and libusb's text.
  struct Failure: Error, Hashable {
    let code: Int32

    var text: String { libusb_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    static let access = Failure(code: LIBUSB_ERROR_ACCESS.rawValue)
    static let busy = Failure(code: LIBUSB_ERROR_BUSY.rawValue)
    static let noDevice = Failure(code: LIBUSB_ERROR_NO_DEVICE.rawValue)
    /// The device has returned with another number, or has not returned yet (libusb_reset_device).
    static let notFound = Failure(code: LIBUSB_ERROR_NOT_FOUND.rawValue)
  }

  private static func check(_ result: Int32) throws(Failure) -> Int32 {
    guard result >= 0 else { throw Failure(code: result) }
    return result
  }

  /// The location of a device, and its descriptor.
  struct Place: Hashable {
    let vendor: UInt16
    let product: UInt16
    let bus: UInt8
    let number: UInt8
    let ports: [UInt8]

    fileprivate init?(_ device: OpaquePointer) {
      var descriptor = libusb_device_descriptor()
      guard libusb_get_device_descriptor(device, &descriptor) == 0 else { return nil }
      vendor = descriptor.idVendor
      product = descriptor.idProduct
      bus = libusb_get_bus_number(device)
      number = libusb_get_device_address(device)
      // USB 2.0, 4.1.1: at most seven tiers.
      var ports = [UInt8](repeating: 0, count: 7)
      let count = libusb_get_port_numbers(device, &ports, Int32(ports.count))
      self.ports = count > 0 ? Array(ports.prefix(Int(count))) : []
    }
  }

  /// A libusb context. libusb allows calls from any thread.
  ///
  /// Unchecked because it contains a constant pointer to an object that libusb locks itself.
  final class Context: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Raised when a device has arrived or left. libusb's callback has its address until the
    /// context is destroyed.
    let changes = Flag()

    init() throws(Failure) {
      var pointer: OpaquePointer?
      _ = try LibUSB.check(libusb_init(&pointer))
      guard let pointer else { throw Failure(code: LIBUSB_ERROR_OTHER.rawValue) }
      self.pointer = pointer
    }

    deinit { libusb_exit(pointer) }

    /// Returns the connected devices without opening them.
    func devices() throws(Failure) -> [Place] {
      var list: UnsafeMutablePointer<OpaquePointer?>?
      let count = try LibUSB.check(Int32(clamping: libusb_get_device_list(pointer, &list)))
      guard let list else { return [] }
      defer { libusb_free_device_list(list, 1) }
      return (0..<Int(count)).compactMap { index in list[index].flatMap { Place($0) } }
    }

    /// Opens a device. Returns `nil` if it no longer exists.
    func open(bus: UInt8, number: UInt8) throws(Failure) -> Handle? {
      var list: UnsafeMutablePointer<OpaquePointer?>?
      let count = try LibUSB.check(Int32(clamping: libusb_get_device_list(pointer, &list)))
      guard let list else { return nil }
      defer { libusb_free_device_list(list, 1) }
      for index in 0..<Int(count) {
        guard let device = list[index], libusb_get_bus_number(device) == bus,
          libusb_get_device_address(device) == number
        else { continue }
        var handle: OpaquePointer?
        _ = try LibUSB.check(libusb_open(device, &handle))
        return handle.map { Handle($0, of: self) }
      }
      return nil
    }

    // MARK: Devices that arrive and leave

    /// Whether libusb can report arriving and leaving devices on this system.
    var hasHotplug: Bool { libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG.rawValue) != 0 }

    /// Starts raising ``changes`` for each device that arrives or leaves while
    /// ``handleEvents(atMost:)`` runs.
    func watch() throws(Failure) {
      let events =
        LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
      let any = LIBUSB_HOTPLUG_MATCH_ANY
      _ = try LibUSB.check(
        libusb_hotplug_register_callback(
          pointer, Int32(events), 0, any, any, any,
          { _, _, _, argument in
            if let argument { Unmanaged<Flag>.fromOpaque(argument).takeUnretainedValue().raise() }
            // Any other value would end the subscription.
            return 0
          }, Unmanaged.passUnretained(changes).toOpaque(), nil))
    }

    /// Lets libusb report events. Waits for one at most as long as the timeout.
    func handleEvents(atMost timeout: Duration) {
      let (seconds, attoseconds) = timeout.components
      var time = timeval()
      time.tv_sec = Int(seconds)
      time.tv_usec = .init(attoseconds / 1_000_000_000_000)
      libusb_handle_events_timeout_completed(pointer, &time, nil)
    }

    /// Ends ``handleEvents(atMost:)``, from any thread.
    func interrupt() { libusb_interrupt_event_handler(pointer) }
  }

  /// A flag that is raised when something has happened.
  final class Flag: Sendable {
    private let state = Mutex(false)
    func raise() { state.withLock { $0 = true } }
    /// Lowers the flag. Returns whether it was raised.
    func lower() -> Bool {
      state.withLock { state in
        defer { state = false }
        return state
      }
    }
  }

  /// An open device. It is closed when the last reference is released.
  final class Handle {
    private let pointer: OpaquePointer
    private let context: Context

    fileprivate init(_ pointer: OpaquePointer, of context: Context) {
      self.pointer = pointer
      self.context = context
    }

    deinit { libusb_close(pointer) }

    /// Returns whether a kernel driver is bound to an interface. A program's claim does not count.
    func hasKernelDriver(_ interface: Int32) -> Bool {
      libusb_kernel_driver_active(pointer, interface) == 1
    }

    /// Unbinds the kernel driver.
    func detachKernelDriver(_ interface: Int32) throws(Failure) {
      _ = try LibUSB.check(libusb_detach_kernel_driver(pointer, interface))
    }

    /// Claims an interface and releases it again.
    func tryClaim(_ interface: Int32) throws(Failure) {
      _ = try LibUSB.check(libusb_claim_interface(pointer, interface))
      libusb_release_interface(pointer, interface)
    }

    /// Resets the device's port, with the same effect as unplugging the device and plugging it in
    /// again.
    func reset() throws(Failure) { _ = try LibUSB.check(libusb_reset_device(pointer)) }
  }
}
