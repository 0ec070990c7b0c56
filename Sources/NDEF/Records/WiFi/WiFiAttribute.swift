/// An attribute of Wi-Fi Simple Configuration: an identifier and a value.
///
/// Source: Wi-Fi Simple Configuration 2.0.5, 12, table 28.
public struct WiFiAttribute: Hashable, Sendable {
  /// The meaning of a value.
  public struct Identifier: RawRepresentable, Hashable, Sendable {
    /// The number in the record.
    public let rawValue: UInt16

    /// Creates an identifier from its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Authentication Type, 2 bytes.
    public static let authenticationType = Identifier(rawValue: 0x1003)
    /// Credential, the attributes of one network.
    public static let credential = Identifier(rawValue: 0x100E)
    /// Encryption Type, 2 bytes.
    public static let encryptionType = Identifier(rawValue: 0x100F)
    /// MAC Address, 6 bytes.
    public static let macAddress = Identifier(rawValue: 0x1020)
    /// Network Index, 1 byte; deprecated and always 1.
    public static let networkIndex = Identifier(rawValue: 0x1026)
    /// Network Key, up to 64 bytes.
    public static let networkKey = Identifier(rawValue: 0x1027)
    /// Out-of-Band Device Password.
    public static let outOfBandDevicePassword = Identifier(rawValue: 0x102C)
    /// SSID, up to 32 bytes.
    public static let ssid = Identifier(rawValue: 0x1045)
    /// Vendor Extension: the three bytes of a vendor, then any bytes.
    public static let vendorExtension = Identifier(rawValue: 0x1049)
    /// Version, 1 byte; deprecated and always 0x10.
    public static let version = Identifier(rawValue: 0x104A)
  }

  /// The meaning of the value.
  public var identifier: Identifier
  /// The value, at most 65535 bytes.
  public var value: [UInt8]

  /// Creates an attribute with a value.
  public init(_ identifier: Identifier, _ value: [UInt8]) {
    self.identifier = identifier
    self.value = value
  }

  /// Parses a list of attributes; a value keeps its position in the payload.
  ///
  /// Leniently, an attribute that exceeds the payload ends the list.
  static func parse(
    _ bytes: ArraySlice<UInt8>, tolerance: inout NDEFTolerance
  ) throws(NDEFError) -> [(identifier: Identifier, value: ArraySlice<UInt8>)] {
    var reader = ByteReader(bytes)
    var attributes: [(identifier: Identifier, value: ArraySlice<UInt8>)] = []
    while !reader.isAtEnd {
      do throws(NDEFError) {
        let identifier = Identifier(rawValue: try reader.readBigEndian16("attribute identifier"))
        attributes.append((identifier, try reader.readBytes16("attribute")))
      } catch {
        try tolerance.report(error)
        break
      }
    }
    return attributes
  }

  func append(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(identifier.rawValue)
    bytes.appendWithLength16(value)
  }
}

/// The vendor extension of the Wi-Fi Alliance: a list of subelements.
///
/// Source: Wi-Fi Simple Configuration 2.0.5, 12, table 29.
struct WiFiVendorExtension {
  enum Subelement: UInt8 {
    case version2 = 0x00
    case networkKeyShareable = 0x02
  }

  /// The vendor identifier of the Wi-Fi Alliance.
  private static let vendor: [UInt8] = [0x00, 0x37, 0x2A]

  private var subelements: [(identifier: UInt8, value: [UInt8])]

  /// Creates an extension with one subelement of one byte.
  init(_ subelement: Subelement, _ value: UInt8) {
    subelements = [(subelement.rawValue, [value])]
  }

  /// Parses an extension; `nil` if it is another vendor's.
  init?(_ value: ArraySlice<UInt8>) throws(NDEFError) {
    guard value.starts(with: Self.vendor) else { return nil }
    var reader = ByteReader(value.dropFirst(Self.vendor.count))
    subelements = []
    while !reader.isAtEnd {
      let identifier = try reader.readByte("subelement identifier")
      let value = try reader.readBytes8("subelement")
      if Subelement(rawValue: identifier) != nil { try value.expectCount(1, "subelement") }
      subelements.append((identifier, Array(value)))
    }
  }

  var isEmpty: Bool { subelements.isEmpty }

  /// Removes and returns a subelement of one byte; `nil` if there is none.
  mutating func remove(_ subelement: Subelement) -> UInt8? {
    let value = subelements.first { $0.identifier == subelement.rawValue }?.value.first
    subelements.removeAll { $0.identifier == subelement.rawValue }
    return value
  }

  var attribute: WiFiAttribute {
    var value = Self.vendor
    for subelement in subelements {
      value.append(subelement.identifier)
      value.appendWithLength8(subelement.value)
    }
    return WiFiAttribute(.vendorExtension, value)
  }
}
