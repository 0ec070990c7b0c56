import SwiftNFCCore

/// A libnfc connection string, `driver:address[:speed]`, and what can be known before libnfc opens it.
package struct ConnectionString {
  /// The drivers of libnfc that are let through.
  package static let drivers = DriverTraits.all.map(\.name)

  /// The location of a reader.
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

  /// The properties of its driver; `nil` for a driver that is not supported.
  var traits: DriverTraits? { DriverTraits.named(driver) }

  /// The baud rate that a serial port is opened at; `nil` for the driver's own.
  var speed: Int? {
    guard let parts = rest?.split(separator: ":"), parts.count == 2 else { return nil }
    return Int(parts[1])
  }

  /// Returns what the string leads to.
  ///
  /// - Throws: what libnfc would do harm with, or says nothing about.
  package func address() throws -> Address {
    guard text.utf8.count < LibNFC.maximumConnectionStringLength, !text.utf8.contains(0) else {
      throw NFCError(.invalidParameter, "a connection string has at most 1023 bytes and no zero")
    }
    guard let traits else {
      throw NFCError(
        .readerNotFound,
        "\"\(text)\" is not a connection string, which is DRIVER:ADDRESS, for instance "
          + "pn532_uart:/dev/ttyUSB0, with one of the drivers \(Self.drivers.joined(separator: ", "))"
      )
    }
    guard let rest, !rest.isEmpty else {
      throw NFCError(
        .readerNotFound, "\"\(text)\" has no address; it is \(driver):ADDRESS")
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if traits.address == .usb {
      // With only a bus, libnfc opens the first device there, whatever it is.
      guard parts.count == 2, !parts.contains("") else {
        throw NFCError(
          .readerNotFound, "\"\(text)\" is not \(driver):BUS:DEVICE, for instance \(driver):001:004"
        )
      }
      return .usb(driver: driver, rest)
    }
    let path = parts[0]
    // libnfc interprets the text after the next colon as the speed.
    let numbers = parts.dropFirst().filter { $0.allSatisfy { "0"..."9" ~= $0 } }
    if parts.count > 2, numbers.count == parts.count - 1, !numbers.contains("") {
      throw NFCError(
        .readerNotFound,
        "\"\(text)\" has more than one speed; write \(driver):\(path):\(numbers[0])")
    }
    guard parts.count == 1 || parts.count == 2 && numbers.count == 1 else {
      throw NFCError(
        .readerNotFound,
        "libnfc reads \"\(parts[1])\" in \"\(text)\" as the speed, which must be a number; if the colon "
          + "is part of a path, use another name of the same device, for instance one in "
          + "/dev/serial/by-id")
    }
    return traits.address == .serialPort ? .serialPort(path) : .node(path)
  }
}

extension ConnectionString.Address {
  /// The file through which the system reaches the reader.
  var path: String {
    switch self {
    case .usb(_, let numbers):
      "/dev/bus/usb/" + numbers.split(separator: ":").joined(separator: "/")
    case .serialPort(let path), .node(let path): path
    }
  }

  /// Refuses addresses that libnfc would mishandle, reports errors that libnfc would not, and locks
  /// the port.
  ///
  /// - Returns: `nil` for a USB device, which the system gives to only one program.
  func lock() throws -> PortLock? {
    switch self {
    case .usb: nil
    case .serialPort(let path): try PortLock(path, isSerialPort: true)
    case .node(let path): try PortLock(path, isSerialPort: false)
    }
  }
}
