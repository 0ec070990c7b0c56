/// The MAC of the data that a transaction reads and writes (MF2DL(H)x0 data sheet, 10.3; NXP AN12343,
/// table 32).
struct DESFireTransactionMAC: Hashable, Sendable {
  /// AppTransactionMACKey, an AES key.
  let key: [UInt8]
  let keyVersion: UInt8
  /// TMRIPrev: the reader of the last transaction.
  private(set) var previousReader = [UInt8](repeating: 0, count: blockSize)
  /// TMI: the operations of the transaction, in whole blocks.
  private(set) var input: [UInt8] = []
  /// TMRICur: the reader that has identified itself in this transaction.
  private(set) var reader: [UInt8]?

  static let blockSize = 16
  /// The size of a counter and the code.
  static let size = 12
  static let counterSize = 4
  private static let codeLabel: UInt8 = 0x5A
  private static let cipherLabel: UInt8 = 0xA5
  private static let derivation: [UInt8] = [0x00, 0x01, 0x00, 0x80]

  init(key: [UInt8], keyVersion: UInt8) {
    self.key = key
    self.keyVersion = keyVersion
  }

  /// Records a command: its code and parameters, and its plain data.
  mutating func add(_ command: [UInt8], _ data: [UInt8] = []) {
    input += DESFireCipher.padded(command, to: Self.blockSize)
    input += DESFireCipher.padded(data, to: Self.blockSize)
  }

  mutating func forget() { (input, reader) = ([], nil) }

  /// Returns a session key of this transaction.
  private func cipher(_ label: UInt8, uid: [UInt8], counter: [UInt8]) -> DESFireCipher {
    let cipher = DESFireCipher(kind: .aes, key: key)
    return DESFireCipher(
      kind: .aes,
      key: cipher.authenticationCode(
        [label] + Self.derivation + counter + uid, vector: cipher.zeroVector))
  }

  /// Returns the session key in LRP; the label is at the end (data sheet, 10.3.2.3, as Proxmark3 quotes it).
  private func leakageResilient(
    _ label: UInt8, uid: [UInt8], counter: [UInt8]
  ) -> LeakageResilientCipher {
    let vector = Self.derivation + counter + uid + [label]
    return LeakageResilientCipher(
      key: LeakageResilientCipher(key: key, number: 0).authenticationCode(vector), number: 0)
  }

  /// Accepts the reader's identifier and returns the previous one, encrypted. The form of the
  /// ciphertext in LRP is not confirmed.
  mutating func accept(
    _ name: [UInt8], uid: [UInt8], counter: [UInt8], isLRP: Bool
  ) -> [UInt8] {
    reader = name
    guard !isLRP else {
      return leakageResilient(Self.cipherLabel, uid: uid, counter: counter)
        .run(previousReader, counter: [0, 0, 0, 0], encrypts: true)
    }
    let cipher = cipher(Self.cipherLabel, uid: uid, counter: counter)
    return cipher.encrypt(previousReader, vector: cipher.zeroVector)
  }

  /// Returns the code and ends the transaction.
  ///
  /// - Parameter counter: the new counter.
  mutating func finish(uid: [UInt8], counter: [UInt8], isLRP: Bool) -> [UInt8] {
    let cipher = cipher(Self.codeLabel, uid: uid, counter: counter)
    let code =
      isLRP
      ? leakageResilient(Self.codeLabel, uid: uid, counter: counter).authenticationCode(input)
      : cipher.authenticationCode(input, vector: cipher.zeroVector)
    if let reader { previousReader = reader }
    forget()
    return stride(from: 1, to: code.count, by: 2).map { code[$0] }
  }
}

/// The commands for transactions with a MAC.
extension DESFirePICC {
  private static let keySize = 16
  private static let headerSize = 5
  /// TMKeyOption for AES.
  private static let aesKey: UInt8 = 0x02
  private static let answersCode: UInt8 = 0x01

  private var transactionMACIndex: Int? {
    selection.flatMap { selection in
      applications[selection].files.firstIndex { $0.transactionMAC != nil }
    }
  }

