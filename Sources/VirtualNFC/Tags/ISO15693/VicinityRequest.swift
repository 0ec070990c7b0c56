/// A request that a vicinity chip has received: flags, command, maker's code, UID, parameters (ISO/IEC
/// 15693-3, 7.3 and 10).
///
/// It is written from the standard and the data sheets and shares nothing with the library's side of the
/// protocol, because no other program's tags can verify that.
struct VicinityRequest: Hashable, Sendable {
  let flags: VicinityFlags
  let code: UInt8
  let command: VicinityCommand
  /// The UID, most significant byte first; `nil` in a request that is not addressed.
  let uid: [UInt8]?

  /// Creates a request from its head.
  init(head code: UInt8, flags: VicinityFlags, uid: [UInt8]?) {
    self.flags = flags
    self.code = code
    self.uid = uid
    command = .other(parameters: [])
  }

  /// Parses a request.
  ///
  /// - Parameter frame: a frame without its check bytes.
  /// - Returns: `nil` for a frame that is too short, too long, or contradictory.
  init?(_ frame: [UInt8]) {
    var bytes = frame[...]
    guard let first = bytes.popFirst(), let code = bytes.popFirst() else { return nil }
    let flags = VicinityFlags(rawValue: first)
    self.flags = flags
    self.code = code
    if flags.contains(.inventory) {
      uid = nil
      if code == VicinityCommandCode.inventory {
        guard let command = Self.inventory(flags, &bytes) else { return nil }
        self.command = command
      } else {
        // Custom inventories have their own parameters.
        command = .other(parameters: Self.rest(of: &bytes))
      }
    } else {
      guard !flags.isSuperset(of: [.select, .address]), code != VicinityCommandCode.inventory
      else { return nil }
      var manufacturer: UInt8?
      if VicinityCommandCode.custom.contains(code) {
        guard let byte = bytes.popFirst() else { return nil }
        manufacturer = byte
      }
      if flags.contains(.address) {
        guard let uid = Self.take(8, from: &bytes) else { return nil }
        self.uid = uid.reversed()
      } else {
        uid = nil
      }
      guard
        let command = Self.command(code, manufacturer, flags.contains(.protocolExtension), &bytes)
      else { return nil }
      self.command = command
    }
    guard bytes.isEmpty else { return nil }
  }

  private static func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  private static func rest(of bytes: inout ArraySlice<UInt8>) -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }

  /// Returns a number of one byte or two, least significant first.
  private static func number(isWide: Bool, _ bytes: inout ArraySlice<UInt8>) -> Int? {
    take(isWide ? 2 : 1, from: &bytes).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
  }

  /// Parses the parameters of an inventory: AFI if its flag is set, the mask's length in bits, and the
  /// bytes of the mask (10.3.1).
  private static func inventory(
    _ flags: VicinityFlags, _ bytes: inout ArraySlice<UInt8>
  ) -> VicinityCommand? {
    var afi: UInt8 = 0
    if flags.contains(.inventoryAFI) {
      guard let byte = bytes.popFirst() else { return nil }
      afi = byte
    }
    // With 16 slots, the mask must leave four bits of the UID.
    guard let length = bytes.popFirst().map(Int.init),
      length <= (flags.contains(.inventoryOneSlot) ? 64 : 60),
      let mask = take((length + 7) / 8, from: &bytes)
    else { return nil }
    return .inventory(afi: afi, VicinityMask(length: length, bytes: mask))
  }

  private static func command(
    _ code: UInt8, _ manufacturer: UInt8?, _ isWide: Bool, _ bytes: inout ArraySlice<UInt8>
  ) -> VicinityCommand? {
    typealias Code = VicinityCommandCode
    /// Parses the first block number and the number of blocks minus one.
    func run(isWide: Bool, isCountWide: Bool) -> Range<Int>? {
      guard let first = number(isWide: isWide, &bytes),
        let more = number(isWide: isCountWide, &bytes)
      else { return nil }
      return first..<(first + more + 1)
    }
    func one(isWide: Bool) -> Range<Int>? {
      number(isWide: isWide, &bytes).map { $0..<($0 + 1) }
    }
    switch code {
    case Code.stayQuiet: return .stayQuiet
    case Code.select: return .select
    case Code.resetToReady: return .resetToReady
    case Code.readSingleBlock: return one(isWide: isWide).map { .read($0, isRun: false) }
    case Code.extendedReadSingleBlock: return one(isWide: true).map { .read($0, isRun: false) }
    case Code.readMultipleBlocks, Code.fastReadMultipleBlocks:
      return run(isWide: isWide, isCountWide: false).map { .read($0, isRun: true) }
    case Code.extendedReadMultipleBlocks, Code.extendedFastReadMultipleBlocks:
      return run(isWide: true, isCountWide: true).map { .read($0, isRun: true) }
    case Code.writeSingleBlock:
      return one(isWide: isWide).map { .write($0, rest(of: &bytes), isRun: false) }
    case Code.extendedWriteSingleBlock:
      return one(isWide: true).map { .write($0, rest(of: &bytes), isRun: false) }
    case Code.writeMultipleBlocks:
      return run(isWide: isWide, isCountWide: false).map {
        .write($0, rest(of: &bytes), isRun: true)
      }
    case Code.extendedWriteMultipleBlocks:
      return run(isWide: true, isCountWide: true).map { .write($0, rest(of: &bytes), isRun: true) }
    case Code.lockBlock: return number(isWide: isWide, &bytes).map { .lock($0) }
    case Code.extendedLockBlock: return number(isWide: true, &bytes).map { .lock($0) }
    case Code.getMultipleBlockSecurityStatus:
      return run(isWide: isWide, isCountWide: false).map { .securityStatus($0) }
    case Code.extendedGetMultipleBlockSecurityStatus:
      return run(isWide: true, isCountWide: true).map { .securityStatus($0) }
    case Code.writeAFI: return bytes.popFirst().map { .writeAFI($0) }
    case Code.lockAFI: return .lockAFI
    case Code.writeDSFID: return bytes.popFirst().map { .writeDSFID($0) }
    case Code.lockDSFID: return .lockDSFID
    case Code.getSystemInformation: return .systemInformation
    case Code.extendedGetSystemInformation:
      return bytes.popFirst().map { .extendedSystemInformation(wanted: $0) }
    case Code.custom:
      return manufacturer.map { .custom(manufacturer: $0, parameters: rest(of: &bytes)) }
    default: return .other(parameters: rest(of: &bytes))
    }
  }
}

