import SwiftNFCCore

extension DESFireApplication {
  /// Reads what the keys of the application or of the card are for: one exchange.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the settings require the master key.
  public func keySummary() async throws -> DESFireKeySummary {
    try await perform { try $0.keySummary() }
  }

  /// Reads the version of a key with GetKeyVersion: one exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a key number that no application has;
  ///   ``NFCError/Code/tagRefused`` if there is no such key.
  public func keyVersion(_ number: Int) async throws -> UInt8 {
    let code = try Self.keyNumber(number)
    return try await perform { try $0.keyVersion(code) }
  }

  /// Reads the numbers of all files: one exchange.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the settings require the master key.
  public func files() async throws -> [Int] {
    try await perform { try $0.files().map { Int($0) } }
  }

  /// Reads the settings of a file: one exchange.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no card has;
  ///   ``NFCError/Code/tagRefused`` if there is no such file; ``NFCError/Code/notAuthenticated`` if
  ///   the settings require the master key.
  public func fileSettings(_ number: Int) async throws -> DESFireFileSettings {
    let code = try Self.fileNumber(number)
    return try await perform { try $0.fileSettings(code) }
  }

  /// The maximum number of files in an application.
  package static let mostFiles = 32

  static func fileNumber(_ number: Int) throws -> UInt8 {
    guard (0..<mostFiles).contains(number) else {
      throw NFCError(.invalidParameter, "files have numbers from 0 to \(mostFiles - 1)")
    }
    return UInt8(number)
  }

  /// Reads a data file: GetFileSettings, which reports how the data is sent, and then as many
  /// exchanges as the data needs.
  ///
  /// - Parameters:
  ///   - offset: the first byte.
  ///   - count: the number of bytes; `nil` for all bytes to the end.
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the session's key does not allow reading.
  public func readData(file: Int, offset: Int = 0, count: Int? = nil) async throws -> [UInt8] {
    let code = try Self.fileNumber(file)
    return try await perform { try $0.readData(code, offset: offset, count: count) }
  }

  /// Writes to a data file, with the exchanges of ``readData(file:offset:count:)``. A standard file
  /// changes at once; an interrupted command leaves whatever has reached the chip. What is written
  /// to a backup file takes effect with ``commit()``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file that holds no data, or data beyond its
  ///   end; ``NFCError/Code/notAuthenticated`` if the rights to the file require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file.
  public func writeData(file: Int, offset: Int = 0, _ data: [UInt8]) async throws {
    let code = try Self.fileNumber(file)
    try await perform { try $0.writeData(code, offset: offset, data) }
  }
}

extension DESFireProcedure {
  mutating func keySummary() throws -> DESFireKeySummary { try keySettingsAnswer().summary }

  mutating func keySettingsAnswer() throws -> (bytes: [UInt8], summary: DESFireKeySummary) {
    try send(DESFireCommand(code: .getKeySettings, answer: .anyData)) {
      ($0, try DESFireKeySummary($0))
    }
  }

  mutating func keyVersion(_ number: UInt8) throws -> UInt8 {
    let answer = try send(
      DESFireCommand(code: .getKeyVersion, header: [number], answer: .data(count: 1)))
    return answer[0]
  }

  mutating func files() throws -> [UInt8] {
    try send(DESFireCommand(code: .getFileIdentifiers, answer: .anyData))
  }

  mutating func fileSettings(_ number: UInt8) throws -> DESFireFileSettings {
    try fileSettingsAnswer(number).settings
  }

  mutating func fileSettingsAnswer(
    _ number: UInt8
  ) throws -> (bytes: [UInt8], settings: DESFireFileSettings) {
    let answer = try send(
      DESFireCommand(code: .getFileSettings, header: [number], answer: .anyData)
    ) { (bytes: $0, settings: try DESFireFileSettings($0)) }
    state.files[number] = answer.settings
    return answer
  }

  /// Returns the settings of a file, which are read only once after its application was selected:
  /// one exchange the first time.
  mutating func knownFileSettings(_ number: UInt8) throws -> DESFireFileSettings {
    try state.files[number] ?? fileSettings(number)
  }

