/// A request to vicinity tags: flags, command, address, parameters (ISO/IEC 15693-3, 7.3).
///
/// Frames do not contain the check bytes, which the reader adds.
public struct ISO15693Request: Hashable, Sendable {
  /// The first byte of the request, with the flags that the command and the UID need.
  public var flags: ISO15693RequestFlags
  /// The command and its parameters.
  public var command: ISO15693Command
  /// The UID of an addressed request, 8 bytes, most significant (E0) first. It is sent over the air
  /// in reverse order.
  public var uid: [UInt8]?

  /// - Parameters:
  ///   - flags: the flags; those that the command or the UID requires are added.
  ///   - uid: 8 bytes, most significant first; `nil` for a request that is not addressed.
  public init(
    _ command: ISO15693Command, flags: ISO15693RequestFlags = .highDataRate, uid: [UInt8]? = nil
  ) {
    self.command = command
    self.uid = uid
    self.flags = flags
    if case .inventory(let afi, _) = command {
      self.flags.insert(.inventory)
      if afi != nil { self.flags.insert(.inventoryAFI) }
    } else if uid != nil {
      self.flags.insert(.address)
    }
  }

  static let uidLength = 8

  // MARK: Encoding

  /// Returns the frame, flags first.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for flags that contradict the command or each
  ///   other, a block number that does not fit into its field, or a custom command outside A0 to
  ///   DF.
  public func encoded() throws -> [UInt8] {
    try checkFlags()
    var frame = [flags.rawValue, command.code]
    if case .custom(let code, let manufacturer, _) = command {
      guard ISO15693CommandCode.custom.contains(code) else {
        throw NFCError(.invalidParameter, "a custom command has a code from A0 to DF")
      }
      frame.append(manufacturer)
    }
    if let uid { frame += uid.reversed() }
    return frame + (try parameters())
  }

  private func checkFlags() throws {
    if case .inventory(let afi, let mask) = command {
      guard flags.contains(.inventory), flags.contains(.inventoryAFI) == (afi != nil), uid == nil
      else {
        throw NFCError(.invalidParameter, "the request's flags are not valid for an inventory")
      }
      // 16 slots use the next four bits of the UID (ISO/IEC 15693-3, 8.1).
      guard flags.contains(.inventoryOneSlot) || mask.length <= 60 else {
        throw NFCError(.invalidParameter, "a mask for 16 slots has at most 60 bits")
      }
      return
    }
    if flags.contains(.inventory) {
      // Makers have their own inventories, whose parameters are passed unchanged.
      guard case .other = command, uid == nil else {
        throw NFCError(.invalidParameter, "the inventory flag is only for an inventory")
      }
      return
    }
    guard !flags.isSuperset(of: [.select, .address]) else {
      throw NFCError(
        .invalidParameter, "a request is for the selected or an addressed tag, not both")
    }
    guard flags.contains(.address) == (uid != nil), uid.map({ $0.count == Self.uidLength }) ?? true
    else {
      throw NFCError(
        .invalidParameter, "an addressed request needs a UID of 8 bytes, others have none")
    }
  }

  private func parameters() throws -> [UInt8] {
    let isWide = flags.contains(.protocolExtension)
    switch command {
    case .inventory(let afi, let mask):
      let bytes = (0..<((mask.length + 7) / 8)).map {
        UInt8(truncatingIfNeeded: mask.value >> UInt64($0 * 8))
      }
      return (afi.map { [$0] } ?? []) + [UInt8(mask.length)] + bytes
    case .stayQuiet, .select, .resetToReady, .lockAFI, .lockDSFID, .getSystemInformation,
      .readBuffer:
      return []
    case .readSingleBlock(let block), .lockBlock(let block):
      return try number(block, isWide: isWide)
    case .writeSingleBlock(let block, let data):
      return try number(block, isWide: isWide) + data
    case .readMultipleBlocks(let range), .getMultipleBlockSecurityStatus(let range),
      .fastReadMultipleBlocks(let range):
      return try run(range, isWide: isWide)
    case .writeMultipleBlocks(let range, let data):
      return try run(range, isWide: isWide) + data
    case .extendedReadSingleBlock(let block), .extendedLockBlock(let block):
      return try number(block, isWide: true)
    case .extendedWriteSingleBlock(let block, let data):
      return try number(block, isWide: true) + data
    case .extendedReadMultipleBlocks(let range),
      .extendedGetMultipleBlockSecurityStatus(let range),
      .extendedFastReadMultipleBlocks(let range):
      return try extendedRun(range)
    case .extendedWriteMultipleBlocks(let range, let data):
      return try extendedRun(range) + data
    case .writeAFI(let value), .writeDSFID(let value):
      return [value]
    case .extendedGetSystemInformation(let fields):
      return [fields.rawValue]
    case .authenticate(let suite, let message), .challenge(let suite, let message):
      return [suite] + message
    case .keyUpdate(let key, let message):
      return [key] + message
    case .custom(_, _, let parameters), .other(_, let parameters):
      return parameters
    }
  }

  private func number(_ block: UInt16, isWide: Bool) throws -> [UInt8] {
    if isWide { return littleEndian(block) }
    guard let byte = UInt8(exactly: block) else {
      throw NFCError(
        .invalidParameter, "block numbers above 255 need an extended command",
        place: .block(Int(block)))
    }
    return [byte]
  }

  /// Returns a run in an ordinary command: the count has one byte, however wide the number is
  /// (M24LR64-R data sheet, 26.5).
  private func run(_ range: ISO15693BlockRange, isWide: Bool) throws -> [UInt8] {
    guard let count = UInt8(exactly: range.count - 1) else {
      throw NFCError(.invalidParameter, "more than 256 blocks need an extended command")
    }
    return try number(range.first, isWide: isWide) + [count]
  }

  private func extendedRun(_ range: ISO15693BlockRange) throws -> [UInt8] {
    guard let count = UInt16(exactly: range.count - 1) else {
      throw NFCError(.invalidParameter, "a command is for at most 65536 blocks")
    }
    return littleEndian(range.first) + littleEndian(count)
  }

  private func littleEndian(_ value: UInt16) -> [UInt8] {
    [UInt8(value & 0xFF), UInt8(value >> 8)]
  }
}
