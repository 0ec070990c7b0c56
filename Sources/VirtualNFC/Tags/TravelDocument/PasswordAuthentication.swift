/// The chip's side of PACE with generic mapping over brainpoolP256r1, and AES-128: ICAO Doc 9303-11, 4.4.
///
/// The password is that of the machine readable zone. The reader sends GENERAL AUTHENTICATE four times.
struct PasswordAuthentication: Hashable, Sendable {
  /// id-PACE-ECDH-GM-AES-CBC-CMAC-128, 0.4.0.127.0.7.2.2.4.2.2.
  static let protocolIdentifier: [UInt8] = [
    0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x02, 0x02,
  ]
  /// The number of brainpoolP256r1 among the standardized domain parameters (Doc 9303-11, 9.5.1).
  static let domainParameters: UInt8 = 13
  private static let machineReadableZone: UInt8 = 1
  private static let nonceSize = 16

  /// The tags of dynamic authentication data (Doc 9303-11, 4.4.4.2).
  private enum Tag {
    static let dynamicData: UInt8 = 0x7C
    static let nonce: UInt8 = 0x80
    static let mapping: UInt8 = 0x81
    static let agreement: UInt8 = 0x83
    static let token: UInt8 = 0x85
    static let publicKey: UInt16 = 0x7F49
    static let identifier: UInt16 = 0x06
    static let point: UInt16 = 0x86
  }

  private enum Step: Hashable {
    case idle
    /// The protocol was selected by MSE:Set AT.
    case selected
    case nonceSent([UInt8])
    case mapped(generator: [UInt8])
    case agreed(DocumentKeys, own: [UInt8], reader: [UInt8])

    /// Whether the command of this step is the last one.
    var isLast: Bool {
      if case .agreed = self { true } else { false }
    }
  }

  private let passwordKey: [UInt8]
  private var step = Step.idle

  /// - Parameter information: ``TravelDocument/accessInformation``.
  init(_ information: String) { passwordKey = DocumentKeys.passwordKey(information) }

  mutating func reset() { step = .idle }

  /// Executes MSE:Set AT, which selects the protocol and the password.
  mutating func setTemplate(_ command: CommandAPDU) -> StatusWord {
    step = .idle
    // Set for mutual authentication (ISO/IEC 7816-4, 7.5.11).
    guard command.p1 == 0xC1, command.p2 == 0xA4 else { return .incorrectParameters }
    guard let objects = DataObject.all(in: command.data) else { return .incorrectData }
    var password: [UInt8]?
    var identifier: [UInt8]?
    for object in objects {
      switch object.tag {
      case 0x80: identifier = object.value
      case 0x83: password = object.value
      case 0x84 where object.value == [Self.domainParameters]: continue
      default: return .incorrectData
      }
    }
    guard identifier == Self.protocolIdentifier else { return .incorrectData }
    // Referenced data not found: there is no other password.
    guard password == [Self.machineReadableZone] else { return StatusWord(0x6A88) }
    step = .selected
    return .success
  }

  /// The result of a GENERAL AUTHENTICATE.
  enum Progress {
    case refused(StatusWord)
    case answer([UInt8])
    /// The reader has proved that it knows the password.
    case done([UInt8], DocumentKeys)
  }

  /// Executes the next GENERAL AUTHENTICATE. What is refused ends the protocol.
  ///
  /// - Parameters:
  ///   - isLast: whether the command is the last of its chain.
  ///   - random: draws bytes.
  mutating func authenticate(
    _ command: CommandAPDU, isLast: Bool, random: (Int) -> [UInt8]
  ) -> Progress {
    let current = step
    step = .idle
    guard command.parameter == 0 else { return .refused(.incorrectParameters) }
    guard let outer = DataObject.all(in: command.data), outer.map(\.tag) == [Tag.dynamicData],
      let objects = DataObject.all(in: outer[0].value), objects.count <= 1
    else { return .refused(.incorrectData) }
    guard isLast == current.isLast else { return .refused(.conditionsOfUseNotSatisfied) }
    let value = objects.first?.value ?? []
    switch (current, objects.first?.tag) {
    case (.selected, nil):
      let nonce = random(Self.nonceSize)
      step = .nonceSent(nonce)
      let cipher = DESFireCipher(kind: .aes, key: passwordKey)
      return .answer(Self.data(Tag.nonce, cipher.encrypt(nonce, vector: cipher.zeroVector)))
    case (.nonceSent(let nonce), Tag.mapping):
      let key = random(BrainpoolP256.size)
      guard let point = BrainpoolP256.product(key),
        let shared = BrainpoolP256.product(key, of: value),
        let generator = BrainpoolP256.product(nonce, plus: shared)
      else { return .refused(.incorrectData) }
      step = .mapped(generator: generator)
      return .answer(Self.data(Tag.mapping + 1, point))
    case (.mapped(let generator), Tag.agreement):
      let key = random(BrainpoolP256.size)
      guard let point = BrainpoolP256.product(key, of: generator), point != value,
        let shared = BrainpoolP256.product(key, of: value)
      else { return .refused(.incorrectData) }
      let secret = Array(shared.dropFirst().prefix(BrainpoolP256.size))
      step = .agreed(DocumentKeys(.aes, secret: secret), own: point, reader: value)
      return .answer(Self.data(Tag.agreement + 1, point))
    case (.agreed(let keys, let own, let reader), Tag.token):
      guard value == Self.token(keys, own) else { return .refused(.authenticationFailed) }
      return .done(Self.data(Tag.token + 1, Self.token(keys, reader)), keys)
    default: return .refused(.conditionsOfUseNotSatisfied)
    }
  }

  /// Returns dynamic authentication data with one object, and the status word for success.
  private static func data(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    DataObject.encoded(UInt16(Tag.dynamicData), DataObject.encoded(UInt16(tag), value))
      + StatusWord.success.bytes
  }

  /// Returns the proof of who knows the key that belongs to the other side's point.
  private static func token(_ keys: DocumentKeys, _ point: [UInt8]) -> [UInt8] {
    keys.code(
      DataObject.encoded(
        Tag.publicKey,
        DataObject.encoded(Tag.identifier, protocolIdentifier)
          + DataObject.encoded(Tag.point, point)))
  }
}
