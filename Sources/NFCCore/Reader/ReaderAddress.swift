/// Where a reader is: a scheme, which says who drives it, a colon, and what the driver makes of the rest.
///
/// | Address | Reader |
/// |---|---|
/// | `pn532_uart:/dev/ttyUSB0`, `pn532_uart:/dev/ttyUSB0:115200` | on a serial port, by libnfc |
/// | `pn532_i2c:/dev/i2c-1`, `pn532_spi:/dev/spidev0.0` | on a bus of the board, by libnfc |
/// | `acr122_usb:001:004` | on USB, by the driver, bus and number that libnfc has for it; new at each plug |
/// | `usb:1-2.3` | on USB, by the socket that it is plugged into |
/// | `usb:serial=0123456` | on USB, by the number that its maker has given it |
/// | `pcsc:ACR1552` | of the PC/SC service, by a part of its name |
public struct ReaderAddress: Hashable, Sendable, LosslessStringConvertible,
  ExpressibleByStringLiteral
{
  /// The address as it is written.
  public let description: String

  public init(_ text: String) { description = text }

  public init(stringLiteral text: String) { self.init(text) }

  /// What stands before the first colon; all of it where there is none.
  public var scheme: String {
    String(description.prefix { $0 != ":" })
  }

  /// What stands after the first colon; `nil` where there is none.
  public var rest: String? {
    description.firstIndex(of: ":").map { String(description[description.index(after: $0)...]) }
  }
}
