/// A known USB model, identified by its vendor and product numbers.
package struct USBModel: Sendable {
  /// The software that can use a device.
  package enum Use: Hashable, Sendable {
    /// libnfc, with the driver of this name.
    case libnfc(String)
    /// The PC/SC service.
    case smartCards
    /// Nothing in this package.
    case nothing
    /// A serial port, to which a PN532 may be connected.
    case serialPort
  }

  package let vendor: UInt16
  package let product: UInt16
  package let name: String
  package let use: Use

  /// Returns the model of a device; `nil` for a model that is not listed here.
  package static func of(vendor: UInt16, product: UInt16) -> USBModel? {
    all.first { $0.vendor == vendor && $0.product == product }
  }

  /// The name of libnfc's driver; `nil` if libnfc does not support the device.
  package var libnfcDriver: String? {
    if case .libnfc(let driver) = use { driver } else { nil }
  }

  /// The parts, in capitals, of the names that the PC/SC service uses for a reader that libnfc
  /// supports, too (libccid's Info.plist; older versions name the Touchatag after its sticker).
  package var smartCardNames: [String] {
    switch (vendor, product) {
    case (0x072F, 0x2200), (0x072F, 0x2214): ["ACR122"]
    case (0x072F, 0x90CC): ["TOUCHATAG", "ACR 38", "ACR38", "ACR122"]
    case (0x04E6, 0x5591), (0x04E6, 0x5594): ["SCL3711", "SCL3712"]
    default: []
    }
  }

  /// Returns the ``smartCardNames`` of all readers that one of libnfc's drivers supports.
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
    // Listed in libccid's Info.plist, which also has names for others; the ACR1552U is listed since
    // 1.5.3.
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
    // Bridges: these numbers do not say whether a PN532 is connected.
    USBModel(0x0403, 0x6001, "FTDI serial bridge", .serialPort),
    USBModel(0x10C4, 0xEA60, "CP210x serial bridge", .serialPort),
    USBModel(0x1A86, 0x7523, "CH340 serial bridge", .serialPort),
    USBModel(0x067B, 0x2303, "PL2303 serial bridge", .serialPort),
  ]

  /// The first version of libccid that supports a reader, for those that Debian 12's (1.5.2) does
  /// not support (history in its README).
  package var firstLibCCID: String? { name == "ACS ACR1552U" ? "1.5.3" : nil }

  /// Whether libnfc's own udev rules give the device to the group `plugdev`
  /// (contrib/udev/93-pn53x.rules). They list all devices that libnfc supports except one.
  package var isInLibNFCRules: Bool {
    if case .libnfc = use { return !(vendor == 0x072F && product == 0x2214) }
    return false
  }
}
