import NFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A libnfc connection string, `driver:address[:speed]`, and what can be known before libnfc opens it.
struct ConnectionString {
  /// Drivers that open any USB device there is if they are given no address.
  private static let usbDrivers = ["acr122_usb", "pn53x_usb", "usb"]
  /// Drivers whose address is a serial port.
  private static let serialDrivers = ["pn532_uart", "arygon", "ACR122S"]
  private static let otherDrivers = ["pn532_i2c", "pn532_spi"]

  let text: String
  private let driver: String
  private let address: String?

  init(_ text: String) {
    self.text = text
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    driver = parts.first.map(String.init) ?? ""
    address = parts.count > 1 ? String(parts[1]) : nil
  }

  /// Whether the driver is one of those whose readers have a PN53x, or an embedded relative of it.
  var isForPN53x: Bool {
    (Self.usbDrivers + Self.serialDrivers + Self.otherDrivers).contains(driver)
  }

  /// Refuses what libnfc would do harm with, and says what is wrong where libnfc would not.
  ///
  /// - Returns: the serial port that the string names, locked; `nil` if it names none.
  func prepare() throws -> SerialPort? {
    guard text.utf8.count < LibNFC.maximumConnectionStringLength, !text.utf8.contains(0) else {
      throw NFCError(.invalidParameter, "a connection string has at most 1023 bytes and no zero")
    }
    let known = Self.usbDrivers + Self.serialDrivers + Self.otherDrivers
    guard known.contains(driver) else {
      throw NFCError(
        .readerNotFound,
        "\"\(text)\" is no connection string; it is DRIVER:ADDRESS, for instance "
          + "pn532_uart:/dev/ttyUSB0, with one of the drivers \(known.joined(separator: ", "))")
    }
    guard let address, !address.isEmpty else {
      throw NFCError(
        .readerNotFound, "\"\(text)\" has no address; it is \(driver):ADDRESS")
    }
    guard Self.serialDrivers.contains(driver) else { return nil }
    // libnfc takes what stands behind the next colon for the speed.
    let path = address.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
    return try SerialPort(String(path))
  }
}
