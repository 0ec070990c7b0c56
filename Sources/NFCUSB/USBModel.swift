/// What is known of a USB device by its vendor and product.
package struct USBModel: Sendable {
  /// Who can drive it.
  package enum Use: Hashable, Sendable {
    /// libnfc, by its driver of this name.
    case libnfc(String)
    /// The PC/SC service.
    case smartCards
    /// Nothing in this package.
    case nothing
    /// A serial port, on which a PN532 may be.
    case serialPort
  }

  package let vendor: UInt16
  package let product: UInt16
  package let name: String
  package let use: Use

  /// Returns what is known of a device; `nil` for one that is not listed here.
  package static func of(vendor: UInt16, product: UInt16) -> USBModel? {
    all.first { $0.vendor == vendor && $0.product == product }
  }

  /// libnfc's driver for it; `nil` if libnfc does not drive it.
  package var libnfcDriver: String? {
    if case .libnfc(let driver) = use { driver } else { nil }
  }

  /// Parts of the names, in capitals, that the PC/SC service gives a reader that libnfc drives too (libccid's
  /// Info.plist; a Touchatag names itself by its sticker in older ones).
  package var smartCardNames: [String] {
    switch (vendor, product) {
    case (0x072F, 0x2200), (0x072F, 0x2214): ["ACR122"]
    case (0x072F, 0x90CC): ["TOUCHATAG", "ACR 38", "ACR38", "ACR122"]
    case (0x04E6, 0x5591), (0x04E6, 0x5594): ["SCL3711", "SCL3712"]
    default: []
    }
  }

  /// As ``smartCardNames``, of all readers that one of libnfc's drivers may have.
  package static func smartCardNames(ofDriver driver: String) -> [String] {
    all.filter { $0.libnfcDriver == driver }.flatMap(\.smartCardNames)
  }

  private static let acr122 = Use.libnfc("acr122_usb")
  private static let pn53x = Use.libnfc("pn53x_usb")

  private init(_ vendor: UInt16, _ product: UInt16, _ name: String, _ use: Use) {
    (self.vendor, self.product, self.name, self.use) = (vendor, product, name, use)
  }

  private static let all: [USBModel] = [
    // libnfc 1.8.0, drivers/acr122_usb.c and drivers/pn53x_usb.c.
    USBModel(0x072F, 0x2200, "ACS ACR122U", acr122),
    USBModel(0x072F, 0x90CC, "Touchatag or ACS ACR38", acr122),
    USBModel(0x072F, 0x2214, "ACS ACR1222", acr122),
    USBModel(0x04CC, 0x0531, "Philips PN531", pn53x),
    USBModel(0x04CC, 0x2533, "NXP PN533", pn53x),
    USBModel(0x04E6, 0x5591, "SCM SCL3711", pn53x),
    USBModel(0x04E6, 0x5594, "SCM SCL3712", pn53x),
    USBModel(0x054C, 0x0193, "Sony PN531", pn53x),
    USBModel(0x054C, 0x02E1, "Sony RC-S360", pn53x),
    USBModel(0x1FD3, 0x0608, "ASK LoGO", pn53x),
    // libccid's Info.plist has them, and names for others; those of the ACR1552U from 1.5.3.
    USBModel(0x072F, 0x2303, "ACS ACR1552U", .smartCards),
    USBModel(0x072F, 0x2308, "ACS ACR1552U", .smartCards),
    USBModel(0x072F, 0x223B, "ACS ACR1252 Dual Reader", .smartCards),
    USBModel(0x072F, 0x223E, "ACS ACR1252 Reader", .smartCards),
    USBModel(0x072F, 0x221A, "ACS ACR1251 Dual Reader", .smartCards),
    USBModel(0x072F, 0x2224, "ACS ACR1281U", .smartCards),
    USBModel(0x072F, 0x223F, "ACS ACR1255U-J1", .smartCards),
    USBModel(0x054C, 0x0DC8, "Sony RC-S300/S", .smartCards),
    USBModel(0x054C, 0x0DC9, "Sony RC-S300/P", .smartCards),
    USBModel(0x054C, 0x0D8F, "Sony RC-S660/U", .smartCards),
    USBModel(0x04E6, 0x5790, "Identiv uTrust 3700 F", .smartCards),
    USBModel(0x04E6, 0x5791, "Identiv uTrust 3701 F", .smartCards),
    USBModel(0x04E6, 0x5720, "Identiv CLOUD 4500 F", .smartCards),
    USBModel(0x04E6, 0x5721, "Identiv CLOUD 4510 F", .smartCards),
    USBModel(0x04E6, 0x5724, "Identiv uTrust 4701 F", .smartCards),
    USBModel(0x04E6, 0x5725, "Identiv uTrust 4711 F", .smartCards),
    USBModel(0x096E, 0x0608, "Feitian 502-CL", .smartCards),
    USBModel(0x096E, 0x060D, "Feitian R502", .smartCards),
    USBModel(0x054C, 0x06C1, "Sony RC-S380/S", .nothing),
    USBModel(0x054C, 0x06C3, "Sony RC-S380/P", .nothing),
    // Bridges: nothing in these says whether a PN532 is behind them.
    USBModel(0x0403, 0x6001, "FTDI serial bridge", .serialPort),
    USBModel(0x10C4, 0xEA60, "CP210x serial bridge", .serialPort),
    USBModel(0x1A86, 0x7523, "CH340 serial bridge", .serialPort),
    USBModel(0x067B, 0x2303, "PL2303 serial bridge", .serialPort),
  ]

  /// The first libccid that knows a reader, for those that Debian 12's (1.5.2) does not (history in its
  /// README).
  package var firstLibCCID: String? { name == "ACS ACR1552U" ? "1.5.3" : nil }

  /// Ids that libnfc's own udev rules give to the group `plugdev`
  /// (contrib/udev/93-pn53x.rules): all that it drives, but one.
  package var isInLibNFCRules: Bool {
    if case .libnfc = use { return !(vendor == 0x072F && product == 0x2214) }
    return false
  }
}
