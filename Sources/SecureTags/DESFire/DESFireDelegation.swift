import SwiftNFCCore

/// A key of a card for delegated applications (delegated application management, DAM).
///
/// A card accepts these keys only after its issuer has set all three. The numbers are those of NXP's
/// reader library. It names three more keys, 18 to 1A, which NXP itself uses.
public enum DESFireDelegationKey: UInt8, Hashable, Sendable, CaseIterable {
  /// PICCDAMAuthKey: authenticates whoever creates delegated applications.
  case authentication = 0x10
  /// PICCDAMMACKey: authorizes each delegated application. Only the issuer has it.
  case mac = 0x11
  /// PICCDAMEncKey: encrypts the first key of a delegated application. Only the issuer has it.
  case encryption = 0x12
}

/// The description of an application that somebody other than the card's issuer creates.
public struct DESFireDelegatedApplicationDescription: Hashable, Sendable {
  /// The application. Its keys are all the first key that the issuer encrypts, not the card's default
  /// key.
  public var application: DESFireApplicationDescription
  /// The number of the card's slot that the application occupies (DAMSlotNo).
  public var slot: UInt16
  /// The version of the slot's content (DAMSlotVersion). Each application that replaces another one
  /// in a slot has a higher version, so that an authorization works once.
  public var slotVersion: UInt8
  /// The maximum memory of the application (QuotaLimit), 1 to 65535 blocks of
  /// ``DESFireDelegatedSlot/blockSize`` bytes, which the card sets aside.
  public var quota: Int

  static let quotas = 1...0xFFFF

  /// Creates the description of a delegated application.
  public init(
    _ application: DESFireApplicationDescription, slot: UInt16, slotVersion: UInt8 = 0, quota: Int
  ) {
    self.application = application
    self.slot = slot
    self.slotVersion = slotVersion
    self.quota = quota
  }

  /// - Throws: `invalidParameter` for values that no card accepts.
  func validate() throws {
    try application.validate()
    guard Self.quotas.contains(quota) else {
      throw NFCError(.invalidParameter, "the quota is a number of blocks from 1 to 65535")
    }
  }

  /// The bytes of CreateDelegatedApplication up to EncK: those of CreateApplication, with the slot's
  /// values after the identifier. Proxmark3, NXP's reader library and SpringCard's sample agree;
  /// liblogicalaccess has the bytes of the ISO file identifier in the other order.
  var parameters: [UInt8] {
    let identifier = application.identifier.bytes
    return identifier + slot.littleEndianBytes + [slotVersion] + quota.littleEndianBytes(count: 2)
      + application.parameters.dropFirst(identifier.count)
  }
}

/// The issuer's permission for one delegated application. It requires no reader, so that a server
/// can give it; the one who creates the application does not learn the issuer's keys.
///
/// ```swift
/// let authorization = try DESFireDelegatedApplicationAuthorization(
///   plan, firstKey: firstKey, encryptionKey: encryptionKey, macKey: macKey)
/// ```
///
/// The permission is valid for every card with these keys. Keys that differ from card to card
/// (``KeyDiversification``) restrict it to one.
public struct DESFireDelegatedApplicationAuthorization: Hashable, Sendable {
  /// The application that the issuer permits.
  public let plan: DESFireDelegatedApplicationDescription
  /// The application's first key, encrypted (EncK), 32 bytes.
  public let encryptedKey: [UInt8]
  /// The issuer's code over the plan and the encrypted key (DAMMAC), 8 bytes.
  public let mac: [UInt8]

  static let encryptedKeySize = 32
  static let macSize = 8
  private static let randomSize = 7

  /// Computes the permission, as NXP AN12696 does for AES keys.
  ///
  /// - Parameters:
  ///   - firstKey: the value of all keys of the new application, of its kind. Public sources differ
  ///     about the place of a version other than 0 in EncK. This is the place in NXP's reader library and
  ///     Proxmark3, after the key; liblogicalaccess and SpringCard's sample put it last.
  ///   - encryptionKey: the card's ``DESFireDelegationKey/encryption``.
  ///   - macKey: the card's ``DESFireDelegationKey/mac``.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a plan that no card accepts, or a first key of
  ///   another kind than the application's.
  public init(
    _ plan: DESFireDelegatedApplicationDescription, firstKey: DESFireKey, encryptionKey: DESFireKey,
    macKey: DESFireKey
  ) throws {
    try self.init(
      plan, firstKey: firstKey, encryptionKey: encryptionKey, macKey: macKey,
      random: RandomNumbers.system)
  }

