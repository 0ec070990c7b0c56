import SwiftNFCCore

@testable import TravelDocuments

/// A chip with the habits that documents in the field have, each switched on by itself. It opens by BAC.
///
/// Its own secure messaging is written here from Doc 9303-11, 9.8, with nothing of the reader's but ciphers and MACs.
final class FieldChip: ChipLink {
  struct Habits {
    /// The answer to reading or selecting EF.CardAccess; `nil` to give it out.
    var cardAccess: UInt16? = 0x6A82
    /// The answers to SELECT MF with 3F00, and without data.
    var selectMasterFile: [UInt16] = [0x9000, 0x9000]
    /// Whether SELECT MF without data selects nothing.
    var emptySelectionSelectsNothing = false
    /// Whether the master file has to be selected first.
    var startsOutsideOfMasterFile = false
    /// The answer to a read by short identifier; `nil` for a chip that has it.
    var shortIdentifiers: UInt16?
    /// The most plain bytes of one answer, and the answer to a request for more: 6C00 names the size, 9000 is empty.
    var largestRead = 1 << 20
    var tooLarge: UInt16 = 0x6700
    /// Whether that answer has no protection, and whether the chip counts it.
    var refusesBare = false
    var countsBareAnswers = false
    /// Whether a read past the end of the file returns what is there with 6282.
    var warnsAtEnd = true
    /// The answer to GET CHALLENGE, and to a wrong or right EXTERNAL AUTHENTICATE.
    var challenge: UInt16?
    var authentication: UInt16?
    /// Whether everything can be read without access.
    var isOpen = false
    /// The bytes that are returned at once; the rest by GET RESPONSE.
    var responsePart: Int?
    /// Whether the chip knows READ BINARY with an offset in a data object.
    var knowsLargeOffsets = true
    /// Files that are refused.
    var closed: Set<UInt16> = []
    /// The number of the protected command after which the session ends.
    var endsSessionAfter: Int?
    /// Whether the chip needs another activation after the end of a session.
    var isDeadAfterEnd = false
    /// Bits of the answers that are changed on the way: the number of the command.
    var altersAnswer: Int?
    /// Whether the status word of an answer outside of the protection is another one.
    var changesOuterStatus = false
    /// The command whose answer is 9000 without protection.
    var bareSuccess: Int?
    /// EF.ATR/INFO in the master file.
    var attributes: [UInt8]?
    /// The private key of chip authentication over brainpoolP256r1; `nil` for a chip that refuses it.
    var chipKey: [UInt8]?
  }

  var habits: Habits
  let maximumCommandLength: Int
  let maximumResponseLength: Int
  private(set) var commands: [APDU] = []
  private(set) var activations = 1

  private let files: [UInt16: [UInt8]]
  private let cardAccess: [UInt8]
  private let keys: SessionKeys
  private var challenge: [UInt8]?
  private var session: (keys: SessionKeys, counter: UInt64)?
  private var protectedCount = 0
  private var current: UInt16?
  private var isMasterFile = true
  private var isDead = false
  /// The cipher of chip authentication that was chosen, and the session that begins after the current answer.
  private var chosenCipher: BlockCipher?
  private var nextKeys: SessionKeys?
  private var rest: [UInt8] = []

  init(
    _ password: AccessPassword, _ files: [UInt16: [UInt8]], _ habits: Habits = Habits(),
    cardAccess: [UInt8] = [], commandLength: Int = 262, responseLength: Int = 262
  ) {
    self.files = files
    self.habits = habits
    self.cardAccess = cardAccess
    maximumCommandLength = commandLength
    maximumResponseLength = responseLength
    keys = SessionKeys(.tripleDES, secret: Array(password.secret.prefix(16)))
    isMasterFile = !habits.startsOutsideOfMasterFile
  }

  func random(_ count: Int) throws -> [UInt8] { RandomNumbers.system(count) }

  func activateAgain() throws {
    activations += 1
    (challenge, session, current, isDead) = (nil, nil, nil, false)
    (chosenCipher, nextKeys) = (nil, nil)
    isMasterFile = !habits.startsOutsideOfMasterFile
  }

