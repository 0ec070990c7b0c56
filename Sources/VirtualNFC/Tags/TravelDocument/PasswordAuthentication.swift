/// The chip's side of PACE: ICAO Doc 9303-11, 4.4.
///
/// The reader sends GENERAL AUTHENTICATE four times.
struct PasswordAuthentication: Hashable, Sendable {
  private static let machineReadableZone: UInt8 = 1
  private static let cardAccessNumber: UInt8 = 2
  private static let nonceSize = 16

  /// The tags of dynamic authentication data (Doc 9303-11, 4.4.4.2).
  private enum Tag {
    static let dynamicData: UInt8 = 0x7C
    static let nonce: UInt8 = 0x80
    static let mapping: UInt8 = 0x81
    static let agreement: UInt8 = 0x83
    static let token: UInt8 = 0x85
    static let proof: UInt8 = 0x8A
    static let publicKey: UInt16 = 0x7F49
    static let identifier: UInt16 = 0x06
    static let point: UInt16 = 0x86
    static let integer: UInt16 = 0x84
  }

  private struct Chosen: Hashable {
    let way: TravelDocument.PasswordProtocol
    let group: DocumentGroup
    let passwordKey: [UInt8]
  }

  private enum Step: Hashable {
    case idle
    /// The protocol was selected by MSE:Set AT.
    case selected(Chosen)
    case nonceSent(Chosen, [UInt8])
    /// The number by which the generator was multiplied in the mapping, if there is one.
    case mapped(Chosen, generator: [UInt8], number: [UInt8])
    case agreed(Chosen, DocumentKeys, own: [UInt8], reader: [UInt8], number: [UInt8])

    /// Whether the command of this step is the last one.
    var isLast: Bool {
      if case .agreed = self { true } else { false }
    }
  }

  private let ways: [TravelDocument.PasswordProtocol]
  /// What the key for the nonce is derived from, by the number of the password.
  private var passwords: [UInt8: [UInt8]]
  private let mappingKey: [UInt8]?
  private var step = Step.idle

  /// - Parameter information: ``TravelDocument/accessInformation``.
  init(_ information: String, _ chip: TravelDocument.Chip) {
    ways = chip.passwordProtocols
    mappingKey = chip.mappingKey
    passwords = [Self.machineReadableZone: DocumentKeys.sha1(Array(information.utf8))]
    passwords[Self.cardAccessNumber] = chip.cardAccessNumber.map { Array($0.utf8) }
  }

  mutating func reset() { step = .idle }

  /// id-PACE, 0.4.0.127.0.7.2.2.4, the agreement with the mapping, and the cipher (Doc 9303-11, 9.2.1).
  static func identifier(_ way: TravelDocument.PasswordProtocol) -> [UInt8] {
    let isCurve = way.domainParameters >= 8
    let kind: UInt8 =
      switch way.mapping {
      case .generic: isCurve ? 2 : 1
      case .integrated: isCurve ? 4 : 3
      case .chipAuthentication: 6
      }
    return [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, kind, UInt8(way.cipher.rawValue)]
  }

  /// The entry of a way of PACE: a sequence of the identifier, version 2, and the domain parameters.
  static func information(_ way: TravelDocument.PasswordProtocol) -> [UInt8] {
    DataObject.encoded(
      0x30,
      DataObject.encoded(0x06, identifier(way)) + [0x02, 0x01, 0x02]
        + [0x02, 0x01, UInt8(way.domainParameters)])
  }

