/// A page of an ICODE SLIX-S or SLI-S, four blocks with the same protection: GET MULTIPLE BLOCK PROTECTION STATUS
/// (SL2 ICS53/ICS54 data sheet rev. 3.0, 8.1.3.8).
public struct ICODEPage: Hashable, Sendable {
  /// The number of blocks of a page.
  public static let blockCount = 4

  /// The number of the page, from zero.
  public let number: Int
  /// The passwords that the page requires. If it requires only the read password, that is needed for writing,
  /// too.
  public let passwords: ICODEInformation.Part
  /// Whether the passwords that the page requires can never be changed again.
  public let isProtectionLocked: Bool

  /// The blocks of the page.
  public var blocks: Range<Int> {
    number * Self.blockCount..<(number + 1) * Self.blockCount
  }

  /// The bits of a block's status (table 33).
  private enum Bit {
    static let read: UInt8 = 0x02
    static let write: UInt8 = 0x04
    static let lock: UInt8 = 0x08
  }

  /// Creates a page, for comparisons.
  public init(number: Int, passwords: ICODEInformation.Part, isProtectionLocked: Bool = false) {
    self.number = number
    self.passwords = passwords
    self.isProtectionLocked = isProtectionLocked
  }

  /// Decodes the status of one of its blocks.
  private init(number: Int, status: UInt8) {
    self.init(
      number: number,
      passwords: ICODEInformation.Part(
        read: status & Bit.read != 0, write: status & Bit.write != 0),
      isProtectionLocked: status & Bit.lock != 0)
  }

  /// Decodes the status of all blocks, from the first; `nil` if it does not reach the last page.
  static func pages(_ status: [UInt8], count: Int) -> [ICODEPage]? {
    guard status.count > (count - 1) * blockCount else { return nil }
    return (0..<count).map { ICODEPage(number: $0, status: status[$0 * blockCount]) }
  }

  /// The parameters of PROTECT PAGE (table 24).
  static func parameters(_ number: Int, _ passwords: ICODEInformation.Part) -> [UInt8] {
    [UInt8(clamping: number), (passwords.read ? 0x01 : 0) | (passwords.write ? 0x10 : 0)]
  }
}

extension ICODEInformation.Part: CustomStringConvertible {
  /// A text for people: `none`, or what requires a password.
  public var description: String {
    switch (read, write) {
    case (false, false): "none"
    case (false, true): "to write"
    default: "to read and write"
    }
  }
}
