import SwiftNFCSystemFacts

/// A USB model that libnfc supports, or that may have a PN532 on its serial port, by its vendor and product
/// numbers.
struct USBModel: Sendable {
  let vendor: UInt16
  let product: UInt16
  let name: String
  /// The name of libnfc's driver; `nil` for a serial port.
  let libnfcDriver: String?

  /// Returns the model of a device; `nil` for a model that is not listed here.
  static func of(vendor: UInt16, product: UInt16) -> USBModel? {
    all.first { $0.vendor == vendor && $0.product == product }
  }

  static func of(_ device: USBDevice) -> USBModel? {
    of(vendor: device.vendor, product: device.product)
  }

  /// The parts, in capitals, of the names that the PC/SC service uses for a reader that libnfc
  /// supports, too (libccid's Info.plist; older versions name the Touchatag after its sticker).
  var smartCardNames: [String] {
    switch (vendor, product) {
    case (0x072F, 0x2200), (0x072F, 0x2214): ["ACR122"]
    case (0x072F, 0x90CC): ["TOUCHATAG", "ACR 38", "ACR38", "ACR122"]
    case (0x04E6, 0x5591), (0x04E6, 0x5594): ["SCL3711", "SCL3712"]
    default: []
    }
  }

  /// Returns the ``smartCardNames`` of all readers that one of libnfc's drivers supports.
  static func smartCardNames(ofDriver driver: String) -> [String] {
    all.filter { $0.libnfcDriver == driver }.flatMap(\.smartCardNames)
  }

  private static let acr122 = "acr122_usb"
  private static let pn53x = "pn53x_usb"

  private init(_ vendor: UInt16, _ product: UInt16, _ name: String, _ driver: String? = nil) {
    (self.vendor, self.product, self.name, libnfcDriver) = (vendor, product, name, driver)
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
    // Bridges: these numbers do not say whether a PN532 is connected.
    USBModel(0x0403, 0x6001, "FTDI serial bridge"),
    USBModel(0x10C4, 0xEA60, "CP210x serial bridge"),
    USBModel(0x1A86, 0x7523, "CH340 serial bridge"),
    USBModel(0x067B, 0x2303, "PL2303 serial bridge"),
  ]

  /// Whether libnfc opens a device by its driver for the ACR122U, which follows the device's ``USBDescriptors``.
  static func followsDescriptors(vendor: UInt16, product: UInt16) -> Bool {
    of(vendor: vendor, product: product)?.libnfcDriver == acr122
  }

  private static let acr1222 = (vendor: UInt16(0x072F), product: UInt16(0x2214))
  private var isACR1222: Bool { (vendor, product) == Self.acr1222 }

  /// Whether libnfc's own udev rules give the device to the group `plugdev`
  /// (contrib/udev/93-pn53x.rules). They list all devices that libnfc supports except one.
  var isInLibNFCRules: Bool { libnfcDriver != nil && !isACR1222 }

  /// Whether libnfc stops the reader's own search for cards with `FF 00 51 00 00` and leaves it so (libnfc
  /// issue 502, about the ACR122U).
  var isLeftWithoutOwnSearch: Bool { libnfcDriver == Self.acr122 && !isACR1222 }
}
