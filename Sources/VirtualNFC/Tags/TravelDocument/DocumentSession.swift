/// Secure messaging of a travel document: ICAO Doc 9303-11, 9.8.
struct DocumentSession: Hashable, Sendable {
  /// Why a command is refused. The session ends with it.
  enum Refusal: Error, Hashable {
    /// 6987: a data object is missing.
    case missingObject
    /// 6988: a data object is wrong.
    case incorrectObject

    var status: StatusWord { StatusWord(self == .missingObject ? 0x6987 : 0x6988) }
  }

  private enum Tag {
    static let cryptogram: UInt8 = 0x87
    /// The cryptogram of odd instructions, without the byte that says the padding.
    static let oddCryptogram: UInt8 = 0x85
    static let expectedLength: UInt8 = 0x97
    static let status: UInt8 = 0x99
    static let code: UInt8 = 0x8E
  }

  /// The class byte of protected commands.
  static let secureClass: UInt8 = 0x0C
  /// Says that the data is padded by ``DocumentKeys/padded(_:)``.
  private static let paddingIndicator: UInt8 = 0x01

  private let keys: DocumentKeys
  private var counter: UInt64

  /// - Parameters:
  ///   - keys: the keys of this session.
  ///   - counter: after Basic Access Control the low halves of the two challenges, the chip's first; zero
  ///     after PACE.
  init(_ keys: DocumentKeys, counter: UInt64 = 0) {
    self.keys = keys
    self.counter = counter
  }

  /// Unwraps a command, processes it, and wraps the answer.
  ///
  /// - Parameters:
  ///   - extendedLimit: the longest answer to a command with extended length fields, with its status word.
  ///   - body: receives the command without its protection, and the most data that the answer to it can have. `nil`
  ///     for an answer without protection, which is not counted.
  mutating func process(
    _ command: CommandAPDU, extendedLimit: Int = Int(UInt16.max),
    bare: ((CommandAPDU) -> StatusWord?)? = nil, _ body: (CommandAPDU, Int) -> [UInt8]
  ) throws(Refusal) -> [UInt8] {
    let counterBefore = counter
    let plain = try unwrap(command)
    if let status = bare?(plain) {
      counter = counterBefore
      return status.bytes
    }
    let isOdd = command.ins & 1 == 1
    return wrap(
      body(plain, command.isExtended ? dataLimit(extendedLimit) : shortDataLimit), isOdd: isOdd)
  }

  /// The most data whose answer has at most 256 bytes.
  private var shortDataLimit: Int { dataLimit(258) }

  /// The most data whose answer has at most `size` bytes with its status word.
  private func dataLimit(_ size: Int) -> Int {
    // A cryptogram has up to 6 bytes before its blocks; status and MAC follow in 14, and the status word.
    let header = size > 65_536 ? 6 : size > 258 + 2 ? 5 : 4
    let blocks = max(0, size - 2 - header - 14) / keys.cipher.blockSize
    return max(0, blocks * keys.cipher.blockSize - 1)
  }

  private mutating func unwrap(_ command: CommandAPDU) throws(Refusal) -> CommandAPDU {
    counter &+= 1
    guard let objects = DataObject.all(in: command.data) else { throw .incorrectObject }
    guard let code = objects.last, code.tag == Tag.code else { throw .missingObject }
    var plain = command
    plain.cla = 0
    plain.data = []
    plain.expectedLength = 0
    plain.expectsMaximum = false
    var protected: [UInt8] = []
    for object in objects.dropLast() {
      switch object.tag {
      case Tag.cryptogram where protected.isEmpty && command.ins & 1 == 0:
        guard object.value.first == Self.paddingIndicator else { throw .incorrectObject }
        plain.data = try decrypt(Array(object.value.dropFirst()))
      case Tag.oddCryptogram where protected.isEmpty && command.ins & 1 == 1:
        plain.data = try decrypt(object.value)
      case Tag.expectedLength where plain.expectedLength == 0:
        guard (1...2).contains(object.value.count) else { throw .incorrectObject }
        let length = object.value.reduce(0) { $0 << 8 | Int($1) }
        plain.expectsMaximum = length == 0
        plain.expectedLength = length > 0 ? length : object.value.count == 1 ? 256 : 65_536
      default: throw .incorrectObject
      }
      protected += object.bytes
    }
    let header = keys.padded([command.cla, command.ins, command.p1, command.p2])
    let covered = keys.bytes(counter) + header + protected
    var codes = [keys.code(keys.padded(covered))]
    // Without data objects, programs differ in whether a block of padding follows that of the header.
    if protected.isEmpty { codes.append(keys.code(covered)) }
    guard codes.contains(code.value) else { throw .incorrectObject }
    return plain
  }

  private func decrypt(_ value: [UInt8]) throws(Refusal) -> [UInt8] {
    guard let data = keys.decrypt(value, counter: counter), !data.isEmpty,
      let plain = DocumentKeys.unpadded(data)
    else { throw .incorrectObject }
    return plain
  }

  /// Returns a response with protection. Its status word is inside and outside.
  private mutating func wrap(_ response: [UInt8], isOdd: Bool) -> [UInt8] {
    counter &+= 1
    let (data, status) = (Array(response.dropLast(2)), Array(response.suffix(2)))
    var protected: [UInt8] = []
    if !data.isEmpty {
      let cryptogram = keys.encrypt(keys.padded(data), counter: counter)
      protected +=
        isOdd
        ? DataObject.encoded(UInt16(Tag.oddCryptogram), cryptogram)
        : DataObject.encoded(UInt16(Tag.cryptogram), [Self.paddingIndicator] + cryptogram)
    }
    protected += DataObject.encoded(UInt16(Tag.status), status)
    let code = keys.code(keys.padded(keys.bytes(counter) + protected))
    return protected + DataObject.encoded(UInt16(Tag.code), code) + status
  }
}
