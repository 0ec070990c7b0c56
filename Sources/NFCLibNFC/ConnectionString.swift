import NFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A libnfc connection string, `driver:address[:speed]`, and what can be known before libnfc opens it.
package struct ConnectionString {
  /// Drivers that open any USB device there is if they are given no address.
  private static let usbDrivers = ["acr122_usb", "pn53x_usb", "usb"]
  /// Drivers whose address is a serial port.
  private static let serialDrivers = ["pn532_uart", "arygon", "ACR122S"]
  private static let otherDrivers = ["pn532_i2c", "pn532_spi"]

  /// The drivers of libnfc that are let through.
  package static let drivers = usbDrivers + serialDrivers + otherDrivers

  /// Where a reader is.
  package enum Address: Hashable {
    /// A USB device by the name of its driver, and bus and number as `001:004`.
    case usb(driver: String, String)
    case serialPort(String)
    /// An I²C or SPI bus.
    case node(String)
  }

  let text: String
  private let driver: String
  private let rest: String?

  package init(_ text: String) {
    self.text = text
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    driver = parts.first.map(String.init) ?? ""
    rest = parts.count > 1 ? String(parts[1]) : nil
  }

  /// Whether the driver is one of those whose readers have a PN53x, or an embedded relative of it.
  var isForPN53x: Bool { Self.drivers.contains(driver) }

  /// What the string leads to.
  ///
  /// - Throws: what libnfc would do harm with, or says nothing about.
  package func address() throws -> Address {
    guard text.utf8.count < LibNFC.maximumConnectionStringLength, !text.utf8.contains(0) else {
      throw NFCError(.invalidParameter, "a connection string has at most 1023 bytes and no zero")
    }
    guard Self.drivers.contains(driver) else {
      throw NFCError(
        .readerNotFound,
        "\"\(text)\" is no connection string; it is DRIVER:ADDRESS, for instance "
          + "pn532_uart:/dev/ttyUSB0, with one of the drivers \(Self.drivers.joined(separator: ", "))"
      )
    }
    guard let rest, !rest.isEmpty else {
      throw NFCError(
        .readerNotFound, "\"\(text)\" has no address; it is \(driver):ADDRESS")
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard !Self.usbDrivers.contains(driver) else {
      // With a bus alone libnfc opens the first device that is there, whatever it is.
      guard parts.count == 2, !parts.contains("") else {
        throw NFCError(
          .readerNotFound, "\"\(text)\" is not \(driver):BUS:DEVICE, for instance \(driver):001:004"
        )
      }
      return .usb(driver: driver, rest)
    }
    let path = parts[0]
    // libnfc takes what stands behind the next colon for the speed.
    guard parts.count == 1 || parts.count == 2 && parts[1].allSatisfy(\.isNumber) else {
      throw NFCError(
        .readerNotFound,
        "libnfc cuts the path in \"\(text)\" at its first colon; use another name of the same "
          + "device, for instance one in /dev/serial/by-id")
    }
    return Self.serialDrivers.contains(driver) ? .serialPort(path) : .node(path)
  }

  /// Refuses what libnfc would do harm with, and says what is wrong where libnfc would not.
  ///
  /// - Returns: the serial port that the string names, locked; `nil` if it names none.
  func prepare() throws -> SerialPort? {
    guard case .serialPort(let path) = try address() else { return nil }
    return try SerialPort(path)
  }
}
