import NFCPCSC

/// The readers of both drivers as one list.
enum ReaderNames {
  /// What readers of a libnfc driver are called by the PC/SC service.
  private static let doubles: [(driver: String, names: [String])] = [
    ("acr122_usb:", ["ACR122", "TOUCHATAG"]), ("acr122_pcsc:", ["ACR122", "TOUCHATAG"]),
    ("pn53x_usb:", ["SCL3711", "SCL3712"]),
  ]

  /// - Parameters:
  ///   - libnfc: connection strings, as libnfc lists them. One of its own PC/SC driver has the same
  ///     name as ours.
  ///   - pcsc: connection strings of PC/SC readers.
  /// - Returns: libnfc's first; none twice.
  static func merged(libnfc: [String], pcsc: [String]) -> [String] {
    let driven = doubles.filter { double in libnfc.contains { $0.hasPrefix(double.driver) } }
      .flatMap(\.names)
    let own = pcsc.filter { name in !driven.contains { name.uppercased().contains($0) } }
    var list = libnfc.filter { !$0.hasPrefix(PCSCDriver.scheme) }
    for name in own where !list.contains(name) { list.append(name) }
    return list
  }
}
