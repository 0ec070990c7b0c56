import SwiftNFCCore

/// The state of a card that lasts from one command to the next.
struct DESFireState: Sendable {
  /// The application that is selected; `nil` if that is not known.
  var selection: DESFireApplicationIdentifier?
  var session: DESFireSession?
  /// Whether the chip has shown that it was permanently switched to LRP.
  var usesLRP = false
  /// Whether the card has shown that it does not know the commands of ``DESFireGeneration/hasChainedData``.
  var lacksChainedData = false

  /// The settings of files of the selected application that were read already. The number of
  /// records in them changes.
  var files: [UInt8: DESFireFileSettings] = [:]

  /// The transaction so far, while one is to be signed.
  var transactionInput: DESFireTransactionInput?
  /// Whether a command since the application was selected, or since its last commit or abort, may belong to a
  /// transaction of the card.
  var mayHaveTransaction = false

  /// Forgets the state that another command or another program may have ended.
  mutating func forget() {
    (selection, session, transactionInput) = (nil, nil, nil)
    mayHaveTransaction = false
    files = [:]
  }

  /// The state after an exchange that may or may not have reached the card.
  static let unknown = DESFireState()
}

/// Commands on the reader's thread, one after the other.
///
/// A card ends its session whenever it refuses a command; so does this type.
struct DESFireProcedure {
  let transport: DESFireTransport
  let generation: DESFireGeneration?
  var state: DESFireState
  let random: (Int) -> [UInt8]

  /// Sends a command under the protection of the session, if there is one, and returns the answer's
  /// data without it.
  ///
  /// A success is accepted only with its MAC, unless the command ends the session. A refusal is the
  /// status alone and has none in any generation (libfreefare takes a lone status for the error of the
  /// card): it is an error and ends the session, so that somebody who puts a
  /// refusal in the place of an answer gains nothing but an error. The card may then have done what it
  /// seems to refuse.
  ///
  /// - Throws: the error that corresponds to a status other than 00.
  mutating func send(_ command: DESFireCommand) throws -> [UInt8] {
    var session = state.session
    if Self.fileChanges.contains(command.code) { state.files = [:] }
    if DESFireTransactionInput.records(command.code) { state.mayHaveTransaction = true }
    do {
      let parameters =
        try session?.messaging.protect(command) ?? command.header + command.data
      let send = { [transport] in
        try transport.send(
          command.code, parameters, isWhole: DESFireWrapping.wholeCommands.contains(command.code),
          firstFrame: command.headerHasOwnFrame ? command.header.count : nil)
      }
      // In a session, every command counts.
      let answer =
        try session == nil && Self.questions.contains(command.code)
        ? Self.asking(send) : send()
      guard answer.status == .operationOK else {
        if answer.status != .noChanges { session = nil }
        throw answer.status.error
      }
      let data =
        try session?.messaging.unprotect(answer.data, status: answer.status, of: command)
        ?? command.checkLength(answer.data)
      if case .endOfSession = command.answer { session = nil }
      state.session = session
      state.transactionInput?.note(command, data)
      if Self.transactionEnds.contains(command.code) { state.mayHaveTransaction = false }
      return data
    } catch {
      // Regardless of the error, the card's session is no longer the one that this type knows.
      state.session = (error as? NFCError)?.cause == Self.nothingToCommit ? session : nil
      throw error
    }
  }

  /// Sends a command and decodes its answer's data. Invalid data was not sent by the card, so it also
  /// ends the session.
  mutating func send<Content>(
    _ command: DESFireCommand, reading body: ([UInt8]) throws -> Content
  ) throws -> Content {
    let data = try send(command)
    do {
      return try body(data)
    } catch {
      state.session = nil
      throw error
    }
  }

  /// Commands that change nothing on the card, outside a session.
  private static let questions: Set<DESFireCommandCode> = [
    .getVersion, .freeMemory, .readSignature, .getApplicationIdentifiers, .getDFNames,
    .getDelegatedInfo,
    .getKeySettings, .getKeyVersion, .getFileIdentifiers, .getISOFileIdentifiers, .getFileSettings,
    .getFileCounters,
  ]

  /// Sends such a command, and once more if a frame was lost between host and reader. A card that was left between two
  /// frames of its answer refuses the next command once.
  private static func asking(
    _ send: () throws -> DESFireTransport.Answer
  ) throws -> DESFireTransport.Answer {
    var isRepeated = false
    return try FrameLoss.onLine.repeatingOnce {
      defer { isRepeated = true }
      let answer = try send()
      return isRepeated && answer.status == .commandAborted ? try send() : answer
    }
  }

  /// Commands after which a file's number may refer to another file.
  private static let fileChanges: Set<DESFireCommandCode> = [
    .changeFileSettings, .createStandardDataFile, .createBackupDataFile, .createValueFile,
    .createLinearRecordFile, .createCyclicRecordFile, .createTransactionMACFile, .deleteFile,
    .deleteApplication, .createDelegatedApplication, .formatPICC,
  ]
  private static let transactionEnds: Set<DESFireCommandCode> = [
    .commitTransaction, .abortTransaction,
  ]
  static let nothingToCommit = NFCError.Cause.desfireStatus(DESFireStatus.noChanges.code)

  /// Selects an application: one exchange, which ends the session; nothing if it is already
  /// selected.
  mutating func select(_ application: DESFireApplicationIdentifier) throws {
    guard state.selection != application else { return }
    state.forget()
    if generation == .fixed { return try selectFixed(application) }
    let answer = try Self.asking { [transport] in
      try transport.send(.selectApplication, application.bytes)
    }
    guard answer.status == .operationOK else {
      var error = answer.status.error
      if answer.status == .applicationNotFound {
        error = NFCError(
          .wrongTag, "the card has no application \(application)", cause: error.cause)
      }
      throw error
    }
    transport.sessionHasEnded()
    state.selection = application
  }

  /// The names of NFC Forum type 4, which an NTAG DNA has, and of DESFire Light on delivery
  /// (MF2DLHX0 data sheet, 8.2.1).
  private static let fixedNames: [[UInt8]] = [
    ApplicationIdentifier.ndef.bytes,
    [
      0xA0, 0x00, 0x00, 0x03, 0x96, 0x56, 0x43, 0x41, 0x03, 0xF0, 0x15, 0x40, 0x00, 0x00, 0x00,
      0x0B,
    ],
  ]

  /// Selects the only application of a chip whose files are fixed, by its name.
  private mutating func selectFixed(_ application: DESFireApplicationIdentifier) throws {
    guard application == .fixed else {
      throw NFCError(
        .wrongTag, "the chip has application \(DESFireApplicationIdentifier.fixed) only")
    }
    guard try Self.fixedNames.contains(where: { try transport.selectName($0) }) else {
      throw NFCError(.wrongTag, "the chip's application has another name")
    }
    transport.sessionHasEnded()
    state.selection = application
  }
}
