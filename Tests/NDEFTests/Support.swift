import NDEF
import Testing

/// The bytes of hexadecimal digits; blanks are ignored.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }
  precondition(digits.count.isMultiple(of: 2), "an odd number of digits: \(text)")
  var bytes: [UInt8] = []
  var rest = digits[...]
  while !rest.isEmpty {
    guard let byte = UInt8(rest.prefix(2), radix: 16) else {
      preconditionFailure("not hexadecimal: \(text)")
    }
    bytes.append(byte)
    rest = rest.dropFirst(2)
  }
  return bytes
}

/// The error that a body ends with, if it is one of NDEF.
func ndefError<Value>(_ body: () throws(NDEFError) -> Value) -> NDEFError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

/// A payload that is to be refused: with what and where.
struct Malformed: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  let code: NDEFError.Code
  let offset: Int

  init(_ text: String, _ code: NDEFError.Code, at offset: Int) {
    bytes = hex(text)
    self.code = code
    self.offset = offset
  }

  var testDescription: String { "\(bytes.count) bytes, \(code) at \(offset)" }
}

/// Expects a typed record to refuse a payload with the code and offset of the table.
func expectRefusal<Record: NDEFTypedRecord>(
  of malformed: Malformed, by type: Record.Type, _ format: TypeNameFormat, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let record = NDEFRecord(typeNameFormat: format, type: name, payload: malformed.bytes)
  let error = ndefError { () throws(NDEFError) in try type.init(record) }
  #expect(error?.code == malformed.code, sourceLocation: sourceLocation)
  #expect(error?.offset == malformed.offset, sourceLocation: sourceLocation)
  #expect(error?.reason.isEmpty == false, sourceLocation: sourceLocation)
}