  init(
    _ plan: DESFireDelegatedApplicationDescription, firstKey: DESFireKey, encryptionKey: DESFireKey,
    macKey: DESFireKey, random: (Int) -> [UInt8]
  ) throws {
    try plan.validate()
    guard firstKey.kind == plan.application.kind else {
      throw NFCError(.invalidParameter, "the first key is of the application's kind")
    }
    var plain = random(Self.randomSize) + firstKey.secret.withUnsafeBytes { Array($0) }
    defer { plain.wipe() }
    plain.append(firstKey.version)
    plain += [UInt8](repeating: 0, count: max(0, Self.encryptedKeySize - plain.count))
    self.plan = plan
    encryptedKey = try encryptionKey.cipher.encrypt(plain)
    mac = try macKey.delegationMAC(
      [DESFireCommandCode.createDelegatedApplication.rawValue] + plan.parameters + encryptedKey)
  }

  /// Creates a permission from the values that the issuer has sent.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for another number of bytes, or a plan that no
  ///   card accepts.
  public init(
    _ plan: DESFireDelegatedApplicationDescription, encryptedKey: [UInt8], mac: [UInt8]
  ) throws {
    try plan.validate()
    guard encryptedKey.count == Self.encryptedKeySize, mac.count == Self.macSize else {
      throw NFCError(
        .invalidParameter,
        "the encrypted key has \(Self.encryptedKeySize) bytes, the issuer's code \(Self.macSize)")
    }
    self.plan = plan
    self.encryptedKey = encryptedKey
    self.mac = mac
  }
}

/// The issuer's permission to delete a delegated application. It requires no reader.
///
/// It does not become invalid: it deletes any delegated application of this identifier, on every card
/// with the issuer's key.
public struct DESFireDelegatedDeletionAuthorization: Hashable, Sendable {
  /// The application that the issuer permits to delete.
  public let identifier: DESFireApplicationIdentifier
  /// The issuer's code (DAMMAC), 8 bytes.
  public let mac: [UInt8]

  /// Computes the permission, as NXP's reader library does.
  ///
  /// - Parameter macKey: the card's ``DESFireDelegationKey/mac``.
  /// - Throws: ``NFCError/Code/invalidParameter`` for the card itself.
  public init(_ identifier: DESFireApplicationIdentifier, macKey: DESFireKey) throws {
    try self.init(
      identifier,
      mac: macKey.delegationMAC(
        [DESFireCommandCode.deleteApplication.rawValue] + identifier.bytes))
  }

  /// Creates a permission from the code that the issuer has sent.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for another number of bytes, or for the card
  ///   itself.
  public init(_ identifier: DESFireApplicationIdentifier, mac: [UInt8]) throws {
    guard identifier != .card else {
      throw NFCError(.invalidParameter, "000000 is the card itself")
    }
    guard mac.count == DESFireDelegatedApplicationAuthorization.macSize else {
      throw NFCError(
        .invalidParameter,
        "the issuer's code has \(DESFireDelegatedApplicationAuthorization.macSize) bytes")
    }
    self.identifier = identifier
    self.mac = mac
  }
}

/// The memory that a card sets aside for delegated applications, one after the other.
public struct DESFireDelegatedSlot: Hashable, Sendable {
  /// The number of the slot.
  public var number: UInt16
  /// The version of the latest application in the slot.
  public var version: UInt8
  /// The size of the slot, in blocks.
  public var quota: Int
  /// The number of blocks that the application does not use.
  public var freeBlocks: Int
  /// The application in the slot; `nil` if the latest one was deleted.
  public var application: DESFireApplicationIdentifier?

  /// The number of bytes in a block.
  public static let blockSize = 32
  static let answerSize = 8
}

extension DESFireDelegatedSlot {
  /// Decodes the answer to GetDelegatedInfo. Proxmark3, NXP's reader library and libnxpsc agree on it;
  /// SpringCard's sample has the identifier first.
  init(_ number: UInt16, _ answer: [UInt8]) throws {
    var reader = ByteReader(answer)
    self.number = number
    version = try reader.byte()
    quota = Int(littleEndian: try reader.bytes(2))
    freeBlocks = Int(littleEndian: try reader.bytes(2))
    let identifier = DESFireApplicationIdentifier(try reader.bytes(3)[...])
    application = identifier == .card ? nil : identifier
  }
}

extension DESFireKey {
  /// Returns a code made with the card's key for MACs: for AES every second byte of the CMAC, as for
  /// secure messaging, and for DES all eight (Proxmark3; NXP's reader library).
  fileprivate func delegationMAC(_ message: [UInt8]) throws -> [UInt8] {
    let code = try cipher.authenticationCode(message)
    return kind == .aes ? TransactionCode.truncated(code) : code
  }
}