  func transmit(_ command: APDU) throws -> ResponseAPDU {
    commands.append(command)
    guard !isDead else { return Self.status(0x6985) }
    if command.instructionCode == 0xC0 { return part(of: rest) }
    let answer =
      command.instructionClass & 0x0C == 0x0C ? protected(command) : plain(command)
    guard let size = habits.responsePart, answer.data.count > size else { return answer }
    rest = answer.data + [answer.sw1, answer.sw2]
    return part(of: rest)
  }

  private func part(of bytes: [UInt8]) -> ResponseAPDU {
    let size = habits.responsePart ?? 256
    if bytes.count <= size + 2 {
      rest = []
      return (try? ResponseAPDU(bytes)) ?? Self.status(0x6F00)
    }
    rest = Array(bytes.dropFirst(size))
    return ResponseAPDU(
      data: Array(bytes.prefix(size)), sw1: 0x61, sw2: UInt8(min(rest.count - 2, 255)))
  }

  private static func status(_ word: UInt16) -> ResponseAPDU {
    ResponseAPDU(data: [], sw1: UInt8(word >> 8), sw2: UInt8(word & 0xFF))
  }

  // MARK: Without protection

  private func plain(_ command: APDU) -> ResponseAPDU {
    session = nil
    switch (command.instructionCode, command.p1) {
    case (0xA4, 0x00):
      let isEmpty = command.data.isEmpty
      let word = habits.selectMasterFile[isEmpty ? 1 : 0]
      if word == 0x9000, !(isEmpty && habits.emptySelectionSelectsNothing) { isMasterFile = true }
      return Self.status(word)
    case (0xA4, 0x04):
      guard command.data == bytes("A0000002471001") else { return Self.status(0x6A82) }
      isMasterFile = false
      return Self.status(0x9000)
    case (0xA4, 0x02):
      return isMasterFile ? selectCardAccess(command) : execute(command, isOpen: habits.isOpen)
    case (0x84, _):
      if let word = habits.challenge { return Self.status(word) }
      let number = RandomNumbers.system(8)
      challenge = number
      return ResponseAPDU(data: number, sw1: 0x90, sw2: 0)
    case (0x82, _): return authenticate(command)
    case (0xB0, _):
      guard isMasterFile else { return execute(command, isOpen: habits.isOpen) }
      if command.p1 & 0x80 != 0, let word = habits.shortIdentifiers { return Self.status(word) }
      if command.p1 == 0x81, let file = habits.attributes {
        return ResponseAPDU(data: file, sw1: 0x62, sw2: 0x82)
      }
      guard command.p1 == 0x9C || command.p1 == 0 && current == 0x011C else {
        return Self.status(0x6A82)
      }
      guard habits.cardAccess == nil else { return Self.status(habits.cardAccess ?? 0x6A82) }
      return ResponseAPDU(data: cardAccess, sw1: 0x90, sw2: 0)
    default: return Self.status(0x6D00)
    }
  }

  private func selectCardAccess(_ command: APDU) -> ResponseAPDU {
    guard command.data == [0x01, 0x1C], habits.cardAccess == nil else {
      return Self.status(habits.cardAccess ?? 0x6A82)
    }
    current = 0x011C
    return Self.status(0x9000)
  }

