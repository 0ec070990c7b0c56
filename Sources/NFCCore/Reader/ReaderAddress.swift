/// The address of a reader, whose text is the reader's connection string: a scheme, which selects the driver, a colon,
/// and a part that the driver interprets.
///
/// | Connection string | Reader |
/// |---|---|
/// | `pn532_uart:/dev/ttyUSB0`, `pn532_uart:/dev/ttyUSB0:115200` | on a serial port, by libnfc |
/// | `pn532_i2c:/dev/i2c-1`, `pn532_spi:/dev/spidev0.0` | on a bus of the board, by libnfc |
/// | `acr122_usb:001:004` | on USB, by the driver, bus and number that libnfc has for it; new at each plug |
/// | `usb:1-2.3` | on USB, by the socket that it is plugged into |
/// | `usb:serial=0123456` | on USB, by the number that its maker has given it |
/// | `pcsc:ACR1552` | of the PC/SC service, by a part of its name |
/// | `isolated:pn532_uart:/dev/ttyUSB0` | by libnfc in its own process, whose end does not end the program |
public struct ReaderAddress: Hashable, Sendable, LosslessStringConvertible,
  ExpressibleByStringLiteral
{
  /// The connection string.
  public let description: String

  public init(_ text: String) { description = text }

  public init(stringLiteral text: String) { self.init(text) }

  /// The text before the first colon; the whole text if there is none.
  public var scheme: String {
    String(description.prefix { $0 != ":" })
  }

  /// The text after the first colon; `nil` if there is none.
  public var rest: String? {
    description.firstIndex(of: ":").map { String(description[description.index(after: $0)...]) }
  }
}

extension ReaderAddress: Codable {
  /// Decodes a connection string, as the settings of a program contain it.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the connection string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