  /// One more; in LRP, one more in each of the two halves, actTMC and sesTMC. When real cards advance only one of them
  /// is not confirmed.
  private func nextCounter(_ file: DESFireFile) -> [UInt8] {
    let counter =
      Self.number(file.content.prefix(DESFireTransactionMAC.counterSize))
      + (configuration.usesLRP ? 0x0001_0001 : 1)
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: counter >> $0) }
  }

  /// Records a command of the transaction (10.3.4.2).
  mutating func note(_ command: [UInt8], _ data: [UInt8] = []) {
    guard let index = transactionMACIndex, var code = selected.files[index].transactionMAC else {
      return
    }
    code.add(command, data)
    selected.files[index].kind = .transactionMAC(code)
  }

  /// Creates the file (11.7.6). The parameters are number, communication, rights and the key's kind; the
  /// key and its version are encrypted.
  mutating func createTransactionMACFile(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard parameters.count > Self.headerSize else { throw .lengthError }
    try requireApplication()
    try requireMasterKey(unless: DESFireApplication.createsFreely)
    guard var session else { throw .authenticationError }
    let header = Array(parameters.prefix(Self.headerSize))
    let data = try session.unprotect(
      header: [DESFireCommand.createTransactionMACFile.rawValue] + header,
      body: Array(parameters.dropFirst(Self.headerSize)), count: Self.keySize + 1, .encrypted)
    guard header[4] == Self.aesKey, header[1] <= 0x03 else { throw .parameterError }
    let file = DESFireFile(
      number: header[0], isoIdentifier: nil, communicationSettings: header[1],
      accessRights: UInt16(header[2]) | UInt16(header[3]) << 8,
      content: [UInt8](repeating: 0, count: DESFireTransactionMAC.size),
      kind: .transactionMAC(
        DESFireTransactionMAC(
          key: Array(data.prefix(Self.keySize)), keyVersion: data[Self.keySize])))
    try requireNew(file)
    guard file.memorySize <= freeMemoryOfSelected else { throw .outOfMemory }
    guard transactionMACIndex == nil else { throw .duplicateError }
    selected.files.append(file)
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }

  /// Runs CommitReaderID (10.3.4.3). It requires the file's right to read and write; if nobody has that
  /// right, the command is disabled.
  mutating func commitReader(_ name: [UInt8]) throws(DESFireStatus) -> Result {
    try require(name, count: DESFireTransactionMAC.blockSize)
    guard let index = transactionMACIndex, var code = selected.files[index].transactionMAC,
      code.reader == nil
    else { throw .permissionDenied }
    let file = selected.files[index]
    _ = try communication(file.fullKeys, protected: .authenticated)
    let encrypted = code.accept(
      name, uid: uid, counter: nextCounter(file), isLRP: configuration.usesLRP)
    // Without a session, the answer is empty.
    let answer = session == nil ? [] : encrypted
    code.add([DESFireCommand.commitReaderIdentifier.rawValue] + name + answer)
    selected.files[index].kind = .transactionMAC(code)
    return Result(answer)
  }

  mutating func commitTransaction(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    // The option exists since EV2.
    guard parameters.count <= (model.supports(.commitReaderIdentifier) ? 1 : 0) else {
      throw .lengthError
    }
    let option = parameters.first ?? 0
    guard option <= Self.answersCode else { throw .parameterError }
    try requireApplication()
    guard let index = transactionMACIndex, var code = selected.files[index].transactionMAC else {
      guard option == 0 else { throw .permissionDenied }
      guard selected.commit() else { throw .noChanges }
      return Result()
    }
    guard !code.input.isEmpty else { throw .noChanges }
    guard code.reader != nil || selected.files[index].fullKeys == [DESFireFile.nobody] else {
      throw .permissionDenied
    }
    _ = selected.commit()
    let counter = nextCounter(selected.files[index])
    selected.files[index].content =
      counter
      + code.finish(
        uid: uid, counter: counter, isLRP: configuration.usesLRP)
    selected.files[index].kind = .transactionMAC(code)
    return Result(option == 0 ? [] : selected.files[index].content)
  }
}
