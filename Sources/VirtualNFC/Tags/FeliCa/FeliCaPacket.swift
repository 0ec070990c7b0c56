import SwiftNFCCore

/// The command codes. The code of an answer is the command's plus one (JIS X 6319-4; FeliCa Card User's
/// Manual, excerpted edition, 4.4).
enum FeliCaCommand {
  static let polling: UInt8 = 0x00
  static let requestService: UInt8 = 0x02
  static let requestResponse: UInt8 = 0x04
  static let readWithoutEncryption: UInt8 = 0x06
  static let writeWithoutEncryption: UInt8 = 0x08
  static let searchServiceCode: UInt8 = 0x0A
  static let requestSystemCode: UInt8 = 0x0C
  static let requestServiceV2: UInt8 = 0x32
  static let requestSpecificationVersion: UInt8 = 0x3C
  static let resetMode: UInt8 = 0x3E
}

/// The two status flags of an answer (FeliCa Card User's Manual, excerpted edition, 4.5).
struct FeliCaStatus: Hashable, Sendable {
  /// The reason of an error: status flag 2.
  enum Reason: UInt8, Sendable {
    case illegalNumberOfServices = 0xA1
    case illegalNumberOfBlocks = 0xA2
    case illegalServiceOrder = 0xA3
    case accessNotAllowed = 0xA5
    case illegalServiceCode = 0xA6
    case illegalAccessMode = 0xA7
    case illegalBlockNumber = 0xA8
    case writeFailure = 0xA9
    /// The block list contains both MAC and MAC_A (FeliCa Lite-S).
    case twoKindsOfMAC = 0xB0
    /// The block requires external authentication (FeliCa Lite-S).
    case notAuthenticated = 0xB1
    /// MAC_A is wrong, or RC has not been written (FeliCa Lite-S).
    case wrongMAC = 0xB2
  }

  let flag1: UInt8
  let flag2: UInt8

  static let success = FeliCaStatus(flag1: 0x00, flag2: 0x00)
  /// The data was written, although the memory is worn.
  static let memoryWarning = FeliCaStatus(flag1: 0xFF, flag2: 0x71)

  private init(flag1: UInt8, flag2: UInt8) {
    self.flag1 = flag1
    self.flag2 = flag2
  }

  /// Creates an error that does not belong to an element of the block list.
  init(_ reason: Reason) {
    self.init(flag1: 0xFF, flag2: reason.rawValue)
  }

  /// Creates an error at an element of the block list, counted from 0. Flag 1 has one bit for it; from
  /// the ninth element on, the bits are used again.
  init(_ reason: Reason, at element: Int) {
    self.init(flag1: 1 << UInt8(element % 8), flag2: reason.rawValue)
  }

  var bytes: [UInt8] { [flag1, flag2] }
}

/// The reason why a card does not execute a command.
enum FeliCaRefusal: Error, Hashable {
  /// The packet is malformed, or for another card: there is no answer.
  case silence
  case status(FeliCaStatus)
}

/// One entry of a block list, 2 or 3 bytes (FeliCa Card User's Manual, excerpted edition: Block List).
struct FeliCaBlockListElement: Hashable, Sendable {
  var accessMode: UInt8
  /// The index of the block's service in the service code list.
  var serviceOrder: Int
  var blockNumber: Int

  /// The flag for a block number of one byte; otherwise it has two, least significant first.
  private static let shortElement: UInt8 = 0x80

  /// Parses an element at the beginning of `bytes` and removes it; `nil` if there are too few bytes.
  init?(takingFrom bytes: inout ArraySlice<UInt8>) {
    guard let head = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
    accessMode = head >> 4 & 0x07
    serviceOrder = Int(head & 0x0F)
    blockNumber = Int(low)
    guard head & Self.shortElement == 0 else { return }
    guard let high = bytes.popFirst() else { return nil }
    blockNumber |= Int(high) << 8
  }
}

/// The parameters after the IDm in Read and Write Without Encryption.
struct FeliCaBlockAccess: Hashable, Sendable {
  static let blockSize = 16

  var serviceCodes: [UInt16]
  var elements: [FeliCaBlockListElement]
  /// The data of each element; empty for a read.
  var blocks: [[UInt8]]

  /// - Throws: a status for an unsupported number of services or blocks; silence for a packet whose
  ///   length does not match its numbers.
  init(
    _ parameters: some Sequence<UInt8>, maximumServices: Int, maximumBlocks: Int, isWrite: Bool
  ) throws(FeliCaRefusal) {
    var rest = ArraySlice(Array(parameters))
    guard let serviceCount = rest.popFirst() else { throw .silence }
    guard (1...maximumServices).contains(Int(serviceCount)) else {
      throw .status(FeliCaStatus(.illegalNumberOfServices))
    }
    serviceCodes = []
    for _ in 0..<serviceCount {
      guard let low = rest.popFirst(), let high = rest.popFirst() else { throw .silence }
      serviceCodes.append(UInt16(high) << 8 | UInt16(low))
    }
    guard let blockCount = rest.popFirst() else { throw .silence }
    guard (1...maximumBlocks).contains(Int(blockCount)) else {
      throw .status(FeliCaStatus(.illegalNumberOfBlocks))
    }
    elements = []
    for _ in 0..<blockCount {
      guard let element = FeliCaBlockListElement(takingFrom: &rest) else { throw .silence }
      elements.append(element)
    }
    guard rest.count == (isWrite ? elements.count * Self.blockSize : 0) else { throw .silence }
    blocks = []
    while !rest.isEmpty {
      blocks.append(Array(rest.prefix(Self.blockSize)))
      rest = rest.dropFirst(Self.blockSize)
    }
  }

