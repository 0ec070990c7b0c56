import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// The reader's side of AES secure messaging, for tests: NT4H2421Gx data sheet, 9.1.
struct NTAG424Reader {
  var chip: NTAG424
  private var encryption: DESFireCipher?
  private var authentication: DESFireCipher?
  private(set) var transaction: [UInt8] = []
  var counter: UInt16 = 0

  init(_ chip: NTAG424 = NTAG424(), selected: Bool = true) {
    self.chip = chip
    self.chip.powerOn()
    if selected { _ = self.chip.process(hex("00A4040C07D276000085010100")) }
  }

  static let zeroKey = [UInt8](repeating: 0, count: 16)

  /// Sends an unchanged APDU.
  mutating func raw(_ text: String) -> String { chip.process(hex(text)).hexadecimal }

  mutating func native(_ code: UInt8, _ parameters: [UInt8]) -> (status: UInt8, data: [UInt8]) {
    let count = parameters.isEmpty ? [] : [UInt8(truncatingIfNeeded: parameters.count)]
    let answer = chip.process([0x90, code, 0x00, 0x00] + count + parameters + [0x00])
    return (answer.last ?? 0xFF, Array(answer.dropLast(2)))
  }

  private static func prf(_ key: [UInt8], _ data: [UInt8]) -> [UInt8] {
    let cipher = DESFireCipher(kind: .aes, key: key)
    return cipher.authenticationCode(data, vector: cipher.zeroVector)
  }

  /// Authenticates. Returns the status of the step that was refused, 00 if none was.
  @discardableResult
  mutating func authenticate(
    _ number: UInt8, _ key: [UInt8] = zeroKey, isFirst: Bool = true
  ) -> UInt8 {
    let cipher = DESFireCipher(kind: .aes, key: key)
    let (status, sent) = native(isFirst ? 0x71 : 0x77, [number] + (isFirst ? [0x00] : []))
    guard status == 0xAF else { return status }
    let card = cipher.decrypt(sent, vector: cipher.zeroVector)
    let own = (0..<16).map { UInt8($0 * 11 + 5) }
    let token = own + card.dropFirst() + card.prefix(1)
    let (end, proof) = native(0xAF, cipher.encrypt(token, vector: cipher.zeroVector))
    guard end == 0x00 else { return end }
    let plain = cipher.decrypt(proof, vector: cipher.zeroVector)
    let rotated = Array(own.dropFirst() + own.prefix(1))
    let returned = Array(plain.dropFirst(isFirst ? 4 : 0).prefix(16))
    #expect(returned == rotated)
    if isFirst {
      transaction = Array(plain.prefix(4))
      counter = 0
    }
    var context = Array(own[0..<2])
    context += zip(own[2..<8], card[0..<6]).map { $0 ^ $1 }
    context += card[6..<16] + own[8..<16]
    encryption = DESFireCipher(
      kind: .aes, key: Self.prf(key, hex("A55A00010080") + context))
    authentication = DESFireCipher(
      kind: .aes, key: Self.prf(key, hex("5AA500010080") + context))
    return 0x00
  }

  private func mac(_ first: UInt8, _ data: [UInt8]) -> [UInt8] {
    guard let authentication else { return [] }
    let code = authentication.authenticationCode(
      [first] + [UInt8(counter & 0xFF), UInt8(counter >> 8)] + transaction + data,
      vector: authentication.zeroVector)
    return stride(from: 1, to: 16, by: 2).map { code[$0] }
  }

  private func vector(_ label: [UInt8]) -> [UInt8] {
    guard let encryption else { return [] }
    let block = label + transaction + [UInt8(counter & 0xFF), UInt8(counter >> 8)]
    return encryption.encrypt(
      block + [UInt8](repeating: 0, count: 8), vector: encryption.zeroVector)
  }

  /// Sends a command with a MAC, or encrypted.
  mutating func send(
    _ code: UInt8, _ header: [UInt8], _ data: [UInt8] = [], full: Bool
  ) -> (status: UInt8, data: [UInt8]) {
    guard let encryption else { return (0xFF, []) }
    func padded(_ data: [UInt8]) -> [UInt8] {
      var data = data + [0x80]
      while data.count % 16 != 0 { data.append(0) }
      return data
    }
    var body = data
    if full, !data.isEmpty {
      body = encryption.encrypt(padded(data), vector: vector([0xA5, 0x5A]))
    }
    let (status, answer) = native(code, header + body + mac(code, header + body))
    counter += 1
    guard status == 0x00 || status == 0x90 else { return (status, answer) }
    guard answer.count >= 8 else { return (status, answer) }
    let content = Array(answer.dropLast(8))
    #expect(Array(answer.suffix(8)) == mac(status, content))
    guard full, !content.isEmpty else { return (status, content) }
    var plain = encryption.decrypt(content, vector: vector([0x5A, 0xA5]))
    while plain.last == 0 { plain.removeLast() }
    #expect(plain.popLast() == 0x80)
    return (status, plain)
  }

  mutating func changeKey(
    _ number: UInt8, from old: [UInt8] = zeroKey, to new: [UInt8], version: UInt8 = 1
  ) -> UInt8 {
    let data =
      number == 0
      ? new + [version]
      : zip(new, old).map { $0 ^ $1 } + [version] + DESFireCipher.checksum(new)
    return send(0xC4, [number], data, full: true).status
  }
}

func hex(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text.filter { $0 != " " }) ?? [] }
