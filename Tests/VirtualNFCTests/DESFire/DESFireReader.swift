import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// The reader's side of the DESFire commands, for tests: it authenticates and protects data.
struct DESFireReader {
  var card: DESFire
  private var key = DESFireCipher(kind: .des, key: [UInt8](repeating: 0, count: 16))
  private var isLegacy = true
  private var vector: [UInt8] = []

  init(_ card: DESFire) {
    self.card = card
    self.card.powerOn()
  }

  /// Sends a command and returns the status, and the data of all frames.
  mutating func send(_ command: [UInt8]) -> (status: UInt8, data: [UInt8]) {
    var answer = card.process(command)
    var data = Array(answer.dropFirst())
    while answer[0] == 0xAF, command[0] != 0x0A, command[0] != 0x1A, command[0] != 0xAA {
      answer = card.process([0xAF])
      data += answer.dropFirst()
    }
    return (answer[0], data)
  }

  mutating func authenticate(_ code: UInt8, _ number: UInt8, _ with: DESFireKey) throws {
    isLegacy = code == 0x0A
    let cipher = with.cipher
    let (status, sent) = send([code, number])
    try #require(status == 0xAF)
    let challenge = cipher.decrypt(sent, vector: cipher.zeroVector)
    let own = (0..<challenge.count).map { UInt8($0 * 7 + 3) }
    let token: [UInt8] = own + challenge.dropFirst() + challenge.prefix(1)
    let encrypted =
      isLegacy
      ? Self.decrypt(token, cipher)
      : cipher.encrypt(token, vector: Array(sent.suffix(cipher.blockSize)))
    let answer = card.process([0xAF] + encrypted)
    try #require(answer[0] == 0x00)
    let last = isLegacy ? cipher.zeroVector : Array(encrypted.suffix(cipher.blockSize))
    let proof = cipher.decrypt(Array(answer.dropFirst()), vector: last)
    #expect(proof == Array(own.dropFirst()) + own.prefix(1))
    key = with.sessionCipher(reader: own, card: challenge)
    vector = key.zeroVector
  }

  /// Decrypts data as the first generation's reader does, which only decrypts: each block is combined
  /// with the previous one.
  private static func decrypt(_ data: [UInt8], _ cipher: DESFireCipher) -> [UInt8] {
    var result: [UInt8] = []
    var previous = cipher.zeroVector
    for start in stride(from: 0, to: data.count, by: cipher.blockSize) {
      let block = zip(data[start..<(start + cipher.blockSize)], previous).map { $0 ^ $1 }
      previous = cipher.decrypt(block, vector: cipher.zeroVector)
      result += previous
    }
    return result
  }

  /// Sends a command whose data after `header` is encrypted, with its check, or with `checks` for
  /// ChangeKey.
  mutating func sendEncrypted(
    _ header: [UInt8], _ data: [UInt8], extraCheck: [UInt8] = []
  ) -> (status: UInt8, data: [UInt8]) {
    let check = isLegacy ? CyclicRedundancyCheck.a(data) : DESFireCipher.checksum(header + data)
    let plain = DESFireCipher.padded(data + check + extraCheck, to: key.blockSize)
    var body = Self.decrypt(plain, key)
    if !isLegacy {
      body = key.encrypt(plain, vector: vector)
      vector = Array(body.suffix(key.blockSize))
    }
    return finish(write(header + body))
  }

  /// Sends a command with a MAC over `data` (legacy) or over all of it.
  mutating func sendAuthenticated(
    _ header: [UInt8], _ data: [UInt8]
  ) -> (status: UInt8, data: [UInt8]) {
    if isLegacy { return finish(write(header + data + key.legacyAuthenticationCode(data))) }
    vector = key.authenticationCode(header + data, vector: vector)
    return finish(write(header + data + vector.prefix(8)))
  }