  /// Returns the code of the service that an element's block belongs to.
  func serviceCode(at index: Int) throws(FeliCaRefusal) -> UInt16 {
    guard elements[index].serviceOrder < serviceCodes.count else {
      throw .status(FeliCaStatus(.illegalServiceOrder, at: index))
    }
    return serviceCodes[elements[index].serviceOrder]
  }
}

/// A system of a card with its identification.
struct FeliCaIdentity: Hashable, Sendable {
  let systemCode: UInt16
  let idm: [UInt8]
}

/// A command packet without LEN and check bytes, parsed as far as it is the same for all cards.
enum FeliCaPacket: Hashable, Sendable {
  case polling(FeliCaPolling)
  /// A command that begins with the IDm of the addressed card.
  case command(code: UInt8, idm: [UInt8], parameters: [UInt8])

  /// Parses a frame; `nil` for frames that a card does not answer.
  private init?(_ frame: RadioFrame) {
    guard frame.modulation == .feliCa, frame.bitRate == 212 || frame.bitRate == 424,
      let payload = frame.checkedPayload, let code = payload.first
    else { return nil }
    if code == FeliCaCommand.polling {
      guard let polling = FeliCaPolling(payload.dropFirst()) else { return nil }
      self = .polling(polling)
      return
    }
    let idmEnd = 1 + FeliCaPolling.idmSize
    guard payload.count >= idmEnd else { return nil }
    self = .command(
      code: code, idm: Array(payload[1..<idmEnd]), parameters: Array(payload[idmEnd...]))
  }

  /// Returns a card's answer: to Polling, that of its first matching system; to a command, that of the
  /// addressed system.
  ///
  /// - Parameter perform: returns the bytes after code and IDm, for a command's code and parameters and
  ///   the index of its system.
  static func answer(
    to frame: RadioFrame, pmm: [UInt8], systems: [FeliCaIdentity],
    _ perform: (_ code: UInt8, _ parameters: [UInt8], _ system: Int) throws(FeliCaRefusal)
      -> [UInt8]
  ) -> RadioFrame? {
    switch FeliCaPacket(frame) {
    case .polling(let polling)?:
      guard let system = systems.first(where: { polling.asks(for: $0.systemCode) }) else {
        return nil
      }
      return .feliCa(
        polling.answer(idm: system.idm, pmm: pmm, systemCode: system.systemCode),
        bitRate: frame.bitRate)
    case .command(let code, let idm, let parameters)?:
      guard let system = systems.firstIndex(where: { $0.idm == idm }) else { return nil }
      let body: [UInt8]
      do throws(FeliCaRefusal) {
        body = try perform(code, parameters, system)
      } catch {
        guard case .status(let status) = error else { return nil }
        body = status.bytes
      }
      return .feliCa([code &+ 1] + idm + body, bitRate: frame.bitRate)
    case nil:
      return nil
    }
  }
}

/// The parameters and the answer of Polling (FeliCa Card User's Manual, excerpted edition, 4.4).
struct FeliCaPolling: Hashable, Sendable {
  static let idmSize = 8

  /// The data that is requested in addition to IDm and PMm.
  private enum RequestCode {
    static let systemCode: UInt8 = 0x01
    static let communicationPerformance: UInt8 = 0x02
  }

  /// The wildcard for a byte of a system code.
  private static let wildcard: UInt8 = 0xFF
  /// The codes for 1, 2, 4, 8 and 16 slots. The behavior of a card for other values is not specified;
  /// here it is silent.
  private static let timeSlotNumbers: [UInt8] = [0x00, 0x01, 0x03, 0x07, 0x0F]
  /// The supported bit rates: 212 and 424 kbit/s, detected automatically by the card.
  private static let communicationPerformance: [UInt8] = [0x00, 0x83]

  private let systemCode: [UInt8]
  private let requestCode: UInt8

  init?(_ parameters: some Collection<UInt8>) {
    let bytes = Array(parameters)
    guard bytes.count == 4, Self.timeSlotNumbers.contains(bytes[3]) else { return nil }
    systemCode = Array(bytes.prefix(2))
    requestCode = bytes[2]
  }

  /// Returns whether Polling requests a card with this system; a byte FF stands for any value.
  func asks(for code: UInt16) -> Bool {
    zip(systemCode, code.bigEndianBytes)
      .allSatisfy { $0 == Self.wildcard || $0 == $1 }
  }

  func answer(idm: [UInt8], pmm: [UInt8], systemCode code: UInt16) -> [UInt8] {
    let answer = [FeliCaCommand.polling + 1] + idm + pmm
    switch requestCode {
    case RequestCode.systemCode: return answer + code.bigEndianBytes
    case RequestCode.communicationPerformance: return answer + Self.communicationPerformance
    default: return answer
    }
  }
}
