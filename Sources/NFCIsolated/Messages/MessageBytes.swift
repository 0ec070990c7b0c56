/// Bytes that are not a message of this version of the protocol.
struct MalformedMessage: Error {}

/// Appends the parts of a message; numbers are written most significant byte first.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func flag(_ value: Bool) { byte(value ? 1 : 0) }

  mutating func number<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A count and this many bytes.
  mutating func block(_ value: some Collection<UInt8>) {
    number(UInt32(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func text(_ value: String) { block(Array(value.utf8)) }

  mutating func list<Element>(
    _ elements: some Collection<Element>, _ write: (inout MessageWriter, Element) -> Void
  ) {
    number(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }

  mutating func optional<Value>(_ value: Value?, _ write: (inout MessageWriter, Value) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }
}

/// Reads the parts of a message. Every count is checked against the available bytes.
struct MessageReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() throws(MalformedMessage) -> UInt8 {
    guard let byte = rest.popFirst() else { throw MalformedMessage() }
    return byte
  }

  mutating func flag() throws(MalformedMessage) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw MalformedMessage()
    }
  }

  mutating func number<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(MalformedMessage) -> Value {
    let size = MemoryLayout<Value>.size
    guard rest.count >= size else { throw MalformedMessage() }
    var value: Value = 0
    for byte in rest.prefix(size) { value = value << 8 | Value(truncatingIfNeeded: byte) }
    rest = rest.dropFirst(size)
    return value
  }

  mutating func block() throws(MalformedMessage) -> [UInt8] {
    let count = Int(try number(UInt32.self))
    guard rest.count >= count else { throw MalformedMessage() }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func text() throws(MalformedMessage) -> String {
    String(decoding: try block(), as: UTF8.self)
  }

  mutating func list<Element>(
    _ read: (inout MessageReader) throws(MalformedMessage) -> Element
  ) throws(MalformedMessage) -> [Element] {
    let count = Int(try number(UInt32.self))
    // Every element has at least one byte: a larger count must not allocate memory.
    guard rest.count >= count else { throw MalformedMessage() }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  mutating func optional<Value>(
    _ read: (inout MessageReader) throws(MalformedMessage) -> Value
  ) throws(MalformedMessage) -> Value? {
    try flag() ? try read(&self) : nil
  }

  func end() throws(MalformedMessage) {
    guard rest.isEmpty else { throw MalformedMessage() }
  }
}
