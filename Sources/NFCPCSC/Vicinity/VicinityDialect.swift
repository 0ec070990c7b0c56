import NFCCore

/// How a reader without transparent sessions takes commands for the ISO/IEC 15693 tag that it has
/// found.
///
/// A dialect is chosen by the reader's name and confirmed by a question that changes nothing: the
/// same bytes mean different things to different makers.
protocol VicinityDialect {
  /// Sends an APDU to the reader and gives its answer.
  typealias Transmit = (_ command: [UInt8]) throws -> [UInt8]

  /// The tag that the reader has found, most significant byte first.
  var uid: [UInt8] { get }
  /// What gets through.
  var commandPath: CommandPath { get }
  /// The longest frame to the tag and from it, without check.
  var maximumCommandLength: Int { get }
  var maximumResponseLength: Int { get }

  /// Finds out whether the reader has this dialect, by commands that change nothing on the tag.
  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation

  /// Brings a request to the tag.
  ///
  /// - Parameter frame: flags first, without check.
  /// - Returns: what came of it, an answer with its flags; `nil` if there is no way for this request,
  ///   which was not sent.
  mutating func carry(_ frame: [UInt8], by transmit: Transmit) throws -> ExchangeOutcome?

  /// Leaves the reader as it was before ``confirm(by:)``.
  mutating func close(by transmit: Transmit) throws
}

extension VicinityDialect {
  func close(by transmit: Transmit) {}

  var maximumCommandLength: Int { 255 }
  /// 256 bytes less the status word: more is not known to get through.
  var maximumResponseLength: Int { 254 }

  mutating func confirm(by transmit: Transmit) throws -> DialectConfirmation {
    try confirmByQuestions(transmit)
  }

  /// Asks the tag two things that change nothing.
  mutating func confirmByQuestions(_ transmit: Transmit) throws -> DialectConfirmation {
    var isSilent = false
    for command: ISO15693Command in [.getSystemInformation, .readSingleBlock(0)] {
      let frame = try ISO15693Request(command, uid: uid).encoded()
      switch try carry(frame, by: transmit) {
      case .answer(let answer)?:
        let response = try ISO15693Response(decoding: answer)
        if response.errorCode == nil, response.tells(command) { return .present }
      case .noAnswer?, .broken?: isSilent = true
      case .refused?, .unknown?, .malformed?, nil: continue
      }
    }
    return isSilent ? .silent : .absent
  }

  /// Returns whether the tag tells another UID than the one that it is taken to have.
  mutating func isContradicted(by transmit: Transmit) throws -> Bool {
    let frame = try ISO15693Request(.getSystemInformation, uid: uid).encoded()
    guard case .answer(let answer)? = try carry(frame, by: transmit),
      let payload = try? ISO15693Response(decoding: answer).checkedPayload(),
      let told = try? ISO15693SystemInformation(decoding: payload, form: .ordinary)
    else { return false }
    return told.uid != uid
  }
}

/// What has been found out of a reader.
enum DialectConfirmation {
  /// It has the dialect.
  case present
  /// It has not.
  case absent
  /// The tag was silent, which proves nothing about the reader.
  case silent
}

extension ISO15693Response {
  /// Returns whether this can be the answer to a question.
  fileprivate func tells(_ question: ISO15693Command) -> Bool {
    guard case .getSystemInformation = question else { return !payload.isEmpty }
    return (try? ISO15693SystemInformation(decoding: payload, form: .ordinary)) != nil
  }
}

/// A dialect in which the reader puts flags, UID and check itself, so that a request gets through as
/// a single command, and only to the tag that the reader has found.
protocol VicinityCommandDialect: VicinityDialect {
  /// Brings a command to the tag.
  ///
  /// - Parameter hasOption: the request has the option flag.
  /// - Returns: as ``VicinityDialect/carry(_:by:)``, an answer without its flags.
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
    // The reader keeps the flags of an answer to itself.
    let full = outcome?.mapAnswer { ISO15693Response(payload: $0).encoded }
    return request.command.isWriteAlike ? full?.ofChange : full
  }
}

extension ISO15693Command {
  /// Command code, maker's code of a custom command, and parameters, as they stand in a frame; `nil`
  /// if they do not fit one.
  var body: [UInt8]? {
    (try? ISO15693Request(self).encoded()).map { Array($0.dropFirst()) }
  }

  /// The block that it reads by itself, whichever form the number has.
  var blockToRead: UInt16? {
    switch self {
    case .readSingleBlock(let block), .extendedReadSingleBlock(let block): block
    default: nil
    }
  }

  /// The block that it writes by itself, whichever form the number has.
  var blockToWrite: (number: UInt16, data: [UInt8])? {
    switch self {
    case .writeSingleBlock(let block, let data), .extendedWriteSingleBlock(let block, let data):
      (block, data)
    default: nil
    }
  }
}
