import SwiftNFCCore

/// The protection that an ICODE SLIX2 reports: GET NXP SYSTEM INFORMATION (SL2S2602 data sheet,
/// 9.5.3.20; the bits as in Flipper Zero, slix.c).
public struct ICODEInformation: Hashable, Sendable {
  /// The passwords that a part of the memory requires.
  public struct Part: Hashable, Sendable {
    /// Reading requires the read password.
    public var read: Bool
    /// Writing requires the write password.
    public var write: Bool

    /// Creates a part, for comparisons.
    public init(read: Bool, write: Bool) {
      self.read = read
      self.write = write
    }

    /// No password is required.
    public static let open = Part(read: false, write: false)
  }

  /// How the memory is divided, and the passwords of its two parts.
  public struct Division: Hashable, Sendable {
    /// The first block of the high part.
    public var pointer: Int
    /// The blocks before ``pointer``.
    public var lowPart: Part
    /// The blocks from ``pointer`` on.
    public var highPart: Part

    /// Creates a division, for comparisons.
    public init(pointer: Int, lowPart: Part, highPart: Part) {
      self.pointer = pointer
      self.lowPart = lowPart
      self.highPart = highPart
    }

    /// No password is required for either part.
    public static let open = Division(pointer: 0, lowPart: .open, highPart: .open)

    /// Whether no part requires a password.
    public var isOpen: Bool { lowPart == .open && highPart == .open }

    /// The parameters of PROTECT PAGE.
    var parameters: [UInt8] {
      [
        UInt8(clamping: pointer),
        (lowPart.read ? Bit.lowRead : 0) | (lowPart.write ? Bit.lowWrite : 0)
          | (highPart.read ? Bit.highRead : 0) | (highPart.write ? Bit.highWrite : 0),
      ]
    }
  }

  private enum Bit {
    static let lowRead: UInt8 = 0x01
    static let lowWrite: UInt8 = 0x02
    static let highRead: UInt8 = 0x10
    static let highWrite: UInt8 = 0x20
    static let afi: UInt8 = 0x01
    static let surveillance: UInt8 = 0x02
    static let dsfid: UInt8 = 0x04
    static let protection: UInt8 = 0x08
  }

  /// How the memory is divided.
  public var division: Division
  /// Whether the AFI can never be changed again.
  public var isAFILocked: Bool
  /// Whether the article surveillance can never be turned on or off again.
  public var isSurveillanceLocked: Bool
  /// Whether the DSFID can never be changed again.
  public var isDSFIDLocked: Bool
  /// Whether the passwords that the parts require can never be changed again.
  public var isProtectionLocked: Bool

  /// Decodes an answer; `nil` for fewer than three bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 3 else { return nil }
    division = Division(
      pointer: Int(bytes[0]),
      lowPart: Part(read: bytes[1] & Bit.lowRead != 0, write: bytes[1] & Bit.lowWrite != 0),
      highPart: Part(read: bytes[1] & Bit.highRead != 0, write: bytes[1] & Bit.highWrite != 0))
    isAFILocked = bytes[2] & Bit.afi != 0
    isSurveillanceLocked = bytes[2] & Bit.surveillance != 0
    isDSFIDLocked = bytes[2] & Bit.dsfid != 0
    isProtectionLocked = bytes[2] & Bit.protection != 0
  }
}

extension ICODEInformation.Division: CustomStringConvertible {
  /// A text for people: `none`, or what is required from which block on.
  public var description: String {
    func words(_ part: ICODEInformation.Part, from block: Int) -> String? {
      part == .open ? nil : "\(part) from block \(block) on"
    }
    let low = pointer > 0 ? words(lowPart, from: 0) : nil
    let parts = [low, words(highPart, from: pointer)].compactMap(\.self)
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
