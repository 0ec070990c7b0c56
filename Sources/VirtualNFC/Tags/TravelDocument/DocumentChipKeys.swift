/// What a chip does with its own keys in a session: chip authentication and active authentication (ICAO Doc 9303-11,
/// 6.1 and 6.2).
struct DocumentChipKeys: Hashable, Sendable {
  private let agreementKeys: [TravelDocument.AgreementKey]
  private let signatureKey: TravelDocument.SignatureKey?
  private let cutsLongSignatures: Bool
  /// The key that MSE:Set AT has chosen.
  private var chosen: TravelDocument.AgreementKey?
  /// The keys that replace those of the session after the current answer.
  private(set) var nextKeys: DocumentKeys?

  private static let challengeSize = 8

  init(_ chip: TravelDocument.Chip) {
    agreementKeys = chip.agreementKeys
    signatureKey = chip.signatureKey
    cutsLongSignatures = chip.cutsLongSignatures
  }

  mutating func reset() { (chosen, nextKeys) = (nil, nil) }

  /// Returns the keys of the next session, once.
  mutating func takeNextKeys() -> DocumentKeys? {
    defer { nextKeys = nil }
    return nextKeys
  }

  // MARK: Chip authentication

  /// id-CA, 0.4.0.127.0.7.2.2.3, the agreement, and the cipher (Doc 9303-11, 9.2.5).
  private static func identifier(_ key: TravelDocument.AgreementKey) -> [UInt8] {
    [
      0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x03, key.domainParameters >= 8 ? 2 : 1,
      UInt8(key.cipher.rawValue),
    ]
  }

  /// Executes MSE:Set KAT for triple DES, which also agrees, and MSE:Set AT for AES (Doc 9303-11, 6.2.4).
  mutating func setTemplate(_ command: CommandAPDU) -> StatusWord {
    chosen = nil
    guard !agreementKeys.isEmpty else { return .instructionNotSupported }
    guard command.p1 == 0x41 else { return .incorrectParameters }
    guard let objects = DataObject.all(in: command.data) else { return .incorrectData }
    var values: [UInt8: [UInt8]] = [:]
    for object in objects {
      guard [0x80, 0x84, 0x91].contains(object.tag), values[object.tag] == nil else {
        return .incorrectData
      }
      values[object.tag] = object.value
    }
    let named = agreementKeys.filter { key in
      values[0x84].map { number in key.identifier.map { [UInt8($0)] == number } ?? false } ?? true
    }
    switch command.p2 {
    case 0xA6:
      let suitable = named.filter { $0.cipher == .tripleDES }
      guard let value = values[0x91], values[0x80] == nil, suitable.count == 1 else {
        return .incorrectData
      }
      return agree(value, suitable[0])
    case 0xA4:
      let suitable = named.filter { $0.cipher != .tripleDES && Self.identifier($0) == values[0x80] }
      guard values[0x91] == nil, suitable.count == 1 else { return .incorrectData }
      chosen = suitable[0]
      return .success
    default: return .incorrectParameters
    }
  }

  /// Executes GENERAL AUTHENTICATE with the reader's public key.
  mutating func authenticate(_ command: CommandAPDU) -> [UInt8] {
    guard let key = chosen else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
    chosen = nil
    guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
    guard let outer = DataObject.all(in: command.data), outer.map(\.tag) == [0x7C],
      let inner = DataObject.all(in: outer[0].value), inner.map(\.tag) == [0x80]
    else { return StatusWord.incorrectData.bytes }
    let status = agree(inner[0].value, key)
    return (status == .success ? [0x7C, 0x00] : []) + status.bytes
  }

  private mutating func agree(_ value: [UInt8], _ key: TravelDocument.AgreementKey) -> StatusWord {
    guard let group = DocumentGroup(key.domainParameters),
      let shared = group.multiple(key.privateKey, of: value)
    else { return .incorrectData }
    nextKeys = DocumentKeys(key.cipher, secret: group.secret(shared))
    return .success
  }

  // MARK: Active authentication

  /// Executes INTERNAL AUTHENTICATE: signs the reader's random number.
  ///
  /// - Parameter limit: the most bytes that an answer can have.
  func sign(_ command: CommandAPDU, limit: Int, random: (Int) -> [UInt8]) -> [UInt8] {
    guard let signatureKey else { return StatusWord.instructionNotSupported.bytes }
    guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
    guard command.data.count == Self.challengeSize, command.expectedLength > 0 else {
      return StatusWord.wrongLength.bytes
    }
    var signature: [UInt8]
    switch signatureKey {
    case .rsa(let modulus, let exponent, let usesSHA256):
      let size = BigNumber(modulus).bytes.count
      let (trailer, hashSize): ([UInt8], Int) = usesSHA256 ? ([0x34, 0xCC], 32) : ([0xBC], 20)
      // ISO/IEC 9796-2, 8.2: 6A, the chip's part of the message, the hash of the whole message, the trailer.
      let own = random(size - 1 - hashSize - trailer.count)
      let message = own + command.data
      let hash = usesSHA256 ? DocumentKeys.sha256(message) : DocumentKeys.sha1(message)
      let block = [0x6A] + own + hash + trailer
      signature = BigNumber(block).power(BigNumber(exponent), modulo: BigNumber(modulus)).bytes(
        size)
    case .ecdsa(let parameters, let privateKey, let isDER):
      guard let group = DocumentGroup(parameters),
        let pair = group.signature(
          DocumentKeys.sha256(command.data), privateKey, number: random(group.size))
      else { return StatusWord.memoryFailure.bytes }
      signature = isDER ? Self.sequence(pair.r, pair.s) : pair.r + pair.s
    }
    if cutsLongSignatures { signature = Array(signature.prefix(limit)) }
    return signature + StatusWord.success.bytes
  }

  /// Returns a sequence of two integers (ITU-T X.690, 8.3 and 8.9).
  static func sequence(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    func integer(_ bytes: [UInt8]) -> [UInt8] {
      let number = Array(bytes.drop { $0 == 0 })
      return DataObject.encoded(0x02, (number.first ?? 0x80) & 0x80 != 0 ? [0] + number : number)
    }
    return DataObject.encoded(0x30, integer(first) + integer(second))
  }
}
