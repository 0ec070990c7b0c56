/// A carrier, such as Bluetooth or Wi-Fi, that a handover offers: the local type `ac`.
///
/// It refers to other records of the message by their identifiers. It has a meaning only inside a
/// ``HandoverSelectRecord`` or ``HandoverRequestRecord``.
///
/// Source: NFC Forum Connection Handover 1.5, "Alternative Carrier Record".
public struct AlternativeCarrierRecord: NDEFTolerantRecord {
  /// Whether the carrier is on: the CPS field.
  public enum PowerState: UInt8, Hashable, Sendable, CaseIterable {
    /// Off.
    case inactive = 0
    /// On.
    case active = 1
    /// Being turned on.
    case activating = 2
    /// Not known to the device.
    case unknown = 3

    /// The name of the case.
    var name: String { "\(self)" }
  }

  /// Whether the carrier is on.
  public var powerState: PowerState
  /// The identifier of the record that describes the carrier, at most 255 bytes.
  public var carrierDataReference: [UInt8]
  /// The identifiers of records with more information, at most 255 of at most 255 bytes.
  public var auxiliaryDataReferences: [[UInt8]]
  public var identifier: [UInt8]

  /// Creates the record of a carrier.
  public init(
    powerState: PowerState, carrierDataReference: [UInt8],
    auxiliaryDataReferences: [[UInt8]] = [], identifier: [UInt8] = []
  ) {
    self.powerState = powerState
    self.carrierDataReference = carrierDataReference
    self.auxiliaryDataReferences = auxiliaryDataReferences
    self.identifier = identifier
  }

  /// The bits of the first byte that are the CPS field; the others are reserved.
  private static let powerStateMask: UInt8 = 0x03

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "ac")
  }

  /// Reads a carrier; leniently, the reserved bits of the power state are left out. Bytes after the references are
  /// reserved and ignored.
  ///
  /// - Throws: ``NDEFError`` if a reference is longer than the payload, or for a reserved bit.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let state = try reader.readByte("carrier power state")
    let reserved = NDEFError.reservedBits(
      "the power state", state, known: Self.powerStateMask, offset: 0)
    if let reserved { try tolerance.report(reserved) }
    self.init(
      powerState: PowerState(rawValue: state & Self.powerStateMask) ?? .unknown,
      carrierDataReference: Array(try reader.readBytes8("carrier data reference")),
      identifier: record.identifier)
    for _ in 0..<(try reader.readByte("auxiliary data reference count")) {
      auxiliaryDataReferences.append(Array(try reader.readBytes8("auxiliary data reference")))
    }
  }

  public var record: NDEFRecord {
    var payload = [powerState.rawValue]
    payload.appendWithLength8(carrierDataReference)
    let references = auxiliaryDataReferences.prefix(Int(UInt8.max))
    payload.append(UInt8(clamping: references.count))
    for reference in references { payload.appendWithLength8(reference) }
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "ac", identifier: identifier, payload: payload)
  }

  public var description: String {
    "carrier \(carrierDataReference.asciiOrHexadecimal) (\(powerState.name))"
  }

  /// The carrier as an element of a handover record's `carriers`.
  var content: NDEFFields {
    [
      "powerState": .text(powerState.name),
      "carrier": .text(carrierDataReference.asciiOrHexadecimal),
      "auxiliary": .list(auxiliaryDataReferences.map { .text($0.asciiOrHexadecimal) }),
    ]
  }

  /// Reads the carriers of a handover record; `powerState` is `unknown` by default.
  static func list(in content: NDEFFields) throws(NDEFFieldError) -> [AlternativeCarrierRecord] {
    try content.list("carriers") { (value) throws(NDEFFieldError) in
      let carrier = try value.fields()
      let state = try carrier.choice("powerState", PowerState.allCases.map(\.name))
      guard let reference = try carrier.marked("carrier") else { throw .missing("carrier") }
      return AlternativeCarrierRecord(
        powerState: PowerState.allCases.first { $0.name == state } ?? .unknown,
        carrierDataReference: reference,
        auxiliaryDataReferences: try carrier.list("auxiliary") { (value) throws(NDEFFieldError) in
          let text = try value.text()
          guard let bytes = [UInt8](asciiOrHexadecimal: text) else {
            throw NDEFFieldError([], "what follows hex: is not hexadecimal")
          }
          return bytes
        })
    }
  }
}
