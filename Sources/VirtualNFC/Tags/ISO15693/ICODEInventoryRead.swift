import SwiftNFCCore

/// The parameters of INVENTORY READ and FAST INVENTORY READ: an inventory whose answers contain blocks of
/// the memory.
///
/// Source: data sheets SL2S2002 rev. 3.4, 9.4.3.5, and SL2S2602 rev. 4.1, 9.5.3.10.
struct ICODEInventoryRead: Hashable, Sendable {
  /// The extended options of SLIX2 (SL2S2602 data sheet, tables 47 and 48).
  struct Options: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// Only labels with active article surveillance answer.
    static let surveillance = Options(rawValue: 0x01)
    /// The answer contains the complete UID.
    static let wholeUID = Options(rawValue: 0x02)
    /// No blocks are requested, and no block numbers follow.
    static let skipData = Options(rawValue: 0x10)
    /// The label enters the state Quiet after its answer.
    static let quiet = Options(rawValue: 0x20)
    /// The label stays quiet permanently after its answer. With ``quiet``, only labels that are
    /// persistently quiet already answer.
    static let persistentQuiet = Options(rawValue: 0x40)
  }

  let afi: UInt8
  let mask: VicinityMask
  /// The extended options; `nil` in the regular mode.
  let options: Options?
  /// The requested blocks; `nil` if there are none.
  let blocks: Range<Int>?
  private let isForOneSlot: Bool
  private let hasOptionFlag: Bool

  /// The bit of the mask's length that announces extended options.
  private static let extendedBit: UInt8 = 0x80

  /// Parses the parameters; `nil` if they are too short, too long, or have a mask that is too long.
  ///
  /// - Parameter parameters: the bytes after the maker's code.
  init?(_ parameters: [UInt8], _ flags: VicinityFlags) {
    var rest = parameters[...]
    func take(_ count: Int) -> [UInt8]? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    isForOneSlot = flags.contains(.inventoryOneSlot)
    hasOptionFlag = flags.contains(.option)
    guard let afi = flags.contains(.inventoryAFI) ? take(1)?[0] : 0, let field = take(1)?[0]
    else { return nil }
    self.afi = afi
    let length = Int(field & ~Self.extendedBit)
    guard length <= (isForOneSlot ? 64 : 60) else { return nil }
    if field & Self.extendedBit != 0 {
      guard let byte = take(1)?[0] else { return nil }
      options = Options(rawValue: byte)
    } else {
      options = nil
    }
    guard let bytes = take((length + 7) / 8) else { return nil }
    mask = VicinityMask(length: length, bytes: bytes)
    if options?.contains(.skipData) == true {
      blocks = nil
    } else {
      guard let run = take(2) else { return nil }
      blocks = Int(run[0])..<(Int(run[0]) + Int(run[1]) + 1)
    }
    guard rest.isEmpty else { return nil }
  }

  /// Returns the part of the UID in the answer, least significant byte first: the bytes with bits that
  /// neither mask nor slot determine.
  ///
  /// - Parameter uid: most significant byte first.
  func answeredUID(_ uid: [UInt8]) -> [UInt8] {
    if options?.contains(.wholeUID) == true { return uid.reversed() }
    guard hasOptionFlag else { return [] }
    let slotBits = isForOneSlot ? 0 : 4
    return Array(uid.reversed().dropFirst((mask.length + slotBits) / 8))
  }
}