  mutating func sendPlain(_ command: [UInt8]) -> (status: UInt8, data: [UInt8]) {
    if !isLegacy { vector = key.authenticationCode(command, vector: vector) }
    return finish(write(command))
  }

  /// Sends frames of at most 55 bytes, as libfreefare does.
  private mutating func write(_ command: [UInt8]) -> (status: UInt8, data: [UInt8]) {
    var answer = send(Array(command.prefix(55)), ignoringMore: command.count > 55)
    var rest = Array(command.dropFirst(55))
    while !rest.isEmpty, answer.status == 0xAF {
      answer = send([0xAF] + rest.prefix(54), ignoringMore: rest.count > 54)
      rest = Array(rest.dropFirst(54))
    }
    return answer
  }

  private mutating func send(
    _ command: [UInt8], ignoringMore: Bool
  ) -> (status: UInt8, data: [UInt8]) {
    guard ignoringMore else { return send(command) }
    let answer = card.process(command)
    return (answer[0], Array(answer.dropFirst()))
  }

  /// Verifies and removes the CMAC of an answer.
  private mutating func finish(
    _ answer: (status: UInt8, data: [UInt8])
  ) -> (status: UInt8, data: [UInt8]) {
    guard !isLegacy, answer.status == 0, answer.data.count >= 8 else { return answer }
    let data = Array(answer.data.dropLast(8))
    vector = key.authenticationCode(data + [0x00], vector: vector)
    #expect(Array(vector.prefix(8)) == Array(answer.data.suffix(8)))
    return (answer.status, data)
  }

  /// Performs ReadData, and verifies and removes the protection of the answer.
  mutating func read(
    _ file: UInt8, offset: UInt8 = 0, count: Int, _ communication: DESFireCommunication
  ) -> (status: UInt8, data: [UInt8]) {
    let command = [
      0xBD, file, offset, 0, 0, UInt8(count & 0xFF), UInt8(count >> 8), 0,
    ]
    switch (isLegacy, communication) {
    case (true, .plain): return send(command)
    case (false, .plain), (false, .authenticated): return sendPlain(command)
    case (true, .authenticated):
      let answer = send(command)
      guard answer.status == 0 else { return answer }
      let data = Array(answer.data.dropLast(4))
      #expect(key.legacyAuthenticationCode(data) == Array(answer.data.suffix(4)))
      return (0, data)
    case (_, .encrypted):
      if !isLegacy { vector = key.authenticationCode(command, vector: vector) }
      let answer = send(command)
      guard answer.status == 0 else { return answer }
      let plain = key.decrypt(answer.data, vector: isLegacy ? key.zeroVector : vector)
      vector = Array(answer.data.suffix(key.blockSize))
      let data = Array(plain.prefix(count))
      let check =
        isLegacy ? CyclicRedundancyCheck.a(data) : DESFireCipher.checksum(data + [0x00])
      #expect(plain.dropFirst(count).starts(with: check))
      #expect(plain.dropFirst(count + check.count).allSatisfy { $0 == 0 })
      return (0, data)
    }
  }

  mutating func write(
    _ file: UInt8, _ data: [UInt8], _ communication: DESFireCommunication
  ) -> UInt8 {
    let header = [0x3D, file, 0, 0, 0, UInt8(data.count & 0xFF), UInt8(data.count >> 8), 0]
    switch communication {
    case .plain: return sendPlain(header + data).status
    case .authenticated: return sendAuthenticated(header, data).status
    case .encrypted: return sendEncrypted(header, data).status
    }
  }

  /// Performs GetCardUID, whose answer is encrypted although it has no encrypted parameters.
  mutating func cardUID() -> [UInt8] {
    if !isLegacy { vector = key.authenticationCode([0x51], vector: vector) }
    let answer = send([0x51])
    let plain = key.decrypt(answer.data, vector: isLegacy ? key.zeroVector : vector)
    vector = Array(answer.data.suffix(key.blockSize))
    return Array(plain.prefix(7))
  }
}