  private func authenticate(_ command: APDU) -> ResponseAPDU {
    if let word = habits.authentication { return Self.status(word) }
    let cryptogram = Array(command.data.dropLast(8))
    guard let own = challenge, keys.code(cryptogram) == Array(command.data.suffix(8)),
      let token = keys.decrypt(cryptogram), Array(token[8..<16]) == own
    else { return Self.status(0x6300) }
    let (reader, readerKey) = (Array(token.prefix(8)), Array(token.suffix(16)))
    let key = RandomNumbers.system(16)
    guard let answer = keys.encrypt(own + reader + key), let code = keys.code(answer) else {
      return Self.status(0x6F00)
    }
    let counter = (own.suffix(4) + reader.suffix(4)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    session = (
      SessionKeys(.tripleDES, secret: zip(readerKey, key).map { $0 ^ $1 }), counter
    )
    return ResponseAPDU(data: answer + code, sw1: 0x90, sw2: 0)
  }

  // MARK: With protection

  private static func counterBlock(_ counter: UInt64, _ cipher: BlockCipher) -> [UInt8] {
    [UInt8](repeating: 0, count: cipher.blockSize - 8)
      + (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
  }

  private static func padded(_ data: [UInt8], to size: Int) -> [UInt8] {
    let whole = data + [0x80]
    return whole + [UInt8](repeating: 0, count: (size - whole.count % size) % size)
  }

  private func code(_ data: [UInt8], _ keys: SessionKeys) -> [UInt8] {
    // The retail MAC pads by itself.
    let size = keys.cipher.blockSize
    return keys.code(keys.cipher == .tripleDES ? data : Self.padded(data, to: size)) ?? []
  }

  private func initialValue(_ counter: [UInt8], _ keys: SessionKeys) -> [UInt8]? {
    keys.cipher == .tripleDES ? [UInt8](repeating: 0, count: 8) : keys.encrypt(counter)
  }

  private func protected(_ command: APDU) -> ResponseAPDU {
    guard let (keys, counter) = session else { return Self.status(0x6988) }
    protectedCount += 1
    if habits.bareSuccess == protectedCount { return Self.status(0x9000) }
    if let limit = habits.endsSessionAfter, protectedCount > limit {
      habits.endsSessionAfter = nil
      session = nil
      isDead = habits.isDeadAfterEnd
      return Self.status(0x6988)
    }
    let (cipher, size) = (keys.cipher, keys.cipher.blockSize)
    let before = Self.counterBlock(counter &+ 1, cipher)
    let after = Self.counterBlock(counter &+ 2, cipher)
    let covered = Array(command.data.dropLast(10))
    let header = Self.padded(
      [command.instructionClass, command.instructionCode, command.p1, command.p2], to: size)
    guard code(before + header + covered, keys) == Array(command.data.suffix(8)),
      let objects = try? BERObject.all(in: covered[...])
    else {
      session = nil
      return Self.status(0x6988)
    }
    var plain = APDU(
      instructionClass: 0, instructionCode: command.instructionCode, p1: command.p1, p2: command.p2)
    for object in objects {
      let isOdd = object.tag == 0x85
      if object.tag == 0x87 || isOdd {
        let data =
          keys.decrypt(
            Array(object.content.dropFirst(isOdd ? 0 : 1)), initialValue: initialValue(before, keys)
          )
          ?? []
        plain.data = BlockCipher.unpadded(data) ?? []
      } else if object.tag == 0x97 {
        let length = object.content.reduce(0) { $0 << 8 | Int($1) }
        plain.expectedLength = length == 0 ? 256 : length
      }
    }
    let answer = execute(plain, isOpen: true)
    let word = answer.statusWord
    if habits.refusesBare, answer.data.isEmpty, word != 0x9000 {
      if habits.countsBareAnswers { session = (keys, counter &+ 2) }
      return answer
    }
    session = (keys, counter &+ 2)
    var data: [UInt8] = []
    if !answer.data.isEmpty {
      let cryptogram =
        keys.encrypt(
          Self.padded(answer.data, to: size), initialValue: initialValue(after, keys)) ?? []
      data =
        command.instructionCode & 1 == 1
        ? DER.object(0x85, cryptogram) : DER.object(0x87, [1] + cryptogram)
    }
    data += [0x99, 2, answer.sw1, answer.sw2]
    data += [0x8E, 8] + code(after + data, keys)
    if let next = nextKeys { (session, nextKeys) = ((next, 0), nil) }
    if habits.altersAnswer == protectedCount { data[data.count / 2] ^= 1 }
    if habits.changesOuterStatus, word != 0x9000 {
      return ResponseAPDU(data: data, sw1: 0x90, sw2: 0)
    }
    return ResponseAPDU(data: data, sw1: answer.sw1, sw2: answer.sw2)
  }

  // MARK: Chip authentication

  /// MSE:Set AT and MSE:Set KAT; the ciphers by the last number of the identifier.
  private func setTemplate(_ command: APDU) -> ResponseAPDU {
    guard habits.chipKey != nil, command.p1 == 0x41,
      let objects = try? BERObject.all(in: command.data[...])
    else { return Self.status(0x6A80) }
    let values = Dictionary(objects.map { ($0.tag, $0.bytes) }) { first, _ in first }
    if command.p2 == 0xA6, let key = values[0x91] { return agree(key, .tripleDES) }
    guard command.p2 == 0xA4, let number = values[0x80]?.last, (2...4).contains(number),
      values[0x84].map({ $0 == [1] }) ?? true
    else { return Self.status(0x6A80) }
    chosenCipher = [.aes128, .aes192, .aes256][Int(number) - 2]
    return Self.status(0x9000)
  }

  private func agree(_ key: [UInt8], _ cipher: BlockCipher) -> ResponseAPDU {
    guard let own = habits.chipKey,
      let shared = OpenSSL.product(own, of: key, on: .brainpoolP256r1)
    else { return Self.status(0x6A80) }
    nextKeys = SessionKeys(cipher, secret: Array(shared.dropFirst().prefix(32)))
    return Self.status(0x9000)
  }

  // MARK: Files

  private func execute(_ command: APDU, isOpen: Bool) -> ResponseAPDU {
    switch command.instructionCode {
    case 0xA4:
      guard command.p1 == 0x02, command.data.count == 2 else { return Self.status(0x6A86) }
      let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
      guard files[identifier] != nil else { return Self.status(0x6A82) }
      current = identifier
      return Self.status(0x9000)
    case 0xB0, 0xB1: return read(command, isOpen: isOpen)
    case 0x22: return setTemplate(command)
    case 0x86:
      guard let cipher = chosenCipher, let template = try? BERObject(command.data),
        let key = (try? template.children())?.first(where: { $0.tag == 0x80 })
      else { return Self.status(0x6985) }
      let answer = agree(key.bytes, cipher)
      return answer.isSuccess ? ResponseAPDU(data: [0x7C, 0], sw1: 0x90, sw2: 0) : answer
    default: return Self.status(0x6D00)
    }
  }

  private func read(_ command: APDU, isOpen: Bool) -> ResponseAPDU {
    var offset = Int(command.p1) << 8 | Int(command.p2)
    if command.instructionCode == 0xB1 {
      guard habits.knowsLargeOffsets, let object = try? BERObject(command.data) else {
        return Self.status(0x6D00)
      }
      offset = object.content.reduce(0) { $0 << 8 | Int($1) }
    } else if command.p1 & 0x80 != 0 {
      if let word = habits.shortIdentifiers { return Self.status(word) }
      let identifier = 0x0100 | UInt16(command.p1 & 0x1F)
      guard files[identifier] != nil else { return Self.status(0x6A82) }
      current = identifier
      offset = Int(command.p2)
    }
    guard let current, let file = files[current] else { return Self.status(0x6986) }
    guard isOpen, !habits.closed.contains(current) else { return Self.status(0x6982) }
    let asked = command.expectedLength ?? 0
    guard asked <= habits.largestRead else {
      switch habits.tooLarge {
      case 0x6C00: return Self.status(0x6C00 | UInt16(habits.largestRead))
      case 0x9000: return Self.status(0x9000)
      default: return Self.status(habits.tooLarge)
      }
    }
    guard offset < file.count else { return Self.status(0x6B00) }
    if command.instructionCode == 0xB1 {
      let room = max(0, asked - 4)
      let data = Array(file[offset..<min(file.count, offset + room)])
      return ResponseAPDU(data: DER.object(0x53, data), sw1: 0x90, sw2: 0)
    }
    let data = Array(file[offset..<min(file.count, offset + asked)])
    let isShort = data.count < asked && habits.warnsAtEnd
    return ResponseAPDU(data: data, sw1: isShort ? 0x62 : 0x90, sw2: isShort ? 0x82 : 0)
  }
}
