import SwiftNFCJSONText

extension NDEFMessage {
  /// Creates a message from JSON: an object with `records`, a bare list of records, or one record.
  ///
  /// Keys other than `records` are ignored, so the output of `nfc read --json` can be read back.
  /// Records are read as in ``NDEFRecord/init(fields:)``. A byte order mark and any line ends are
  /// accepted.
  ///
  /// - Throws: ``NDEFJSONError`` with the line and the field that is wrong.
  public init(json bytes: some Collection<UInt8>) throws(NDEFJSONError) {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONNode(parsing: bytes)
    } catch {
      throw NDEFJSONError(line: error.line, reason: error.reason.escapingControls)
    }
    do throws(NDEFFieldError) {
      try self.init(value: NDEFFieldValue(node))
    } catch {
      throw NDEFJSONError(
        line: node.line(at: error.path), place: error.place, reason: error.reason)
    }
  }

  private static let recordsName = "records"

  /// Creates a message from a value in one of the three forms.
  init(value: NDEFFieldValue) throws(NDEFFieldError) {
    switch value {
    case .list(let values):
      self.init(records: try Self.records(values))
    case .fields(let fields) where fields[Self.recordsName] != nil:
      guard case .list(let values) = fields[Self.recordsName] else {
        throw .wrongKind(fields[Self.recordsName] ?? .null, "a list", at: Self.recordsName)
      }
      do throws(NDEFFieldError) {
        self.init(records: try Self.records(values))
      } catch {
        throw error.within(.name(Self.recordsName))
      }
    case .fields(let fields):
      self.init(records: [try NDEFRecord(fields: fields)])
    default:
      throw NDEFFieldError(
        [], "it is \(value.kind) where a message, a list of records or a record is expected")
    }
  }

  private static func records(
    _ values: [NDEFFieldValue]
  ) throws(NDEFFieldError) -> [NDEFRecord] {
    var records: [NDEFRecord] = []
    for (index, value) in values.enumerated() {
      do throws(NDEFFieldError) {
        records.append(try NDEFRecord(fields: try value.fields()))
      } catch {
        throw error.within(.index(index))
      }
    }
    return records
  }
}

extension NDEFMessage: Codable {
  /// Encodes `{"records":[…]}`, with each record as in ``NDEFRecord/encode(to:)``.
  public func encode(to encoder: any Encoder) throws {
    let records = NDEFFieldValue.list(records.map { .fields($0.fields) })
    try NDEFFields(dictionaryLiteral: (Self.recordsName, records)).encode(to: encoder)
  }

  /// Decodes an object with `records`, a bare list of records, or one record.
  public init(from decoder: any Decoder) throws {
    let value = try NDEFFieldValue(from: decoder)
    do throws(NDEFFieldError) {
      try self.init(value: value)
    } catch {
      throw error.decodingError(decoder.codingPath)
    }
  }
}
