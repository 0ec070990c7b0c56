/// The USB devices of this computer.
package enum USBDevices {
  /// Returns all connected devices, ordered by bus and number, without opening them. The result is
  /// empty if the system has no USB.
  package static func all() -> [USBIdentity] {
    guard let context = try? LibUSB.Context(), let places = try? context.devices() else {
      return []
    }
    return places.map { place in
      let port = USBIdentity.port(bus: place.bus, place.ports)
      let strings = port.map { DeviceStrings(port: $0) }
      return USBIdentity(
        vendor: place.vendor, product: place.product, bus: place.bus, number: place.number,
        ports: place.ports, serialNumber: strings?.serialNumber,
        manufacturerName: strings?.manufacturerName, productName: strings?.productName)
    }.sorted { ($0.bus, $0.number) < ($1.bus, $1.number) }
  }
}
