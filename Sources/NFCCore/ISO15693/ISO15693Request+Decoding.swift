extension ISO15693Request {
  /// Reads a frame, flags first, without its check, as a tag does.
  ///
  /// - Throws: `malformedContent` with the byte where the frame ends too early or is too long, or
  ///   for flags that contradict each other.
  package init(decoding frame: [UInt8]) throws {
    var rest = Fields(frame)
    let flags = ISO15693RequestFlags(rawValue: try rest.byte())
    let code = try rest.byte()
    if flags.contains(.inventory) {
      guard code == ISO15693CommandCode.inventory else {
        // Makers' inventories have their own parameters.
        self.init(raw: flags, .other(code: code, parameters: rest.remainder()), uid: nil)
        return
      }
      let command = try Self.inventory(flags, &rest)
      self.init(raw: flags, command, uid: nil)
    } else {
      guard !flags.isSuperset(of: [.select, .address]), code != ISO15693CommandCode.inventory
      else {
        throw NFCError(
          .malformedContent, "the request's flags contradict its content", place: .offset(0))
      }
      let manufacturer =
        ISO15693CommandCode.custom.contains(code) ? try rest.byte() : 0
      let uid = flags.contains(.address) ? try rest.bytes(Self.uidLength) : nil
      let command = try Self.command(code, manufacturer, flags, &rest)
      self.init(raw: flags, command, uid: uid.map { $0.reversed() })
    }
    try rest.checkEnd()
  }

  private init(raw flags: ISO15693RequestFlags, _ command: ISO15693Command, uid: [UInt8]?) {
    self.flags = flags
    self.command = command
    self.uid = uid
  }

  private static func inventory(
    _ flags: ISO15693RequestFlags, _ rest: inout Fields
  ) throws -> ISO15693Command {
    let afi = flags.contains(.inventoryAFI) ? try rest.byte() : nil
    let length = Int(try rest.byte())
    guard length <= (flags.contains(.inventoryOneSlot) ? 64 : 60) else {
      throw NFCError(.malformedContent, "the mask is too long", place: .offset(rest.position - 1))
    }
    let bytes = try rest.bytes((length + 7) / 8)
    let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return .inventory(afi: afi, mask: ISO15693InventoryMask(length: length, value: value))
  }

  private static func command(
    _ code: UInt8, _ manufacturer: UInt8, _ flags: ISO15693RequestFlags, _ rest: inout Fields
  ) throws -> ISO15693Command {
    typealias Code = ISO15693CommandCode
    let isWide = flags.contains(.protocolExtension)
    switch code {
    case Code.stayQuiet: return .stayQuiet
    case Code.readSingleBlock: return .readSingleBlock(try rest.number(isWide))
    case Code.writeSingleBlock:
      return .writeSingleBlock(try rest.number(isWide), data: rest.remainder())
    case Code.lockBlock: return .lockBlock(try rest.number(isWide))
    case Code.readMultipleBlocks: return .readMultipleBlocks(try rest.run(isWide))
    case Code.writeMultipleBlocks:
      return .writeMultipleBlocks(try rest.run(isWide), data: rest.remainder())
    case Code.select: return .select
    case Code.resetToReady: return .resetToReady
    case Code.writeAFI: return .writeAFI(try rest.byte())
    case Code.lockAFI: return .lockAFI
    case Code.writeDSFID: return .writeDSFID(try rest.byte())
    case Code.lockDSFID: return .lockDSFID
    case Code.getSystemInformation: return .getSystemInformation
    case Code.getMultipleBlockSecurityStatus:
      return .getMultipleBlockSecurityStatus(try rest.run(isWide))
    case Code.fastReadMultipleBlocks: return .fastReadMultipleBlocks(try rest.run(isWide))
    case Code.extendedReadSingleBlock: return .extendedReadSingleBlock(try rest.number(true))
    case Code.extendedWriteSingleBlock:
      return .extendedWriteSingleBlock(try rest.number(true), data: rest.remainder())
    case Code.extendedLockBlock: return .extendedLockBlock(try rest.number(true))
    case Code.extendedReadMultipleBlocks:
      return .extendedReadMultipleBlocks(try rest.extendedRun())
    case Code.extendedWriteMultipleBlocks:
      return .extendedWriteMultipleBlocks(try rest.extendedRun(), data: rest.remainder())
    case Code.extendedGetSystemInformation:
      return .extendedGetSystemInformation(
        ISO15693SystemInformationFields(rawValue: try rest.byte()))
    case Code.extendedGetMultipleBlockSecurityStatus:
      return .extendedGetMultipleBlockSecurityStatus(try rest.extendedRun())
    case Code.extendedFastReadMultipleBlocks:
      return .extendedFastReadMultipleBlocks(try rest.extendedRun())
    case Code.authenticate:
      return .authenticate(cryptoSuite: try rest.byte(), message: rest.remainder())
    case Code.keyUpdate:
      return .keyUpdate(keyIdentifier: try rest.byte(), message: rest.remainder())
    case Code.challenge:
      return .challenge(cryptoSuite: try rest.byte(), message: rest.remainder())
    case Code.readBuffer: return .readBuffer
    case Code.custom:
      return .custom(code: code, manufacturer: manufacturer, parameters: rest.remainder())
    default:
      return .other(code: code, parameters: rest.remainder())
    }
  }
}

/// Reads the fields of a frame from its beginning, least significant byte first.
struct Fields {
  private let frame: [UInt8]
  private(set) var position = 0

  init(_ frame: [UInt8]) { self.frame = frame }

  var isAtEnd: Bool { position >= frame.count }

  mutating func byte() throws -> UInt8 {
    guard position < frame.count else { throw tooShort }
    defer { position += 1 }
    return frame[position]
  }

  mutating func bytes(_ count: Int) throws -> [UInt8] {
    guard count >= 0, count <= frame.count - position else { throw tooShort }
    defer { position += count }
    return Array(frame[position..<(position + count)])
  }

  mutating func remainder() -> [UInt8] {
    defer { position = frame.count }
    return Array(frame.dropFirst(position))
  }

  mutating func number(_ isWide: Bool) throws -> UInt16 {
    let low = UInt16(try byte())
    return isWide ? low | UInt16(try byte()) << 8 : low
  }

  mutating func run(_ isWide: Bool) throws -> ISO15693BlockRange {
    ISO15693BlockRange(first: try number(isWide), countLessOne: UInt16(try byte()))
  }

  mutating func extendedRun() throws -> ISO15693BlockRange {
    ISO15693BlockRange(first: try number(true), countLessOne: try number(true))
  }

  func checkEnd() throws {
    guard isAtEnd else {
      throw NFCError(.malformedContent, "the frame is too long", place: .offset(position))
    }
  }

  private var tooShort: NFCError {
    NFCError(.malformedContent, "the frame is too short", place: .offset(frame.count))
  }
}
