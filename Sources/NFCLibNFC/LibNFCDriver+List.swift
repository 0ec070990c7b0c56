import SwiftNFCSystemFacts

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// MARK: Which readers are there

extension LibNFCDriver {
  /// Returns the connection strings of the readers that can be found without a name: those on USB,
  /// and those that libnfc's configuration and environment define.
  ///
  /// Nothing is written to a reader that is in use. libnfc would open each device that is defined as optional, and
  /// in an intrusive scan each serial port, to see whether a reader is there; this is done here instead, and
  /// only with ports whose lock is free. A device that is locked is there.
  package static func list() -> [String] { list(LibNFCConfiguration.own) }

  package static func list(_ configuration: LibNFCConfiguration) -> [String] {
    var found: [String] = []
    func add(_ name: String) {
      if !found.contains(name) { found.append(name) }
    }
    for device in configuration.devices where !device.connectionString.isEmpty {
      if !device.isOptional || isThere(device.connectionString) { add(device.connectionString) }
    }
    guard configuration.searches else { return found }
    // Without libnfc, ``LibNFCSource`` finds them all the same.
    if USBDescriptors.areSoundOfAll { usable(LibNFC.usbReaders()).forEach(add) }
    if configuration.searchesIntrusively { scan(without: found).forEach(add) }
    return found
  }

  /// Returns the names of drivers that are supported: a libnfc built with its PC/SC drivers lists readers of the PC/SC
  /// service as well, which this package drives by itself.
  static func usable(_ names: [String]) -> [String] {
    names.filter { ConnectionString($0).traits?.address == .usb }
  }

  /// Returns whether an optional device is present.
  private static func isThere(_ connectionString: String) -> Bool {
    guard let address = try? ConnectionString(connectionString).address() else { return false }
    switch address {
    // Opening it would reset it, even if another program uses it.
    case .usb: return access(address.path, F_OK) == 0
    case .serialPort, .node:
      return PortLock.isTaken(address.path) || answers(connectionString, restoresRate: true)
    }
  }

  private static func answers(_ connectionString: String, restoresRate: Bool) -> Bool {
    let watchdog = Watchdog(Watchdog.Actions(abort: {}, cut: {}))
    watchdog.begin()
    defer {
      watchdog.end()
      watchdog.retire()
    }
    guard
      let connection = try? Connection(connectionString, watchdog, restoresRate: restoresRate)
    else { return false }
    watchdog.finish { connection.close() }
    return true
  }

  // MARK: The intrusive scan

  /// The names that libnfc searches for serial ports and buses (uart.c, i2c.c, spi.c), and the
  /// drivers that it tries there, with their speeds.
  private static let ports: [(prefixes: [String], drivers: [(name: String, speed: String)])] = [
    (
      ["ttyUSB", "ttyS", "ttyACM", "ttyAMA", "ttyO"],
      [("pn532_uart", ":115200"), ("ACR122S", ":9600"), ("arygon", ":9600")]
    ),
    (["spidev"], [("pn532_spi", "")]), (["i2c-"], [("pn532_i2c", "")]),
  ]

  private static func scan(without known: [String]) -> [String] {
    let knownPaths = known.compactMap { try? ConnectionString($0).address().path }
    let names = (Folder.names(in: "/dev") ?? []).sorted()
    return ports.flatMap { prefixes, drivers in
      names.filter { name in
        prefixes.contains { name.hasPrefix($0) } && name.last?.isNumber == true
      }
      .map { "/dev/\($0)" }
      .filter { !knownPaths.contains($0) && !PortLock.isTaken($0) }
      .compactMap { path in
        drivers.map { "\($0.name):\(path)\($0.speed)" }.first { answers($0, restoresRate: false) }
      }
    }
  }
}
