/// What device a tag or message is from: the well-known type `Di`.
///
/// Source: NFC Forum Device Information RTD 1.0. A text longer than 255 bytes of UTF-8 is cut
/// between characters when the record is written.
public struct DeviceInformationRecord: NDEFTypedRecord {
  /// An element of a type that the specification does not define.
  public struct Element: Hashable, Sendable {
    /// The element's type, 5 to 255.
    public var type: UInt8
    /// The value, at most 255 bytes.
    public var value: [UInt8]

    /// An element with that value.
    public init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  /// Who made the device.
  public var vendorName: String
  /// What the maker calls devices of this kind.
  public var modelName: String
  /// What people call this one device.
  public var uniqueName: String?
  /// The device's UUID, 16 bytes; one of another length is not written.
  public var uuid: [UInt8]?
  /// The version of the device's firmware.
  public var versionString: String?
  /// Elements other than these, in their order.
  public var otherElements: [Element]
  public var identifier: [UInt8]

  /// The record of a device.
  public init(
    vendorName: String, modelName: String, uniqueName: String? = nil, uuid: [UInt8]? = nil,
    versionString: String? = nil, otherElements: [Element] = [], identifier: [UInt8] = []
  ) {
    self.vendorName = vendorName
    self.modelName = modelName
    self.uniqueName = uniqueName
    self.uuid = uuid
    self.versionString = versionString
    self.otherElements = otherElements
    self.identifier = identifier
  }

  /// The types of the elements (Device Information RTD 1.0).
  private enum ElementType: UInt8 {
    case vendorName = 0x00
    case modelName = 0x01
    case uniqueName = 0x02
    case uuid = 0x03
    case versionString = 0x04
  }

  private static let uuidLength = 16
  private static let maximumLength = Int(UInt8.max)

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Di")
  }

  /// Reads the elements.
  ///
  /// - Throws: ``NDEFError``: an element beyond the end or twice, a text that is not UTF-8, a UUID
  ///   that has not 16 bytes, no vendor or model.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    var known: [ElementType: ArraySlice<UInt8>] = [:]
    var others: [Element] = []
    while !reader.isAtEnd {
      let type = try reader.readByte("element type")
      let value = try reader.readBytes8("element")
      guard let knownType = ElementType(rawValue: type) else {
        others.append(Element(type: type, value: Array(value)))
        continue
      }
      guard known.updateValue(value, forKey: knownType) == nil else {
        throw .repeated("element of one type", offset: value.startIndex)
      }
    }
    guard let vendor = known[.vendorName], let model = known[.modelName] else {
      throw NDEFError(
        .missingField, offset: 0, reason: "the device information lacks the vendor or the model")
    }
    self.init(
      vendorName: try vendor.utf8Text("vendor name"), modelName: try model.utf8Text("model name"),
      otherElements: others, identifier: record.identifier)
    uniqueName = try known[.uniqueName]?.utf8Text("unique name")
    versionString = try known[.versionString]?.utf8Text("version string")
    if let uuid = known[.uuid] {
      try uuid.expectCount(Self.uuidLength, "UUID")
      self.uuid = Array(uuid)
    }
  }

  public var record: NDEFRecord {
    var payload: [UInt8] = []
    func append(_ type: ElementType, _ text: String?) {
      guard let text else { return }
      payload.append(type.rawValue)
      payload.appendWithLength8(text.utf8Prefix(Self.maximumLength))
    }
    append(.vendorName, vendorName)
    append(.modelName, modelName)
    append(.uniqueName, uniqueName)
    if let uuid, uuid.count == Self.uuidLength {
      payload.append(ElementType.uuid.rawValue)
      payload.appendWithLength8(uuid)
    }
    append(.versionString, versionString)
    for element in otherElements {
      payload.append(element.type)
      payload.appendWithLength8(element.value)
    }
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "Di", identifier: identifier, payload: payload)
  }

  public var description: String {
    let device = "\(vendorName) \(modelName)"
    return uniqueName.map { "\($0) (\(device))" } ?? device
  }

  public func encodeFields(to container: inout KeyedEncodingContainer<NDEFRecord.FieldKey>) throws {
    try container.encode(Fields(self), forKey: "deviceInformation")
  }

  private struct Fields: Encodable {
    let vendorName: String
    let modelName: String
    let uniqueName: String?
    let uuid: String?
    let versionString: String?

    init(_ record: DeviceInformationRecord) {
      vendorName = record.vendorName
      modelName = record.modelName
      uniqueName = record.uniqueName
      uuid = record.uuid?.uuidDescription
      versionString = record.versionString
    }
  }
}
