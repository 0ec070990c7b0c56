import SwiftNFCCore

/// The protection that the memory of an ICODE SLIX2, SLIX-S or SLI-S is to get. No description shows a password.
public struct ICODEProtection: Sendable {
  /// The new read and write passwords.
  public var passwords: ICODEPasswords
  /// The first block that requires a password; all later blocks do too, except a SLIX2's counter. In a SLIX-S or
  /// SLI-S it is the first block of a page; see ``ICODEPage``.
  public var firstBlock: Int
  /// Whether reading requires a password as well as writing.
  public var protectsReading: Bool
  /// LOCK PAGE PROTECTION: which blocks require a password can never be changed again. **Cannot be
  /// undone.**
  public var locksProtection: Bool
  /// 64-BIT PASSWORD PROTECTION: what requires one of the two passwords will require both. **Cannot
  /// be undone.**
  public var needsBothPasswords: Bool

  /// Creates a protection. By default it covers the whole memory, protects only writing, and can be
  /// removed.
  public init(
    passwords: ICODEPasswords, firstBlock: Int = 0, protectsReading: Bool = false,
    locksProtection: Bool = false, needsBothPasswords: Bool = false
  ) {
    self.passwords = passwords
    self.firstBlock = firstBlock
    self.protectsReading = protectsReading
    self.locksProtection = locksProtection
    self.needsBothPasswords = needsBothPasswords
  }

  /// The passwords that the protected blocks require.
  var part: ICODEInformation.Part { ICODEInformation.Part(read: protectsReading, write: true) }

  var division: ICODEInformation.Division {
    ICODEInformation.Division(pointer: firstBlock, lowPart: .open, highPart: part)
  }
}

/// The read and the write password of an ICODE chip, 4 bytes each.
public struct ICODEPasswords: Hashable, Sendable {
  /// The password for reading.
  public var read: SecretKey
  /// The password for writing.
  public var write: SecretKey

  /// Creates a pair of passwords.
  public init(read: SecretKey, write: SecretKey) {
    self.read = read
    self.write = write
  }

  /// Creates a pair of equal passwords.
  public init(_ password: SecretKey) {
    self.init(read: password, write: password)
  }

  /// The passwords on delivery.
  public static var factory: ICODEPasswords {
    ICODEPasswords(
      read: ICODETag.factoryPassword(.read), write: ICODETag.factoryPassword(.write))
  }

  subscript(use: ICODETag.Password) -> SecretKey {
    get { use == .read ? read : write }
    set { if use == .read { read = newValue } else { write = newValue } }
  }

  /// The two passwords of the memory, in the order in which they are presented and written.
  static let uses = [ICODETag.Password.read, .write]

  /// Compares each password in constant time.
  public static func == (left: ICODEPasswords, right: ICODEPasswords) -> Bool {
    left.read == right.read && left.write == right.write
  }

  /// Equal passwords have equal hashes, which do not depend on the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(read.count + write.count) }
}
