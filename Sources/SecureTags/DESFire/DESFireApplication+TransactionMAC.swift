import SwiftNFCCore

extension DESFireApplication {
  /// Creates the file that holds the code of the last transaction. With it, the card signs every
  /// transaction of the application. One exchange, with the application's master key in a session
  /// of EV2 or LRP. DESFire Light, EV2 and EV3 cards support it; an application has at most one
  /// such file.
  ///
  /// From then on, a transaction counts only after a terminal has given its name, unless
  /// ``DESFireAccessRights/readWrite`` is ``DESFireAccess/nobody``: that is the right to give a
  /// name. ``deleteFile(_:)`` ends this.
  ///
  /// - Parameters:
  ///   - rights: who may read the code, name a terminal (`readWrite`), and change the rights;
  ///     nobody can write the file.
  ///   - key: the issuer's AES key, which the codes are made with. It cannot be read or changed.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without such a session;
  ///   ``NFCError/Code/tagRefused`` if there is such a file already; ``NFCError/Code/unsupported``
  ///   for a card that does not sign.
  public func createTransactionMACFile(
    _ number: Int, communication: DESFireCommunication = .plain, rights: DESFireAccessRights,
    key: DESFireKey
  ) async throws {
    let code = try Self.fileNumber(number)
    try await performUninterrupted {
      try $0.createTransactionMACFile(code, communication, rights, key)
    }
  }

  /// Reads the code of the last transaction: two exchanges.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file that holds none;
  ///   ``NFCError/Code/notAuthenticated`` if its rights require another key.
  public func transactionMAC(file: Int) async throws -> DESFireTransactionMAC {
    let code = try Self.fileNumber(file)
    return try await perform { try $0.transactionMAC(code) }
  }

  /// Runs a transaction that the card signs. First, reads and writes that are not committed are
  /// discarded; then come `body`, the terminal's name, and the commit, for which the card returns
  /// its code. If one of them fails, the writes of the transaction are discarded.
  ///
  /// - Parameters:
  ///   - reader: the terminal's name, 16 bytes; `nil` if the file's rights do not require one.
  ///   - body: the reads and writes in this application; at its end, the session must be that of a
  ///     key that may name a terminal.
  /// - Returns: the proof for the issuer that the transaction has taken place.
  /// - Throws: what `body` throws; ``NFCError/Code/notAuthenticated`` if there is no file for the
  ///   code, the key may not name a terminal, or no terminal was named. If the answer to the commit
  ///   is lost, ``transactionMAC(file:)`` shows whether it counts.
  public nonisolated(nonsending) func signedTransaction(
    reader: [UInt8]? = nil,
    _ body: nonisolated(nonsending) (DESFireApplication) async throws -> Void
  ) async throws -> DESFireTransactionReceipt {
    guard
      reader?.count ?? DESFireTransactionReceipt.blockSize == DESFireTransactionReceipt.blockSize
    else {
      throw NFCError(
        .invalidParameter, "a terminal's name has \(DESFireTransactionReceipt.blockSize) bytes")
    }
    try await perform { try $0.beginSigning() }
    do {
      try await body(self)
      return try await performUninterrupted { try $0.commitSigned(reader: reader) }
    } catch {
      await discardTransaction()
      throw error
    }
  }
}

extension DESFireProcedure {
  /// TMKeyOption (AN12343, 10.3): AES.
  private static let aesKeyOption: UInt8 = 0x02
  /// CommitTransaction's option: return the code.
  private static let answersCode: UInt8 = 0x01

  mutating func createTransactionMACFile(
    _ number: UInt8, _ communication: DESFireCommunication, _ rights: DESFireAccessRights,
    _ key: DESFireKey
  ) throws {
    guard key.kind == .aes else {
      throw NFCError(.invalidParameter, "the key of transaction MACs is AES")
    }
    try rights.check()
    guard rights.write == .nobody else {
      throw NFCError(.invalidParameter, "a transaction MAC file cannot be written")
    }
    guard state.session?.messaging is any TransactionMessaging else {
      throw NFCError(
        .notAuthenticated,
        "creating the file requires an EV2 session with the application's master key")
    }
    var data = key.secret.withUnsafeBytes { Array($0) } + [key.version]
    defer { data.wipe() }
    let command = DESFireCommand(
      code: .createTransactionMACFile,
      header: [number, communication.settings] + rights.bits.littleEndianBytes
        + [Self.aesKeyOption],
      data: data, protection: .encrypted)
    _ = try NFCError.inDoubt(
      "the card may already have the file: list the files of the application to see whether it has"
    ) { try send(command) }
  }

  mutating func transactionMAC(_ number: UInt8) throws -> DESFireTransactionMAC {
    let settings = try fileSettings(number)
    guard case .transactionMAC = settings.content else {
      throw NFCError(.invalidParameter, "file \(number) is not a transaction MAC file")
    }
    let size = DESFireTransactionMAC.size
    return try send(
      DESFireCommand(
        code: .readDataChained, header: Self.span(number, 0, size),
        protection: .data(
          settings.rights.communication(
            settings.communication, for: settings.holders(of: \.read), key: state.session?.keyNumber
          )),
        answer: .data(count: size))
    ) { try DESFireTransactionMAC($0) }
  }

  /// Discards earlier commands, so that they are not part of the transaction: one exchange, or none if there were none.
  ///
  /// A card that has nothing to discard answers with status 0C. No public source says that its session continues then,
  /// and NXP's reader library treats the status like every other error, as the end of the session (phalMfdfEVx,
  /// `phalMfdfEVx_Sw_Int_ResetAuthStatus`). Therefore nothing is discarded without a need.
  mutating func beginSigning() throws {
    guard state.mayHaveTransaction else {
      state.transactionInput = DESFireTransactionInput()
      return
    }
    do {
      _ = try send(DESFireCommand(code: .abortTransaction))
    } catch let error as NFCError where error.cause == Self.nothingToCommit {
      // There was nothing to discard.
    }
    state.transactionInput = DESFireTransactionInput()
  }

  mutating func commitSigned(reader: [UInt8]?) throws -> DESFireTransactionReceipt {
    var previous: [UInt8]?
    if let reader {
      let answer = try send(
        DESFireCommand(code: .commitReaderIdentifier, data: reader, answer: .anyData))
      guard answer.isEmpty || answer.count == DESFireTransactionReceipt.blockSize else {
        state.session = nil
        throw NFCError.wrongLength
      }
      previous = answer.isEmpty ? nil : answer
    }
    guard let input = state.transactionInput?.bytes else {
      throw NFCError(.notAuthenticated, "another application was selected in the transaction")
    }
    let mac = try NFCError.inDoubt(Self.transactionInDoubt) {
      try send(
        DESFireCommand(
          code: .commitTransaction, header: [Self.answersCode],
          answer: .data(count: DESFireTransactionMAC.size))
      ) { try DESFireTransactionMAC($0) }
    }
    state.transactionInput = nil
    return DESFireTransactionReceipt(
      mac: mac, input: input, encryptedPreviousReader: previous)
  }
}
