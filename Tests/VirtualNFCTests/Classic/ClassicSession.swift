import SwiftNFCCore

@testable import VirtualNFC

/// A reader of MIFARE Classic cards for tests, with its own cipher.
final class ClassicSession {
  var card: MIFAREClassic
  private(set) var cipher: Crypto1?

  init(_ card: MIFAREClassic) {
    self.card = card
    self.card.powerOn()
  }

  /// Returns a session that continues independently from the current state.
  func copy() -> ClassicSession {
    let other = ClassicSession(card)
    other.card = card
    other.cipher = cipher
    return other
  }

  /// The answer of a card to a command.
  enum Answer: Hashable {
    case silence
    case acknowledge(UInt8)
    case data([UInt8])
    /// An answer that cannot be decrypted, or whose check is wrong.
    case nonsense
  }

  /// Performs WUPA and SELECT for all cascade levels. Returns the last SAK.
  func select() -> UInt8? {
    cipher = nil
    let wakeUp = RadioFrame.typeA(bare: [0x52], bitsInLastByte: 7)
    // An active card treats the first WUPA as an error.
    if card.receive(wakeUp) == nil, card.receive(wakeUp) == nil { return nil }
    var sak: UInt8?
    for code: UInt8 in [0x93, 0x95, 0x97] {
      guard let part = card.receive(.typeA(bare: [code, 0x20])),
        let answer = card.receive(.typeA([code, 0x70] + part.bytes))?.checkedPayload
      else { return sak }
      sak = answer.first
      if sak.map({ $0 & 0x04 == 0 }) == true { break }
    }
    return sak
  }

  /// Sends a frame, encrypted if the session is.
  func exchange(raw bytes: [UInt8]) -> RadioFrame? {
    guard var running = cipher else { return card.receive(.typeA(bare: bytes)) }
    let frame = running.frame(encrypting: bytes)
    cipher = running
    return card.receive(frame)
  }

  func send(_ command: [UInt8]) -> Answer {
    decode(exchange(raw: command + CyclicRedundancyCheck.a(command)))
  }

  func decode(_ frame: RadioFrame?) -> Answer {
    guard let frame else { return .silence }
    guard var running = cipher else {
      if frame.bitsInLastByte == 4 { return .acknowledge(frame.bytes[0]) }
      return frame.checkedPayload.map(Answer.data) ?? .nonsense
    }
    defer { cipher = running }
    if let code = running.acknowledge(decrypting: frame) { return .acknowledge(code) }
    guard let bytes = running.bytes(decrypting: frame),
      let payload = RadioFrame(bytes, modulation: .typeA).checkedPayload
    else { return .nonsense }
    return .data(payload)
  }

  /// Performs AUTH with a key, nested if a cipher is active.
  func authenticate(_ block: UInt8, _ key: MIFAREClassic.Key, _ bytes: [UInt8]) -> Bool {
    let isNested = cipher != nil
    let command: [UInt8] = [key == .a ? 0x60 : 0x61, block]
    guard let challenge = exchange(raw: command + CyclicRedundancyCheck.a(command)),
      let reader = Crypto1.ReaderAuthentication(
        key: bytes, uid: card.identifier, challenge: challenge, readerNonce: [9, 8, 7, block],
        isNested: isNested),
      let answer = card.receive(reader.answer), let running = reader.cipher(verifying: answer)
    else { return false }
    cipher = running
    return true
  }

  func read(_ block: UInt8) -> Answer { send([0x30, block]) }

  /// Sends both frames of WRITE. Returns the answer to the second, or to the first if that is not an
  /// acknowledge.
  func write(_ block: UInt8, _ bytes: [UInt8]) -> Answer {
    let answer = send([0xA0, block])
    return answer == .acknowledge(0x0A) ? send(bytes) : answer
  }

  /// Sends both frames of INCREMENT, DECREMENT or RESTORE; silence indicates success.
  func calculate(_ code: UInt8, _ block: UInt8, _ operand: [UInt8]) -> Answer {
    let answer = send([code, block])
    return answer == .acknowledge(0x0A) ? send(operand) : answer
  }
}