  /// Executes MSE:Set AT, which selects the protocol and the password.
  mutating func setTemplate(_ command: CommandAPDU) -> StatusWord {
    step = .idle
    // Set for mutual authentication (ISO/IEC 7816-4, 7.5.11).
    guard command.p1 == 0xC1, command.p2 == 0xA4 else { return .incorrectParameters }
    guard let objects = DataObject.all(in: command.data) else { return .incorrectData }
    var (password, identifier, number): ([UInt8]?, [UInt8]?, [UInt8]?) = (nil, nil, nil)
    for object in objects {
      switch object.tag {
      case 0x80 where identifier == nil: identifier = object.value
      case 0x83 where password == nil: password = object.value
      case 0x84 where number == nil: number = object.value
      default: return .incorrectData
      }
    }
    let suitable = ways.filter { way in
      Self.identifier(way) == identifier
        && (number.map { $0 == [UInt8(way.domainParameters)] } ?? true)
    }
    // Without the number, it must be clear which domain parameters are meant.
    guard suitable.count == 1, let way = suitable.first,
      let group = DocumentGroup(way.domainParameters)
    else { return .incorrectData }
    // Referenced data not found: there is no such password.
    guard let reference = password, reference.count == 1, let secret = passwords[reference[0]]
    else { return StatusWord(0x6A88) }
    step = .selected(
      Chosen(
        way: way, group: group, passwordKey: DocumentKeys.passwordKey(way.cipher, secret)))
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
    case (.selected(let chosen), nil):
      let size =
        chosen.way.mapping == .integrated
        ? IntegratedMapping.nonceSize(chosen.way.cipher) : Self.nonceSize
      let nonce = random(size)
      step = .nonceSent(chosen, nonce)
      let zeros = [UInt8](repeating: 0, count: chosen.way.cipher.blockSize)
      let cryptogram = BlockMode(chosen.way.cipher, key: chosen.passwordKey).encrypt(nonce, zeros)
      return .answer(Self.data([(Tag.nonce, cryptogram)]))
    case (.nonceSent(let chosen, let nonce), Tag.mapping):
      return map(nonce, value, chosen, random)
    case (.mapped(let chosen, let generator, let number), Tag.agreement):
      return agree(generator, value, chosen, number, random)
    case (.agreed(let chosen, let keys, let own, let reader, let number), Tag.token):
      guard value == Self.token(keys, own, chosen) else { return .refused(.authenticationFailed) }
      var objects = [(Tag.token + 1, Self.token(keys, reader, chosen))]
      if chosen.way.mapping == .chipAuthentication {
        guard let proof = proof(number, chosen) else {
          return .refused(.conditionsOfUseNotSatisfied)
        }
        objects.append((Tag.proof, keys.encryptProof(proof)))
      }
      return .done(Self.data(objects), keys)
    default: return .refused(.conditionsOfUseNotSatisfied)
    }
  }

  // MARK: Steps

  private mutating func map(
    _ nonce: [UInt8], _ value: [UInt8], _ chosen: Chosen, _ random: (Int) -> [UInt8]
  ) -> Progress {
    let group = chosen.group
    if chosen.way.mapping == .integrated {
      let mapping = IntegratedMapping(cipher: chosen.way.cipher, group: group)
      guard let generator = mapping.generator(nonce, reader: value) else {
        return .refused(.incorrectData)
      }
      step = .mapped(chosen, generator: generator, number: [])
      return .answer(Self.data([(Tag.mapping + 1, [])]))
    }
    let number = random(group.keySize)
    guard let own = group.multiple(number), own != value,
      let shared = group.multiple(number, of: value), let first = group.multiple(nonce),
      let generator = group.combined(first, shared)
    else { return .refused(.incorrectData) }
    step = .mapped(chosen, generator: generator, number: number)
    return .answer(Self.data([(Tag.mapping + 1, own)]))
  }

  private mutating func agree(
    _ generator: [UInt8], _ value: [UInt8], _ chosen: Chosen, _ number: [UInt8],
    _ random: (Int) -> [UInt8]
  ) -> Progress {
    let group = chosen.group
    let key = random(group.keySize)
    guard let own = group.multiple(key, of: generator), own != value,
      let shared = group.multiple(key, of: value)
    else { return .refused(.incorrectData) }
    step = .agreed(
      chosen, DocumentKeys(chosen.way.cipher, secret: group.secret(shared)), own: own,
      reader: value, number: number)
    return .answer(Self.data([(Tag.agreement + 1, own)]))
  }

  /// Returns the number that leads from the chip's own key to that of the mapping (Doc 9303-11, 4.4.3.5.1).
  private func proof(_ number: [UInt8], _ chosen: Chosen) -> [UInt8]? {
    guard let mappingKey else { return nil }
    let order = chosen.group.order
    return BigNumber(number).remainder(order)
      .times(BigNumber(mappingKey).inverse(modulo: order), modulo: order)
      .bytes(chosen.group.size)
  }

  /// Returns dynamic authentication data, and the status word for success.
  private static func data(_ objects: [(UInt8, [UInt8])]) -> [UInt8] {
    DataObject.encoded(
      UInt16(Tag.dynamicData), objects.flatMap { DataObject.encoded(UInt16($0.0), $0.1) })
      + StatusWord.success.bytes
  }

  /// Returns the proof of who knows the key that belongs to the other side's point or integer.
  private static func token(_ keys: DocumentKeys, _ key: [UInt8], _ chosen: Chosen) -> [UInt8] {
    // An unsigned integer has no leading zeros (Doc 9303-11, 9.4.1).
    let value = chosen.group.isCurve ? key : Array(key.drop { $0 == 0 })
    return keys.tokenCode(
      DataObject.encoded(
        Tag.publicKey,
        DataObject.encoded(Tag.identifier, identifier(chosen.way))
          + DataObject.encoded(chosen.group.isCurve ? Tag.point : Tag.integer, value)))
  }
}
