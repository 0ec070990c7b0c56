/// The chips of the Ultralight and NTAG 2xx families: a line each in ``all`` makes one known by its name, and
/// its pages with it.
struct UltralightChip: Sendable {
  let product: TagProduct
  /// How its pages are used; `nil` where that is not known, and nothing is dumped, restored or protected.
  let layout: UltralightLayout?
  /// What it answers to GET_VERSION; `nil` for a chip that has not the command.
  private let version: Version?

  /// Type, subtype, major and minor version and storage size: NTAG21x data sheet, 10.1; MF0ULx1 data sheet,
  /// 10.1.
  struct Version: Sendable {
    let type: UInt8
    /// `nil` for any: it tells the capacitance of the antenna.
    let subtype: UInt8?
    let major: UInt8
    var minor: ClosedRange<UInt8> = 0...0xFF
    /// `nil` for any.
    let storageSize: UInt8?

    /// NXP's vendor code.
    static let vendor: UInt8 = 0x04

    static func ultralight(_ major: UInt8, _ storageSize: UInt8?) -> Version {
      Version(type: 0x03, subtype: nil, major: major, storageSize: storageSize)
    }

    static func ntag(_ subtype: UInt8, _ major: UInt8, _ storageSize: UInt8) -> Version {
      Version(type: 0x04, subtype: subtype, major: major, storageSize: storageSize)
    }

    /// Versions 1.x, 2.0 and 2.1 are NTAG I²C, from 2.2 on it is plus (NT3H1101/1201 and NT3H2111/2211 data
    /// sheets, 10.1; NXP's NTAG I²C demo for the versions between).
    static func i2c(
      _ major: UInt8, _ minor: ClosedRange<UInt8>, _ storageSize: UInt8
    ) -> Version {
      Version(type: 0x04, subtype: 0x05, major: major, minor: minor, storageSize: storageSize)
    }

    func matches(_ answer: [UInt8]) -> Bool {
      answer.count == 8 && answer[1] == Self.vendor && answer[2] == type
        && (subtype ?? answer[3]) == answer[3] && answer[4] == major && minor.contains(answer[5])
        && (storageSize ?? answer[6]) == answer[6]
    }
  }

  private init(
    _ name: String, _ memorySize: Int?, _ version: Version?, _ layout: UltralightLayout? = nil
  ) {
    product = TagProduct(name: name, maker: "NXP", memorySize: memorySize)
    self.version = version
    self.layout = layout
  }

  static let ultralight = UltralightChip("MIFARE Ultralight", 64, nil, .ultralight)
  static let ultralightC = UltralightChip("MIFARE Ultralight C", 192, nil, .ultralightC)
  static let ntag203 = UltralightChip("NTAG203", 168, nil, .ntag203)

  static let all = [
    ultralight, ultralightC, ntag203,
    UltralightChip("MIFARE Ultralight EV1", 80, .ultralight(1, 0x0B), .pages48),
    UltralightChip("MIFARE Ultralight EV1", 164, .ultralight(1, 0x0E), .withPassword(0x23)),
    UltralightChip("MIFARE Ultralight AES", 240, .ultralight(4, nil)),
    UltralightChip("NTAG210", 80, .ntag(1, 1, 0x0B), .pages48),
    UltralightChip("NTAG212", 164, .ntag(1, 1, 0x0E), .withPassword(0x23)),
    UltralightChip("NTAG213", 180, .ntag(2, 1, 0x0F), .withPassword(0x27)),
    UltralightChip("NTAG215", 540, .ntag(2, 1, 0x11), .withPassword(0x81)),
    UltralightChip("NTAG216", 924, .ntag(2, 1, 0x13), .withPassword(0xE1)),
    UltralightChip("NTAG213F", 180, .ntag(4, 1, 0x0F), .withPassword(0x27)),
    UltralightChip("NTAG216F", 924, .ntag(4, 1, 0x13), .withPassword(0xE1)),
    UltralightChip("NTAG213 TT", 184, .ntag(2, 3, 0x0F)),
    UltralightChip("NTAG I2C 1K", 936, .i2c(1, 0...0xFF, 0x13), .i2c1K),
    UltralightChip("NTAG I2C 1K", 936, .i2c(2, 0...1, 0x13), .i2c1K),
    UltralightChip("NTAG I2C 2K", 1960, .i2c(1, 0...0xFF, 0x15), .i2c2K),
    UltralightChip("NTAG I2C 2K", 1960, .i2c(2, 0...1, 0x15), .i2c2K),
    UltralightChip("NTAG I2C plus 1K", nil, .i2c(2, 2...0xFF, 0x13)),
    UltralightChip("NTAG I2C plus 2K", nil, .i2c(2, 2...0xFF, 0x15)),
  ]

  /// The chip that answers GET_VERSION so; `nil` for one that is not known.
  static func version(_ answer: [UInt8]) -> UltralightChip? {
    all.first { $0.version?.matches(answer) ?? false }
  }
}

extension UltralightLayout {
  /// `nil` for a product whose pages are not known.
  init?(_ product: TagProduct) {
    guard let layout = UltralightChip.all.first(where: { $0.product == product })?.layout else {
      return nil
    }
    self = layout
  }
}
