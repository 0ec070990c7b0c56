import SwiftNFCSeededRandom
import SwiftNFCCore

/// What a password of an ST25TV protects in its area: the two bits that its configuration has for each.
///
/// Source: ST's NFC SDK (ST25TVTag), and ST's library st25tags (`st25tvc.h`).
enum ST25TVProtection: UInt8 {
  case none = 0b00
  case write = 0b01
  case readAndWrite = 0b10
  case readAndNoWrite = 0b11

  static let mask: UInt8 = 0x03

  /// Decodes the two lowest bits.
  init(bits: UInt8) { self = Self(rawValue: bits & Self.mask) ?? .none }

  func allowsRead(isOpen: Bool) -> Bool {
    switch self {
    case .none, .write: true
    case .readAndWrite, .readAndNoWrite: isOpen
    }
  }

  func allowsWrite(isOpen: Bool) -> Bool {
    switch self {
    case .none: true
    case .write, .readAndWrite: isOpen
    case .readAndNoWrite: false
    }
  }
}

/// The four passwords of an ST25TV, those of areas 1 and 2 with the numbers 1 and 2, and which of them is presented.
///
/// Source: ST's NFC SDK (TagHelper: a presented password is combined with a random number; ST25TVUtils: presenting
/// another password, or a wrong one, ends the session), and ST's library st25tags (`st25tvc.c`). Not confirmed: the
/// errors, and that a random number is valid once.
struct ST25TVPasswords: Hashable, Sendable {
  /// The bytes of a password.
  static let length = 4

  // The persistent state.
  var values = [[UInt8]](repeating: [UInt8](repeating: 0, count: length), count: 4)

  // The state of a session.
  private(set) var presented: Int?
  private var random: [UInt8]?
  private var generator: SplitMix64

  init(uid: [UInt8]) { generator = SplitMix64(seed: uid) }

  mutating func endSession() {
    presented = nil
    random = nil
  }

  /// Executes GET RANDOM NUMBER.
  mutating func drawRandomNumber() -> VicinityAnswer {
    let number = generator.bytes(2)
    random = number
    return .data(number)
  }

  /// Executes PRESENT PASSWORD.
  ///
  /// - Parameter isSingle: whether the memory has one area.
  mutating func present(_ parameters: [UInt8], isSingle: Bool) -> VicinityAnswer {
    presented = nil
    guard let number = parameters.first.map(Int.init),
      let password = password(number, isSingle: isSingle)
    else { return .refusal(.blockNotAvailable) }
    guard parameters.count == 1 + password.count else { return .refusal(.commandNotRecognized) }
    guard let cover = random else { return .refusal(.unknown) }
    random = nil
    let given = parameters.dropFirst().enumerated().map { $0.element ^ cover[$0.offset % 2] }
    guard given == password else { return .refusal(.unknown) }
    presented = number
    return .data([])
  }

  /// Returns a password. The password of a single area consists of those of both areas.
  private func password(_ number: Int, isSingle: Bool) -> [UInt8]? {
    guard values.indices.contains(number) else { return nil }
    guard isSingle else { return values[number] }
    return switch number {
    case 1: values[1] + values[2]
    case 2: nil
    default: values[number]
    }
  }
}
