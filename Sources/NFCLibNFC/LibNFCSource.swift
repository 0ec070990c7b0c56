import SwiftNFCCore
import SwiftNFCUSB

/// The readers that libnfc drives.
///
/// A USB reader is named by libnfc's own `driver:BUS:DEVICE`, which is another one each time it is plugged in,
/// or by what stays: `usb:1-2.3`, the socket that it is plugged into, or `usb:serial=0123456`. The driver may
/// be named in place of `usb`.
package struct LibNFCSource: ReaderSource {
  package let name = "libnfc"
  package var schemes: [String] { ConnectionString.drivers }

  /// The driver of a PN532 on a serial port.
  static let serialScheme = "pn532_uart"

  /// Returns the address of a PN532 on a serial port.
  package static func address(ofSerialPort path: String) -> ReaderAddress {
    ReaderAddress("\(serialScheme):\(path)")
  }

  package init() {}

  package func availabilityError() -> NFCError? { LibNFC.availabilityError }

  package func prepare() { LibNFC.prepare() }

  /// libnfc 1.8.0 pauses for 50 ms after it has opened the port of a PN532 (`pn532_uart_open`).
  package func quietTime(whileOpening address: ReaderAddress) -> Duration {
    address.scheme == Self.serialScheme ? .milliseconds(50) : .zero
  }

  package func readers() -> [FoundReader] {
    LibUSBPath.findAgain()
    let configuration = LibNFCConfiguration.own
    return Self.found(
      LibNFCDriver.list(configuration), devices: Self.devices(),
      searches: configuration.searches)
  }

  /// Returns the USB devices that libnfc can use.
  package static func devices() -> [USBIdentity] {
    let source = LibNFCSource()
    return USBDevices.all().filter {
      source.drivesUSBDevice(vendor: $0.vendor, product: $0.product)
    }
  }

  /// Returns what is known about readers beyond libnfc's names for them.
  ///
  /// This includes a reader on USB that libnfc leaves out because something prevents this program
  /// from using it: the reason is reported to whoever tries to open it.
  ///
  /// - Parameter searches: whether USB is searched at all; libnfc's configuration can forbid it.
  package static func found(
    _ connectionStrings: [String], devices: [USBIdentity], searches: Bool = true
  ) -> [FoundReader] {
    var found = connectionStrings.map { text in
      let device = devices.first { $0.address == ReaderAddress(text).rest }
      return reader(ReaderAddress(text), device)
    }
    for device in devices where searches {
      guard let reader = reader(device),
        !found.contains(where: { $0.address.rest == device.address })
      else { continue }
      found.append(reader)
    }
    return found
  }

  private static func reader(_ device: USBIdentity) -> FoundReader? {
    let model = USBModel.of(vendor: device.vendor, product: device.product)
    return model?.libnfcDriver.map { reader(ReaderAddress("\($0):\(device.address)"), device) }
  }

  private static func reader(_ address: ReaderAddress, _ device: USBIdentity?) -> FoundReader {
    guard let device else {
      // If the system shows no USB devices, only the driver's name is known.
      return FoundReader(
        address, alternativeNames: USBModel.smartCardNames(ofDriver: address.scheme))
    }
    let model = USBModel.of(vendor: device.vendor, product: device.product)
    return FoundReader(
      address, name: device.ownName ?? model?.name, aliases: aliases(of: device),
      serialNumber: device.serialNumber, alternativeNames: model?.smartCardNames ?? [])
  }

  private static func aliases(of device: USBIdentity) -> [ReaderAddress] {
    [device.serialNumber.map(USBName.serialNumber), device.port.map(USBName.port)]
      .compactMap { $0?.address }
  }

  package func aliases(of address: ReaderAddress) -> [ReaderAddress] {
    guard let device = try? USBName(address)?.device(for: address) else { return [] }
    return Self.aliases(of: device).filter { $0 != address }
  }

  // MARK: Opening

  package func open(_ address: ReaderAddress) throws -> any ReaderDriver {
    guard let name = USBName(address) else {
      return try LibNFCDriver.open(address.description)
    }
    return try open(try name.device(for: address))
  }

  /// Opens a reader on USB.
  ///
  /// libnfc resets an ACR122U before it claims it, and so takes it from a program that uses it.
  /// Therefore the current user is found out first. A reader that is free and whose answers make no
  /// sense is reset once.
  private func open(_ device: USBIdentity) throws -> any ReaderDriver {
    let model = USBModel.of(vendor: device.vendor, product: device.product)
    guard let driver = model?.libnfcDriver else {
      throw NFCError(
        .readerNotFound,
        "libnfc does not drive \(model?.name ?? device.ownName ?? "this USB device") "
          + "(\(device.identifiers))")
    }
    let connectionString = "\(driver):\(device.address)"
    LibUSBPath.findAgain()
    do {
      try USBAccess(device).checkFree()
    } catch let obstacle {
      throw obstacle.error(at: connectionString, device)
    }
    if DriverTraits.named(driver)?.followsDescriptors ?? false {
      try USBDescriptors.check(connectionString, device.node)
    }
    do {
      return try LibNFCDriver.open(connectionString)
    } catch let error as NFCError where error.code == .readerUnavailable {
      // It is free, so no other program is in the way: it hangs, or a program has left it in the
      // middle of a command.
      let silence = NFCError(
        .readerUnavailable,
        "the reader at \(connectionString) does not answer, although no other program has it; "
          + "plug it in again",
        cause: error.cause)
      guard let access = try? USBAccess(device), (try? access.reset()) != nil,
        let back = Self.waitForReturn(of: device)
      else { throw silence }
      do {
        return try LibNFCDriver.open("\(driver):\(back.address)")
      } catch let error as NFCError where error.code == .readerUnavailable {
        throw silence
      }
    }
  }

  package func reset(_ address: ReaderAddress) throws {
    guard let name = USBName(address) else {
      throw NFCError(.unsupported, "only a USB reader can be reset, and \(address) is not one")
    }
    let device = try name.device(for: address)
    do {
      try USBAccess(device).reset()
    } catch let obstacle {
      throw obstacle.error(at: address.description, device)
    }
    guard Self.waitForReturn(of: device) != nil else {
      throw NFCError(.readerLost, "\(address) was reset and has not come back; plug it in again")
    }
  }

  package var version: String? { LibNFC.version }

  package func drivesUSBDevice(vendor: UInt16, product: UInt16) -> Bool {
    USBModel.of(vendor: vendor, product: product)?.libnfcDriver != nil
  }

  /// Waits for a device that was reset, which may return under another number after a moment.
  private static func waitForReturn(of device: USBIdentity) -> USBIdentity? {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(2)
    repeat {
      let now = USBDevices.all().first {
        $0.vendor == device.vendor && $0.product == device.product && $0.bus == device.bus
          && (device.port == nil ? $0.number == device.number : $0.port == device.port)
      }
      if let now { return now }
      pause(milliseconds: 50)
    } while clock.now < deadline
    return nil
  }

  // MARK: Watching

  package func watch(naming addresses: [ReaderAddress]) -> any ReaderSourceWatch {
    LibNFCWatch(naming: addresses)
  }

  package func advice(forSilenceOf address: ReaderAddress) -> String {
    switch address.scheme {
    case Self.serialScheme:
      "set the board's switches to HSU (both 0 on most boards) and cut its power for a moment; "
        + "TX goes to RX, and the grounds together; then try once more"
    case "pn532_i2c":
      "set the board's switches to I2C (1 and 0 on most boards) and cut its power for a moment; "
        + "sudo i2cdetect -y 1 (package i2c-tools) shows 24 for a PN532"
    case "pn532_spi":
      "set the board's switches to SPI (0 and 1 on most boards) and cut its power for a moment; "
        + "a lower speed may help: "
        + "\(address.description.split(separator: ":").prefix(2).joined(separator: ":")):500000"
    case "acr122_usb":
      "plug it in again; newer ACR122U, and those in virtual machines, are reported to work better "
        + "as PC/SC readers: --reader pcsc:ACR122"
    case "pn53x_usb", "usb": "plug it in again"
    default: "check its cable and power"
    }
  }

  package func advice(forInvalid address: ReaderAddress) -> String? {
    let scheme = address.scheme
    if let driver = schemes.first(where: { $0.lowercased() == scheme.lowercased() }) {
      return driver == scheme ? nil : "write \(driver), in exactly this form"
    }
    let text = address.description
    guard text.hasPrefix("/dev/") else { return nil }
    return "for a PN532 there write \(Self.address(ofSerialPort: text))"
  }
}
