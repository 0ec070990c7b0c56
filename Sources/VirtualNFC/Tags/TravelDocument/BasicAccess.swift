import COpenSSL

/// The two keys of Basic Access Control, and what they compute: ICAO Doc 9303-11, 4.3 and 9.7.
struct BasicAccessKeys: Hashable, Sendable {
  static let size = 16
  private static let encryptionCounter: UInt8 = 1
  private static let authenticationCounter: UInt8 = 2
  private static let initialValue = [UInt8](repeating: 0, count: TwoKeyTripleDES.blockSize)

  let encryption: [UInt8]
  let authentication: [UInt8]

  /// Derives the keys from a seed of 16 bytes.
  init(seed: [UInt8]) {
    encryption = Self.derived(seed, Self.encryptionCounter)
    authentication = Self.derived(seed, Self.authenticationCounter)
  }

  /// Derives the keys of a document from ``TravelDocument/accessInformation``.
  init(_ document: TravelDocument) {
    self.init(seed: Array(Self.sha1(Array(document.accessInformation.utf8)).prefix(Self.size)))
  }

  /// DES ignores the low bit of each byte, which makes its number of ones odd (Doc 9303-11, 9.7.1).
  private static func derived(_ seed: [UInt8], _ counter: UInt8) -> [UInt8] {
    sha1(seed + [0, 0, 0, counter]).prefix(size).map {
      ($0 & 0xFE).nonzeroBitCount.isMultiple(of: 2) ? $0 | 1 : $0 & 0xFE
    }
  }

  private static func sha1(_ data: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: 20)
    let isDone = EVP_Digest(data, data.count, &digest, nil, EVP_sha1(), nil) == 1
    precondition(isDone, "SHA-1 is part of every libcrypto")
    return digest
  }

  /// Encrypts whole blocks.
  func encrypt(_ data: [UInt8]) -> [UInt8] {
    TwoKeyTripleDES.encrypt(data, key: encryption, initialValue: Self.initialValue) ?? []
  }

  /// Decrypts data; `nil` unless it consists of whole blocks.
  func decrypt(_ data: [UInt8]) -> [UInt8]? {
    TwoKeyTripleDES.decrypt(data, key: encryption, initialValue: Self.initialValue)
  }

  /// Returns the MAC of whole blocks: ISO/IEC 9797-1, algorithm 3. DES with the first half of the key for
  /// every block but the last, and triple DES for that.
  func code(_ blocks: [UInt8]) -> [UInt8] {
    let half = Array(authentication.prefix(Self.size / 2))
    let first = Array(blocks.dropLast(TwoKeyTripleDES.blockSize))
    let chained = TwoKeyTripleDES.encrypt(
      first, key: half + half, initialValue: Self.initialValue)
    let value = chained.map { Array($0.suffix(TwoKeyTripleDES.blockSize)) } ?? []
    return TwoKeyTripleDES.encrypt(
      Array(blocks.suffix(TwoKeyTripleDES.blockSize)), key: authentication,
      initialValue: value.isEmpty ? Self.initialValue : value) ?? []
  }

  /// Adds 80 and zeros up to a whole block: ISO/IEC 9797-1, padding method 2.
  static func padded(_ data: [UInt8]) -> [UInt8] {
    let rest = (data.count + 1) % TwoKeyTripleDES.blockSize
    let zeros = rest == 0 ? 0 : TwoKeyTripleDES.blockSize - rest
    return data + [0x80] + [UInt8](repeating: 0, count: zeros)
  }

  /// Removes the padding; `nil` if there is none.
  static func unpadded(_ data: [UInt8]) -> [UInt8]? {
    guard let end = data.lastIndex(where: { $0 != 0 }), data[end] == 0x80 else { return nil }
    return Array(data[..<end])
  }
}

/// Secure messaging after Basic Access Control: ICAO Doc 9303-11, 9.8.
struct BasicAccessSession: Hashable, Sendable {
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
    static let expectedLength: UInt8 = 0x97
    static let status: UInt8 = 0x99
    static let code: UInt8 = 0x8E
  }

  /// Says that the data is padded by ``BasicAccessKeys/padded(_:)``.
  private static let paddingIndicator: UInt8 = 0x01
  /// The most data whose answer has at most 256 bytes.
  static let shortDataLimit = 231

  private let keys: BasicAccessKeys
  private var counter: UInt64

  /// - Parameters:
  ///   - keySeed: the reader's and the chip's 16 bytes, combined by exclusive or.
  ///   - counter: the low halves of the two challenges, the chip's first.
  init(keySeed: [UInt8], counter: UInt64) {
    keys = BasicAccessKeys(seed: keySeed)
    self.counter = counter
  }

  /// Returns the command without its protection.
  mutating func unwrap(_ command: CommandAPDU) throws(Refusal) -> CommandAPDU {
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
      case Tag.cryptogram where protected.isEmpty: plain.data = try decrypt(object.value)
      case Tag.expectedLength where plain.expectedLength == 0:
        guard (1...2).contains(object.value.count) else { throw .incorrectObject }
        let length = object.value.reduce(0) { $0 << 8 | Int($1) }
        plain.expectsMaximum = length == 0
        plain.expectedLength = length > 0 ? length : object.value.count == 1 ? 256 : 65_536
      default: throw .incorrectObject
      }
      protected += object.bytes
    }
    let header = BasicAccessKeys.padded([command.cla, command.ins, command.p1, command.p2])
    let covered = counter.bigEndianBytes + header + protected
    var codes = [keys.code(BasicAccessKeys.padded(covered))]
    // Without data objects, programs differ in whether a block of padding follows that of the header.
    if protected.isEmpty { codes.append(keys.code(covered)) }
    guard codes.contains(code.value) else { throw .incorrectObject }
    return plain
  }

  private func decrypt(_ value: [UInt8]) throws(Refusal) -> [UInt8] {
    guard value.first == Self.paddingIndicator,
      let data = keys.decrypt(Array(value.dropFirst())), !data.isEmpty,
      let plain = BasicAccessKeys.unpadded(data)
    else { throw .incorrectObject }
    return plain
  }

  /// Returns a response with protection. Its status word stands inside and outside.
  mutating func wrap(_ response: [UInt8]) -> [UInt8] {
    counter &+= 1
    let (data, status) = (Array(response.dropLast(2)), Array(response.suffix(2)))
    var protected: [UInt8] = []
    if !data.isEmpty {
      protected += DataObject.encoded(
        UInt16(Tag.cryptogram),
        [Self.paddingIndicator] + keys.encrypt(BasicAccessKeys.padded(data)))
    }
    protected += DataObject.encoded(UInt16(Tag.status), status)
    let code = keys.code(BasicAccessKeys.padded(counter.bigEndianBytes + protected))
    return protected + DataObject.encoded(UInt16(Tag.code), code) + status
  }
}

extension UInt64 {
  /// The bytes, most significant first.
  var bigEndianBytes: [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
