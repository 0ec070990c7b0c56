import SwiftNFCCore
import SUNMessage

/// Secure messaging after AuthenticateLRPFirst (71) and AuthenticateLRPNonFirst (77), of a DESFire
/// Light or an NTAG 424 DNA that was switched to LRP: NXP AN12304; AN12343, 7.2; NT4H2421Gx data
/// sheet, 9.2.
///
/// It differs from ``EV2Messaging`` in the cryptographic function, in session keys that are already
/// used during the authentication, and in a block counter instead of an initial value.
struct LRPMessaging: TransactionMessaging {
  let transactionIdentifier: [UInt8]
  var commandCounter: UInt16
  /// The number of blocks encrypted or decrypted so far (EncCtr).
  private(set) var blockCounter: UInt32 = 0
  private let codes: LeakageResilientPrimitive
  private let cipher: LeakageResilientPrimitive

  private static let derivationLabel: [UInt8] = [0x96, 0x69]

  /// Derives the keys of a session (AN12343, 7.2.6).
  ///
  /// - Parameters:
  ///   - reader: the reader's challenge, RndA, 16 bytes.
  ///   - card: the card's challenge, RndB, 16 bytes.
  init(
    key: SUNKey, reader: [UInt8], card: [UInt8], transactionIdentifier: [UInt8] = [],
    commandCounter: UInt16 = 0
  ) throws {
    let vector =
      try TransactionChallenges.derivationInput(reader: reader, card: card) + Self.derivationLabel
    var master = LeakageResilientPrimitive(key, keyIndex: 0).authenticationCode(vector)
    defer { master.wipe() }
    guard let masterKey = SUNKey(master) else { throw NFCError.wrongLength }
    codes = LeakageResilientPrimitive(masterKey, keyIndex: 0)
    cipher = LeakageResilientPrimitive(masterKey, keyIndex: 1)
    self.transactionIdentifier = transactionIdentifier
    self.commandCounter = commandCounter
  }

  private init(_ other: LRPMessaging, transactionIdentifier: [UInt8]) {
    codes = other.codes
    cipher = other.cipher
    commandCounter = other.commandCounter
    blockCounter = other.blockCounter
    self.transactionIdentifier = transactionIdentifier
  }

  /// Returns the same session with the transaction identifier that the card has chosen meanwhile.
  func beginning(_ transactionIdentifier: [UInt8]) -> LRPMessaging {
    LRPMessaging(self, transactionIdentifier: transactionIdentifier)
  }

  func authenticationCode(_ message: [UInt8]) -> [UInt8] { codes.authenticationCode(message) }

  mutating func encrypt(_ blocks: [UInt8]) -> [UInt8] {
    cipher.encrypt(blocks, counter: next(blocks))
  }

  mutating func decrypt(_ blocks: [UInt8]) -> [UInt8] {
    cipher.decrypt(blocks, counter: next(blocks))
  }

  /// Returns the counter of the first of these blocks, most significant byte first, and advances
  /// it.
  private mutating func next(_ blocks: [UInt8]) -> [UInt8] {
    defer { blockCounter &+= UInt32(blocks.count / TransactionCode.blockSize) }
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: blockCounter >> $0) }
  }
}
