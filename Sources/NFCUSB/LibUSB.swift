import CLibUSB
import Synchronization

/// libusb-1.0: the one file of this module that calls C.
enum LibUSB {
  /// What a call has failed with: `LIBUSB_ERROR_…`, and libusb's text.
  struct Failure: Error, Hashable {
    let code: Int32

    var text: String { libusb_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    static let access = Failure(code: LIBUSB_ERROR_ACCESS.rawValue)
    static let busy = Failure(code: LIBUSB_ERROR_BUSY.rawValue)
    static let noDevice = Failure(code: LIBUSB_ERROR_NO_DEVICE.rawValue)
    /// The device has come back under another number, or not yet (libusb_reset_device).
    static let notFound = Failure(code: LIBUSB_ERROR_NOT_FOUND.rawValue)
  }

  private static func check(_ result: Int32) throws(Failure) -> Int32 {
    guard result >= 0 else { throw Failure(code: result) }
    return result
  }

  /// Where a device is, and what its descriptor says.
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
      // USB 2.0, 4.1.1: no more than seven tiers.
      var ports = [UInt8](repeating: 0, count: 7)
      let count = libusb_get_port_numbers(device, &ports, Int32(ports.count))
      self.ports = count > 0 ? Array(ports.prefix(Int(count))) : []
    }
  }

  /// A context. Its calls may be made from any thread, as libusb allows.
  ///
  /// Unchecked because it is a pointer that does not change, to what libusb locks itself.
  final class Context: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Raised when a device has come or gone. libusb's callback has its address until the context has gone.
    let changes = Flag()

    init() throws(Failure) {
      var pointer: OpaquePointer?
      _ = try LibUSB.check(libusb_init(&pointer))
      guard let pointer else { throw Failure(code: LIBUSB_ERROR_OTHER.rawValue) }
      self.pointer = pointer
    }

    deinit { libusb_exit(pointer) }

    /// Returns the devices that are there; none of them is opened.
    func devices() throws(Failure) -> [Place] {
      var list: UnsafeMutablePointer<OpaquePointer?>?
      let count = try LibUSB.check(Int32(clamping: libusb_get_device_list(pointer, &list)))
      guard let list else { return [] }
      defer { libusb_free_device_list(list, 1) }
      return (0..<Int(count)).compactMap { index in list[index].flatMap { Place($0) } }
    }

    /// Opens a device; `nil` if it does not exist any more.
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

    // MARK: Devices that come and go

    /// Whether libusb reports devices as they come and go on this system.
    var hasHotplug: Bool { libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG.rawValue) != 0 }

    /// Begins to raise ``changes`` for each device that comes or goes, while ``handleEvents(atMost:)`` runs.
    func watch() throws(Failure) {
      let events =
        LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
      let any = LIBUSB_HOTPLUG_MATCH_ANY
      _ = try LibUSB.check(
        libusb_hotplug_register_callback(
          pointer, Int32(events), 0, any, any, any,
          { _, _, _, argument in
            if let argument { Unmanaged<Flag>.fromOpaque(argument).takeUnretainedValue().raise() }
            // Anything but 0 would end the subscription.
            return 0
          }, Unmanaged.passUnretained(changes).toOpaque(), nil))
    }

    /// Lets libusb report what has happened; waits for it so long at most.
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

  /// Is raised when something has happened.
  final class Flag: Sendable {
    private let state = Mutex(false)
    func raise() { state.withLock { $0 = true } }
    /// Returns whether it was raised; it is down afterwards.
    func lower() -> Bool {
      state.withLock { state in
        defer { state = false }
        return state
      }
    }
  }

  /// An open device. Closed when the last reference goes.
  final class Handle {
    private let pointer: OpaquePointer
    private let context: Context

    fileprivate init(_ pointer: OpaquePointer, of context: Context) {
      self.pointer = pointer
      self.context = context
    }

    deinit { libusb_close(pointer) }

    /// Returns whether a module of the kernel is bound to an interface; a program's claim is none.
    func hasKernelDriver(_ interface: Int32) -> Bool {
      libusb_kernel_driver_active(pointer, interface) == 1
    }

    /// Unbinds the module of the kernel.
    func detachKernelDriver(_ interface: Int32) throws(Failure) {
      _ = try LibUSB.check(libusb_detach_kernel_driver(pointer, interface))
    }

    /// Claims an interface and lets go of it again.
    func tryClaim(_ interface: Int32) throws(Failure) {
      _ = try LibUSB.check(libusb_claim_interface(pointer, interface))
      libusb_release_interface(pointer, interface)
    }

    /// Resets the device's port, as if it had been plugged in again.
    func reset() throws(Failure) { _ = try LibUSB.check(libusb_reset_device(pointer)) }
  }
}
