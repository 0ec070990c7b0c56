/// Information about the device that a tag or message comes from: the well-known type `Di`.
///
/// Source: NFC Forum Device Information RTD 1.0. A text longer than 255 bytes of UTF-8 is cut off
/// between characters when the record is written.
public struct DeviceInformationRecord: NDEFTolerantRecord {
  /// An element of a type that the specification does not define.
  public struct Element: Hashable, Sendable {
    /// The element's type, 5 to 255.
    public var type: UInt8
    /// The value, at most 255 bytes.
    public var value: [UInt8]

    /// Creates an element with a value.
    public init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }

    fileprivate init(fields: NDEFFields) throws(NDEFFieldError) {
      guard let type: UInt8 = try fields.integer("type") else { throw .missing("type") }
      guard ElementType(rawValue: type) == nil else {
        throw NDEFFieldError([.name("type")], "the element \(type) has a field of its own")
      }
      let value = try fields.bytes("value") ?? []
      guard value.count <= DeviceInformationRecord.maximumLength else {
        throw NDEFFieldError(
          [.name("value")],
          "an element has at most \(DeviceInformationRecord.maximumLength) bytes")
      }
      self.init(type: type, value: value)
    }
  }

  /// The maker of the device.
  public var vendorName: String
  /// The maker's name for devices of this kind.
  public var modelName: String
  /// The name of this particular device.
  public var uniqueName: String?
  /// The device's UUID, 16 bytes; a UUID of another length is not written.
  public var uuid: [UInt8]?
  /// The version of the device's firmware.
  public var versionString: String?
  /// All other elements, in their order.
  public var otherElements: [Element]
  public var identifier: [UInt8]

  /// Creates the record of a device.
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

  /// Reads the elements; leniently, an element that occurs twice or is malformed is left out, and a
  /// missing vendor or model is empty.
  ///
  /// - Throws: ``NDEFError`` for an element that exceeds the payload or occurs twice, a text that
  ///   is not UTF-8, a UUID that is not 16 bytes long, or a missing vendor or model.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(vendorName: "", modelName: "", identifier: record.identifier)
    var reader = ByteReader(record.payload)
    var found: Set<ElementType> = []
    while !reader.isAtEnd {
      let type: UInt8
      let value: ArraySlice<UInt8>
      do throws(NDEFError) {
        type = try reader.readByte("element type")
        value = try reader.readBytes8("element")
      } catch {
        try tolerance.report(error)
        break
      }
      guard let knownType = ElementType(rawValue: type) else {
        otherElements.append(Element(type: type, value: Array(value)))
        continue
      }
      do throws(NDEFError) {
        guard found.insert(knownType).inserted else {
          throw .repeated("element of one type", offset: value.startIndex)
        }
        try take(value, as: knownType)
      } catch {
        try tolerance.report(error)
      }
    }
    if !found.isSuperset(of: [.vendorName, .modelName]) {
      try tolerance.report(
        NDEFError(
          .missingField, offset: 0, reason: "the device information lacks the vendor or the model"))
    }
  }

  private mutating func take(
    _ value: ArraySlice<UInt8>, as type: ElementType
  ) throws(NDEFError) {
    switch type {
    case .vendorName: vendorName = try value.utf8Text("vendor name")
    case .modelName: modelName = try value.utf8Text("model name")
    case .uniqueName: uniqueName = try value.utf8Text("unique name")
    case .versionString: versionString = try value.utf8Text("version string")
    case .uuid:
      try value.expectCount(Self.uuidLength, "UUID")
      uuid = Array(value)
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

  public static let fieldNames = ["deviceInformation"]

  public var fields: NDEFFields {
    [
      "deviceInformation": .fields([
        "vendorName": .text(vendorName), "modelName": .text(modelName),
        "uniqueName": uniqueName.map { .text($0) },
        "uuid": uuid.map { .text($0.uuidDescription) },
        "versionString": versionString.map { .text($0) },
        "otherElements": otherElements.isEmpty
          ? nil
          : .list(
            otherElements.map {
              .fields(["type": .integer(Int64($0.type)), "value": .text($0.value.hexadecimal)])
            }),
      ])
    ]
  }

  /// Reads `{"deviceInformation":{"vendorName":"…","modelName":"…"}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("deviceInformation") else { return nil }
    do throws(NDEFFieldError) {
      let uuid = try content.bytes("uuid")
      guard uuid == nil || uuid?.count == Self.uuidLength else {
        throw NDEFFieldError([.name("uuid")], "a UUID has \(Self.uuidLength) bytes")
      }
      self.init(
        vendorName: try content.requiredText("vendorName"),
        modelName: try content.requiredText("modelName"),
        uniqueName: try content.text("uniqueName"), uuid: uuid,
        versionString: try content.text("versionString"),
        otherElements: try content.list("otherElements") { (value) throws(NDEFFieldError) in
          try Element(fields: try value.fields())
        })
    } catch {
      throw error.within(.name("deviceInformation"))
    }
  }
}
