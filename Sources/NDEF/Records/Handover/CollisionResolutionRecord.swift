/// A random number that decides between two simultaneous requests: the local type `cr`.
///
/// It has a meaning only inside a ``HandoverRequestRecord``. Source: NFC Forum Connection Handover
/// 1.5, "Collision Resolution Record".
public struct CollisionResolutionRecord: NDEFTypedRecord {
  /// The number.
  public var randomNumber: UInt16
  public var identifier: [UInt8]

  /// Creates the record of a number.
  public init(randomNumber: UInt16, identifier: [UInt8] = []) {
    self.randomNumber = randomNumber
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "cr")
  }

  /// Reads the number.
  ///
  /// - Throws: ``NDEFError`` if the payload is not two bytes long.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let number = try reader.readBigEndian16("random number")
    try reader.expectEnd("random number")
    self.init(randomNumber: number, identifier: record.identifier)
  }

  public var record: NDEFRecord {
    var payload: [UInt8] = []
    payload.appendBigEndian(randomNumber)
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "cr", identifier: identifier, payload: payload)
  }

  public var description: String { "collision resolution \(randomNumber)" }
}
