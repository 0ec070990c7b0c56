/// The data required to join a Wi-Fi network: the media type `application/vnd.wfa.wsc`.
///
/// ```swift
/// let record: NDEFRecord = .wiFi(ssid: "Guests", key: "correct horse")
/// ```
///
/// Source: Wi-Fi Simple Configuration 2.0.5, 12; all numbers big-endian.
public struct WiFiRecord: NDEFTolerantRecord {
  /// The networks.
  public var credentials: [WiFiCredential]
  /// The version of the specification, such as 0x20 for 2.0, from the Version2 subelement.
  public var version: UInt8?
  /// All other attributes, in their order: a password token, a device's name.
  public var otherAttributes: [WiFiAttribute]
  public var identifier: [UInt8]

  /// Creates the record of networks.
  public init(
    credentials: [WiFiCredential], version: UInt8? = nil, otherAttributes: [WiFiAttribute] = [],
    identifier: [UInt8] = []
  ) {
    self.credentials = credentials
    self.version = version
    self.otherAttributes = otherAttributes
    self.identifier = identifier
  }

  private static let mediaType = "application/vnd.wfa.wsc"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  /// Reads the networks; leniently, everything except a network's name may be missing or malformed, and an attribute
  /// that exceeds the payload ends the list.
  ///
  /// Android reads such records, and programs for it write them: a network without an encryption type, for instance
  /// (NfcWifiProtectedSetup.java, parseCredential).
  ///
  /// - Throws: ``NDEFError`` for an attribute that exceeds the payload, a network whose name,
  ///   authentication type or encryption type is missing or repeated, or a value of the wrong
  ///   length.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(credentials: [], identifier: record.identifier)
    let attributes = try WiFiAttribute.parse(record.payload[...], tolerance: &tolerance)
    for (identifier, value) in attributes {
      do throws(NDEFError) {
        try take(value, as: identifier, tolerance: &tolerance)
      } catch {
        try tolerance.report(error)
      }
    }
  }

  private mutating func take(
    _ value: ArraySlice<UInt8>, as identifier: WiFiAttribute.Identifier,
    tolerance: inout NDEFTolerance
  ) throws(NDEFError) {
    switch identifier {
    case .credential:
      credentials.append(try WiFiCredential(value, tolerance: &tolerance))
    case .vendorExtension:
      guard var subelements = try WiFiVendorExtension(value) else { fallthrough }
      version = subelements.remove(.version2) ?? version
      if !subelements.isEmpty { otherAttributes.append(subelements.attribute) }
    default:
      otherAttributes.append(WiFiAttribute(identifier, Array(value)))
    }
  }

  public var record: NDEFRecord {
    var payload: [UInt8] = []
    for credential in credentials {
      WiFiAttribute(.credential, credential.encoded()).append(to: &payload)
    }
    for attribute in otherAttributes { attribute.append(to: &payload) }
    if let version {
      WiFiVendorExtension(.version2, version).attribute.append(to: &payload)
    }
    return NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier, payload: payload)
  }

  public var description: String {
    guard !credentials.isEmpty else { return "Wi-Fi configuration" }
    return credentials.map(\.description).joined(separator: ", ")
  }

  public static let fieldNames = ["wifi"]

  public var fields: NDEFFields {
    [
      "wifi": .fields([
        "credentials": .list(credentials.map { .fields($0.fields) }),
        "version": version.map { .text("\($0 >> 4).\($0 & 0x0F)") },
        "otherAttributes": WiFiAttribute.fieldValue(of: otherAttributes),
      ])
    ]
  }

  /// Reads `{"wifi":{"credentials":[…]}}`, or `{"wifi":{"ssid":"…","networkKey":"…"}}` for one
  /// network.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("wifi") else { return nil }
    do throws(NDEFFieldError) {
      if !content.hasValue("credentials") {
        var credential = content
        credential["credentials"] = nil
        self.init(credentials: [try WiFiCredential(fields: credential)])
      } else {
        try content.expectOnly(["credentials", "version", "otherAttributes"])
        self.init(
          credentials: try content.list("credentials") { (value) throws(NDEFFieldError) in
            try WiFiCredential(fields: try value.fields())
          }, version: try Self.version(content),
          otherAttributes: try WiFiAttribute.list(in: content))
      }
    } catch {
      throw error.within(.name("wifi"))
    }
  }
}

extension WiFiRecord {
  /// Reads `version`, such as `2.0`.
  private static func version(_ content: NDEFFields) throws(NDEFFieldError) -> UInt8? {
    try content.version("version").map { $0.major << 4 | $0.minor }
  }
}

extension NDEFRecord {
  /// Returns the record of a network with a WPA2 passphrase, or an open one.
  public static func wiFi(ssid: String, key: String? = nil) -> NDEFRecord {
    WiFiRecord(credentials: [WiFiCredential(ssid: ssid, key: key)]).record
  }
}
