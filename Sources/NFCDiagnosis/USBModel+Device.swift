import NFCUSB

extension USBModel {
  static func of(_ device: USBDevice) -> USBModel? {
    of(vendor: device.vendor, product: device.product)
  }
}
