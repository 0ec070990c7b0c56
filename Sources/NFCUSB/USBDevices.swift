/// The USB devices of this machine.
package enum USBDevices {
  /// Returns all that are there, in the order of their buses and numbers; none of them is opened
  /// for it. Empty where the system has no USB.
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

  /// Those that libnfc drives.
  package static func readers() -> [USBIdentity] {
    all().filter { USBModel.of(vendor: $0.vendor, product: $0.product)?.libnfcDriver != nil }
  }
}
