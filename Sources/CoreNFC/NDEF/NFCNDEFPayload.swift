import Foundation
import NDEF

/// One record of an NDEF message.
///
/// Creating a record checks nothing; writing one that NDEF 1.0 forbids fails with
/// `readerErrorInvalidParameter`. The factories of the well-known types create valid records.
open class NFCNDEFPayload: NSObject, NSSecureCoding {
  /// The meaning of the type.
  open var typeNameFormat: NFCTypeNameFormat
  /// The type, at most 255 bytes.
  open var type: Data { didSet { type = type.countedFromZero } }
  /// The identifier, at most 255 bytes; empty for none.
  open var identifier: Data { didSet { identifier = identifier.countedFromZero } }
  /// The payload, at most 128 KiB.
  open var payload: Data { didSet { payload = payload.countedFromZero } }
  /// The maximum number of payload bytes in a chunk (NDEF 1.0, 2.3.3); 0 or less for no chunks.
  let chunkSize: Int

  /// Creates a record in one piece. Empty data represents a missing field.
  public required init(format: NFCTypeNameFormat, type: Data, identifier: Data, payload: Data) {
    typeNameFormat = format
    self.type = type.countedFromZero
    self.identifier = identifier.countedFromZero
    self.payload = payload.countedFromZero
    chunkSize = 0
    super.init()
  }

  /// Creates a record in chunks.
  ///
  /// - Parameter chunkSize: the maximum number of payload bytes in a chunk; 0 for no chunks.
  public init(
    format: NFCTypeNameFormat, type: Data, identifier: Data, payload: Data, chunkSize: Int
  ) {
    typeNameFormat = format
    self.type = type.countedFromZero
    self.identifier = identifier.countedFromZero
    self.payload = payload.countedFromZero
    self.chunkSize = chunkSize
    super.init()
  }

  convenience init(_ native: NDEFRecord) {
    self.init(
      format: NFCTypeNameFormat(native.typeNameFormat), type: Data(native.type),
      identifier: Data(native.identifier), payload: Data(native.payload))
  }

  var native: NDEFRecord {
    NDEFRecord(
      typeNameFormat: typeNameFormat.native, type: Array(type), identifier: Array(identifier),
      payload: Array(payload))
  }

  // MARK: NSSecureCoding

  private enum Key {
    static let format = "typeNameFormat"
    static let type = "type"
    static let identifier = "identifier"
    static let payload = "payload"
    static let chunkSize = "chunkSize"
  }

  /// Whether the record can be coded securely: always.
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(Int(typeNameFormat.rawValue), forKey: Key.format)
    coder.encode(type as NSData, forKey: Key.type)
    coder.encode(identifier as NSData, forKey: Key.identifier)
    coder.encode(payload as NSData, forKey: Key.payload)
    coder.encode(chunkSize, forKey: Key.chunkSize)
  }

  public required init?(coder: NSCoder) {
    guard let value = UInt8(exactly: coder.decodeInteger(forKey: Key.format)),
      let format = NFCTypeNameFormat(rawValue: value),
      let type = coder.decodeObject(of: NSData.self, forKey: Key.type),
      let identifier = coder.decodeObject(of: NSData.self, forKey: Key.identifier),
      let payload = coder.decodeObject(of: NSData.self, forKey: Key.payload)
    else { return nil }
    typeNameFormat = format
    self.type = Data(referencing: type)
    self.identifier = Data(referencing: identifier)
    self.payload = Data(referencing: payload)
    chunkSize = coder.decodeInteger(forKey: Key.chunkSize)
    super.init()
  }

  // MARK: NSObject

  /// The record for a person, on one line.
  open override var description: String { native.description }
}

extension Data {
  /// The same bytes with indices from 0 on. An object of Apple's keeps what it is given as `NSData`, so that a program
  /// that passes a slice gets no slice back, and may use index 0.
  var countedFromZero: Data { startIndex == 0 ? self : Data(Array(self)) }
}