/// A command in a form for chips, which is the same for its ordinary and its extended form.
enum VicinityCommand: Hashable, Sendable {
  case inventory(afi: UInt8, VicinityMask)
  case stayQuiet, select, resetToReady
  /// - isRun: whether this is the form for several blocks, of which a chip accepts a limited number.
  case read(Range<Int>, isRun: Bool)
  case write(Range<Int>, [UInt8], isRun: Bool)
  case lock(Int)
  case securityStatus(Range<Int>)
  case writeAFI(UInt8), lockAFI, writeDSFID(UInt8), lockDSFID
  case systemInformation
  case extendedSystemInformation(wanted: UInt8)
  case custom(manufacturer: UInt8, parameters: [UInt8])
  case other(parameters: [UInt8])

  /// Whether the command changes the memory. With the option flag, the chip answers such a command after
  /// another end of frame (10.4.2).
  var changesMemory: Bool {
    switch self {
    case .write, .lock, .writeAFI, .lockAFI, .writeDSFID, .lockDSFID: true
    default: false
    }
  }
}

/// The first byte of a request (ISO/IEC 15693-3, tables 3 to 5).
struct VicinityFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let highDataRate = VicinityFlags(rawValue: 0x02)
  static let inventory = VicinityFlags(rawValue: 0x04)
  static let protocolExtension = VicinityFlags(rawValue: 0x08)
  static let select = VicinityFlags(rawValue: 0x10)
  static let address = VicinityFlags(rawValue: 0x20)
  static let option = VicinityFlags(rawValue: 0x40)
  /// Bit 8, reserved.
  static let reserved = VicinityFlags(rawValue: 0x80)
  /// The AFI flag. In an inventory, bits 5 and 6 have a different meaning.
  static let inventoryAFI = VicinityFlags(rawValue: 0x10)
  static let inventoryOneSlot = VicinityFlags(rawValue: 0x20)
}

/// The second byte of a request (ISO/IEC 15693-3, table 9; 30 to 3D in the edition of 2018).
enum VicinityCommandCode {
  static let inventory: UInt8 = 0x01
  static let stayQuiet: UInt8 = 0x02
  static let readSingleBlock: UInt8 = 0x20
  static let writeSingleBlock: UInt8 = 0x21
  static let lockBlock: UInt8 = 0x22
  static let readMultipleBlocks: UInt8 = 0x23
  static let writeMultipleBlocks: UInt8 = 0x24
  static let select: UInt8 = 0x25
  static let resetToReady: UInt8 = 0x26
  static let writeAFI: UInt8 = 0x27
  static let lockAFI: UInt8 = 0x28
  static let writeDSFID: UInt8 = 0x29
  static let lockDSFID: UInt8 = 0x2A
  static let getSystemInformation: UInt8 = 0x2B
  static let getMultipleBlockSecurityStatus: UInt8 = 0x2C
  static let fastReadMultipleBlocks: UInt8 = 0x2D
  static let extendedReadSingleBlock: UInt8 = 0x30
  static let extendedWriteSingleBlock: UInt8 = 0x31
  static let extendedLockBlock: UInt8 = 0x32
  static let extendedReadMultipleBlocks: UInt8 = 0x33
  static let extendedWriteMultipleBlocks: UInt8 = 0x34
  static let authenticate: UInt8 = 0x35
  static let extendedGetSystemInformation: UInt8 = 0x3B
  static let extendedGetMultipleBlockSecurityStatus: UInt8 = 0x3C
  static let extendedFastReadMultipleBlocks: UInt8 = 0x3D
  /// Custom commands, in which the maker's code follows.
  static let custom: ClosedRange<UInt8> = 0xA0...0xDF
}

/// The error code after the error flag (ISO/IEC 15693-3, table 8; 15 is from ST's data sheets).
enum VicinityErrorCode: UInt8, Hashable, Sendable {
  case commandNotSupported = 0x01
  case commandNotRecognized = 0x02
  case optionNotSupported = 0x03
  case unknown = 0x0F
  case blockNotAvailable = 0x10
  case alreadyLocked = 0x11
  case locked = 0x12
  case readProtected = 0x15
}

/// The mask of an inventory, which is for labels whose UID ends in these bits (ISO/IEC 15693-3, 8.1).
struct VicinityMask: Hashable, Sendable {
  /// The length in bits, at most 64.
  let length: Int
  private let value: UInt64

  /// - Parameter bytes: least significant byte first; bits beyond the length are ignored.
  init(length: Int = 0, bytes: [UInt8] = []) {
    self.length = min(max(length, 0), 64)
    value = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func matches(_ uid: UInt64) -> Bool {
    // A shift by 64 results in zero.
    (uid ^ value) << UInt64(64 - length) == 0
  }
}