  // MARK: Data

  /// The number of bytes that one command carries if ISO/IEC 14443-4 does the chaining: the answer
  /// with cipher and MAC, or the command, in one short APDU.
  private static let longestChainedPart = 192
  /// The same for an answer without cipher and MAC: with its status word, it fits four blocks of ISO/IEC 14443-4,
  /// and libnfc passes it on as it is.
  private static let longestPlainPart = 240

  mutating func readData(_ number: UInt8, offset: Int, count: Int?) throws -> [UInt8] {
    let settings = try knownFileSettings(number)
    guard let size = settings.size else {
      throw NFCError(.invalidParameter, "file \(number) is not a data file")
    }
    let end = try Self.end(of: offset, count, size: size)
    let communication = settings.rights.communication(
      settings.communication, for: settings.holders(of: \.read, \.readWrite),
      key: state.session?.keyNumber)
    var data: [UInt8] = []
    while offset + data.count < end {
      let start = offset + data.count
      data += try chaining { procedure, isChained in
        let longest =
          procedure.state.session == nil ? Self.longestPlainPart : Self.longestChainedPart
        let part = isChained ? min(longest, end - start) : end - start
        return try procedure.send(
          DESFireCommand(
            code: isChained ? .readDataChained : .readData,
            header: Self.span(number, start, part), protection: .data(communication),
            answer: .data(count: part)))
      }
    }
    return data
  }

  mutating func writeData(_ number: UInt8, offset: Int, _ data: [UInt8]) throws {
    let settings = try knownFileSettings(number)
    guard let size = settings.size else {
      throw NFCError(.invalidParameter, "file \(number) is not a data file")
    }
    _ = try Self.end(of: offset, data.count, size: size)
    let communication = settings.rights.communication(
      settings.communication, for: settings.holders(of: \.write, \.readWrite),
      key: state.session?.keyNumber)
    var start = 0
    while start < data.count {
      start += try chaining { procedure, isChained in
        let rest = data[start...]
        let part = Array(isChained ? rest.prefix(Self.longestChainedPart) : rest)
        let command = DESFireCommand(
          code: isChained ? .writeDataChained : .writeData,
          header: Self.span(number, offset + start, part.count), data: part,
          protection: .data(communication))
        // A backup file changes with the commit.
        guard !settings.isTransactional else {
          _ = try procedure.send(command)
          return part.count
        }
        _ = try NFCError.inDoubt(NFCError.dataInDoubt) { try procedure.send(command) }
        return part.count
      }
    }
  }

  /// Runs a part of a transfer. Where a card of a later generation does not know the commands that leave the
  /// chaining to ISO/IEC 14443-4, which an imitation may not, the part is repeated with the commands that all
  /// generations have. In a session there is no repetition: the refusal has ended it.
  private mutating func chaining<Part>(
    _ body: (inout DESFireProcedure, _ isChained: Bool) throws -> Part
  ) throws -> Part {
    guard generation?.hasChainedData ?? false, !state.lacksChainedData else {
      return try body(&self, false)
    }
    let hasSession = state.session != nil
    do {
      return try body(&self, true)
    } catch let error as NFCError
      where !hasSession && error.cause == .desfireStatus(DESFireStatus.illegalCommand.code)
    {
      state.lacksChainedData = true
      return try body(&self, false)
    }
  }

  /// Returns the end of the bytes to be read or written, checked against the size of the file.
  static func end(of offset: Int, _ count: Int?, size: Int) throws -> Int {
    guard (0...max(0, size)).contains(offset) else { throw Self.beyondEnd(size) }
    let count = count ?? size - offset
    guard (0...size - offset).contains(count) else { throw Self.beyondEnd(size) }
    return offset + count
  }

  private static func beyondEnd(_ size: Int) -> NFCError {
    NFCError(.invalidParameter, "the file has \(size) bytes")
  }

  /// Returns file number, offset and count as ReadData and WriteData encode them.
  static func span(_ number: UInt8, _ offset: Int, _ count: Int) -> [UInt8] {
    [number] + offset.littleEndianBytes(count: 3) + count.littleEndianBytes(count: 3)
  }
}
