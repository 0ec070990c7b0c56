/// A command of JIS X 6319-4 as a value: how it is sent, and what its answer says.
protocol FeliCaCommand: Sendable {
  associatedtype Answer: Sendable

  /// Command code and parameters, without the length byte and the check.
  var encoded: [UInt8] { get }

  /// Throws `invalidParameter` for values that the command does not allow.
  func validate() throws

  /// Reads the answer, without the length byte and the check.
  func answer(_ bytes: [UInt8]) throws -> Answer
}

extension FeliCaCommand {
  func validate() throws {}
}

/// Command codes; the code of an answer is one more (FeliCa Card User's Manual, excerpted edition,
/// 4.4).
enum FeliCaCommandCode {
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

extension FeliCaCommandCode {
  /// The commands that only ask, whose answer is the same if they are sent twice.
  private static let questions: Set<UInt8> = [
    polling, requestService, requestResponse, readWithoutEncryption, searchServiceCode,
    requestSystemCode,
    requestServiceV2, requestSpecificationVersion,
  ]

  /// Returns the losses after which a command is repeated once. A card may refuse any command with silence.
  static func repeatedAfter(_ command: [UInt8]) -> FrameLoss {
    guard let code = command.first, questions.contains(code) else { return [] }
    return code == readWithoutEncryption && readsOneBlock(command) ? .any : .visible
  }

  /// Cards that are silent for too many blocks answer for one.
  private static func readsOneBlock(_ command: [UInt8]) -> Bool {
    let services = 1 + FeliCaAnswer.identifierSize
    guard services < command.count else { return false }
    let count = services + 1 + 2 * Int(command[services])
    return count < command.count && command[count] == 1
  }
}

/// The common parts of all answers.
enum FeliCaAnswer {
  /// Bytes of IDm, and of PMm.
  static let identifierSize = 8

  /// Returns what follows code and IDm.
  ///
  /// - Throws: `tagResponseError` for the answer to another command, or of another card.
  static func body(of answer: [UInt8], to code: UInt8, idm: [UInt8]) throws -> ArraySlice<UInt8> {
    guard answer.first == code &+ 1 else {
      throw NFCError(.tagResponseError, "the card has answered another command")
    }
    guard answer.dropFirst().starts(with: idm) else {
      throw NFCError(.tagResponseError, "another card has answered")
    }
    return answer.dropFirst(1 + idm.count)
  }

  /// Removes the status flags from the beginning (FeliCa Card User's Manual, excerpted edition,
  /// 4.5). A warning is not an error: the command was carried out.
  ///
  /// - Throws: `tagRefused`, or `notAuthenticated` if the card requires that, with the flags.
  static func takeStatus(from body: inout ArraySlice<UInt8>) throws {
    guard let first = body.popFirst(), let second = body.popFirst() else { throw tooShort }
    guard first == 0 || second == FeliCaStatusFlag.memoryWarning else {
      let needsKey = second == FeliCaStatusFlag.notAuthenticated
      throw NFCError(
        needsKey ? .notAuthenticated : .tagRefused,
        needsKey ? "the card requires authentication first" : "the card has refused the command",
        cause: .statusFlags(flag1: first, flag2: second))
    }
  }

  /// Returns whether an answer with status flags is a refusal.
  static func isRefusal(_ answer: [UInt8]) -> Bool {
    let flags = answer.dropFirst(1 + identifierSize).prefix(2)
    return flags.count == 2 && flags.first != 0 && flags.last != FeliCaStatusFlag.memoryWarning
  }

  static var tooShort: NFCError { NFCError(.tagResponseError, "the card's answer is too short") }
}

/// Values of status flag 2 (FeliCa Card User's Manual, excerpted edition, 4.5; FeliCa Lite-S User's
/// Manual, 4.5).
enum FeliCaStatusFlag {
  /// The command was carried out, although the memory has been written more often than it is
  /// designed for.
  static let memoryWarning: UInt8 = 0x71
  /// The memory could not be written.
  static let memoryError: UInt8 = 0x70
  static let illegalNumberOfBlocks: UInt8 = 0xA2
  static let illegalServiceCode: UInt8 = 0xA6
  static let illegalBlockNumber: UInt8 = 0xA8
  /// FeliCa Lite-S.
  static let notAuthenticated: UInt8 = 0xB1
  /// FeliCa Lite-S.
  static let wrongMAC: UInt8 = 0xB2
}

/// The two codes that say which blocks are meant, and how many.
struct FeliCaBlockList: Hashable, Sendable {
  var serviceCodes: [UInt16]
  var blocks: [FeliCaBlock]

  private static let maximumServices = 16

  /// Number of services, their codes (least significant byte first), number of blocks, the blocks.
  var encoded: [UInt8] {
    var bytes = [UInt8(truncatingIfNeeded: serviceCodes.count)]
    bytes += serviceCodes.flatMap(\.littleEndianBytes)
    bytes.append(UInt8(truncatingIfNeeded: blocks.count))
    for block in blocks { bytes += block.encoded }
    return bytes
  }

  func validate() throws {
    guard (1...Self.maximumServices).contains(serviceCodes.count) else {
      throw NFCError(
        .invalidParameter,
        "a command names 1 to \(Self.maximumServices) services, not "
          + "\(serviceCodes.count)")
    }
    guard (1...0xFF).contains(blocks.count) else {
      throw NFCError(.invalidParameter, "a command names 1 to 255 blocks, not \(blocks.count)")
    }
    guard blocks.allSatisfy({ Int($0.serviceIndex) < serviceCodes.count }) else {
      throw NFCError(
        .invalidParameter, "a block refers to a service that the command does not name")
    }
    guard blocks.allSatisfy({ $0.accessMode <= 0x07 }) else {
      throw NFCError(.invalidParameter, "an access mode is 0 to 7")
    }
  }
}
