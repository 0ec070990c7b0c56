import SwiftNFCCore

/// The way in which a reader without transparent sessions accepts commands for the ISO/IEC 15693
/// tag that it has found.
///
/// A dialect is chosen by the reader's name and confirmed by a command that changes nothing,
/// because the same bytes have different meanings for different makers.
protocol VicinityDialect {
  /// Sends an APDU to the reader and returns its answer.
  typealias Transmit = (_ command: [UInt8]) throws -> [UInt8]

  /// The UID of the tag that the reader has found, most significant byte first.
  var uid: [UInt8] { get }
  /// The commands that the reader can transmit.
  var commandPath: CommandPath { get }
  /// The length of the longest frame to or from the tag, without the check bytes.
  var maximumCommandLength: Int { get }
  var maximumResponseLength: Int { get }

  /// Finds out whether the reader has this dialect, using commands that change nothing on the tag.
  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation

  /// Sends a request to the tag.
  ///
  /// - Parameter frame: the request, flags first, without the check bytes.
  /// - Returns: the outcome, with the flags of an answer; `nil` if the reader cannot send this
  ///   request. Nothing was sent then.
  mutating func carry(_ frame: [UInt8], by transmit: Transmit) throws -> ExchangeOutcome?

  /// Restores the state of the reader before ``confirm(by:)``.
  mutating func close(by transmit: Transmit) throws
}

extension VicinityDialect {
  func close(by transmit: Transmit) {}

  var maximumCommandLength: Int { 255 }
  /// 256 bytes less the status word. Longer answers are not known to work.
  var maximumResponseLength: Int { 254 }

  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation {
    try confirmByQuestions(transmit)
  }

  /// Sends the tag two commands that change nothing.
  mutating func confirmByQuestions(_ transmit: Transmit) throws -> DialectConfirmation {
    var isSilent = false
    for command: ISO15693Command in [.getSystemInformation, .readSingleBlock(0)] {
      let frame = try ISO15693Request(command, uid: uid).encoded()
      switch try carry(frame, by: transmit) {
      case .answer(let answer)?:
        let response = try ISO15693Response(decoding: answer)
        if response.errorCode == nil, response.reports(command) { return .present }
      case .noAnswer?, .broken?: isSilent = true
      case .refused?, .unknown?, .malformed?, nil: continue
      }
    }
    return isSilent ? .silent : .absent
  }

  /// Returns whether the tag reports another UID than the expected one.
  mutating func isContradicted(by transmit: Transmit) throws -> Bool {
    let frame = try ISO15693Request(.getSystemInformation, uid: uid).encoded()
    guard case .answer(let answer)? = try carry(frame, by: transmit),
      let payload = try? ISO15693Response(decoding: answer).checkedPayload(),
      let reported = try? ISO15693SystemInformation(decoding: payload, form: .ordinary)
    else { return false }
    return reported.uid != uid
  }
}

/// What a dialect has found out about a reader.
enum DialectConfirmation {
  /// The reader has the dialect.
  case present
  /// The reader does not have the dialect.
  case absent
  /// The tag was silent, which proves nothing about the reader.
  case silent
}

extension ISO15693Response {
  /// Returns whether this can be the answer to a command.
  fileprivate func reports(_ question: ISO15693Command) -> Bool {
    guard case .getSystemInformation = question else { return !payload.isEmpty }
    return (try? ISO15693SystemInformation(decoding: payload, form: .ordinary)) != nil
  }
}

/// A dialect in which the reader adds flags, UID and check bytes itself. A request therefore has to
/// be a single command, and it reaches only the tag that the reader has found.
protocol VicinityCommandDialect: VicinityDialect {
  /// Sends a command to the tag.
  ///
  /// - Parameter hasOption: whether the request has the option flag.
  /// - Returns: the same as ``VicinityDialect/carry(_:by:)``, but an answer has no flags.
  mutating func carry(
    _ command: ISO15693Command, hasOption: Bool, by transmit: Transmit
  ) throws -> ExchangeOutcome?
}

extension VicinityCommandDialect {
  mutating func carry(_ frame: [UInt8], by transmit: Transmit) throws -> ExchangeOutcome? {
    guard let request = try? ISO15693Request(decoding: frame),
      request.flags.isDisjoint(with: [.inventory, .protocolExtension, .dualSubCarriers]),
      request.uid.map({ $0 == uid }) ?? true
    else { return nil }
    let outcome = try carry(
      request.command, hasOption: request.flags.contains(.option), by: transmit)
    // The reader does not pass on the flags of an answer.
    let full = outcome?.mapAnswer { ISO15693Response(payload: $0).encoded }
    return request.command.isWriteAlike ? full?.asWriteOutcome : full
  }
}

extension ISO15693Command {
  /// The command code, the maker's code of a custom command, and the parameters, as in a frame;
  /// `nil` if they do not fit into one.
  var body: [UInt8]? {
    (try? ISO15693Request(self).encoded()).map { Array($0.dropFirst()) }
  }

  /// The block that the command reads if it reads exactly one, for both sizes of block number.
  var blockToRead: UInt16? {
    switch self {
    case .readSingleBlock(let block), .extendedReadSingleBlock(let block): block
    default: nil
    }
  }

  /// The block that the command writes if it writes exactly one, for both sizes of block number.
  var blockToWrite: (number: UInt16, data: [UInt8])? {
    switch self {
    case .writeSingleBlock(let block, let data), .extendedWriteSingleBlock(let block, let data):
      (block, data)
    default: nil
    }
  }
}
