import SwiftNFCCore
import SUNMessage

/// The commands that set up a signed link, on the reader's thread, one after the other: NT4H2421Gx data sheet, 10. A DESFire
/// EV3 has the same for the files of its applications.
struct NTAG424Procedure {
  private static let largestFileNumber = 31
  /// The number of bytes of answer or data, with cipher and MAC, that one command carries in one
  /// short APDU.
  private static let longestPart = 192

  /// The number of the file that has the link.
  let linkFile: Int
  var commands: DESFireProcedure

  /// Creates a procedure in an application, which is selected.
  init(_ commands: DESFireProcedure, file: UInt8) {
    linkFile = Int(file)
    self.commands = commands
  }

  /// Whether the file is one of a DESFire EV3.
  var isDESFire: Bool { commands.generation != .fixed }

  /// The chip's mode, which an authentication shows.
  var mode: SUNMode { commands.state.usesLRP ? .lrp : .aes }

  /// The number of the session's key.
  var sessionKey: Int? { commands.state.session.map { Int($0.keyNumber) } }

  private static func keyNumber(_ number: Int) throws -> UInt8 {
    guard (0..<NTAG424Link.keyCount).contains(number) else {
      throw NFCError(
        .invalidParameter, "the tag has keys from 0 to \(NTAG424Link.keyCount - 1), not \(number)")
    }
    return UInt8(number)
  }

  private static func fileNumber(_ number: Int) throws -> UInt8 {
    guard (0...largestFileNumber).contains(number) else {
      throw NFCError(.invalidParameter, "there is no file \(number)")
    }
    return UInt8(number)
  }

  // MARK: Keys

  mutating func authenticate(_ number: Int, _ key: DESFireKey) throws {
    let code = try Self.keyNumber(number)
    do {
      try commands.authenticateAsConfigured(code, key)
    } catch let error as NFCError {
      throw Self.explained(error, number)
    }
  }

  private static func explained(_ error: NFCError, _ number: Int) -> NFCError {
    guard error.code == .authenticationFailed, error.cause != nil else { return error }
    return NFCError(
      .authenticationFailed,
      "key \(number) is another one, and the tag may have counted the attempt", cause: error.cause)
  }

  mutating func keyVersion(_ number: Int) throws -> UInt8 {
    try commands.keyVersion(Self.keyNumber(number))
  }

  mutating func changeKey(_ number: Int, from old: DESFireKey?, to new: DESFireKey) throws {
    do {
      try commands.changeKey(Self.keyNumber(number), from: old, to: new, isCard: false)
    } catch let error as NFCError
      where error.cause == .desfireStatus(DESFireStatus.integrityError.code)
    {
      throw NFCError(
        .authenticationFailed, "key \(number) is not the given one, and was not changed",
        cause: error.cause)
    }
  }

  // MARK: Files

  mutating func fileSettings(_ file: Int) throws -> NTAG424FileSettings {
    try commands.send(
      DESFireCommand(code: .getFileSettings, header: [Self.fileNumber(file)], answer: .anyData)
    ) { [isDESFire] in try NTAG424FileSettings($0, isDESFire: isDESFire) }
  }

  mutating func changeFileSettings(
    _ file: Int, from before: NTAG424FileSettings, to settings: NTAG424FileSettings
  ) throws {
    // The command is plain if everyone may change the settings (data sheet, 10.7.1).
    let communication = before.rights.communication(
      .encrypted, for: [before.rights.change], key: sessionKey.map { UInt8($0) })
    try settings.check()
    let command = DESFireCommand(
      code: .changeFileSettings, header: [try Self.fileNumber(file)], data: settings.encoded,
      protection: .data(communication))
    _ = try NFCError.inDoubt(NFCError.fileSettingsInDoubt) { try commands.send(command) }
  }

  mutating func readData(
    _ file: Int, _ settings: NTAG424FileSettings, offset: Int, count: Int?
  ) throws -> [UInt8] {
    let code = try Self.fileNumber(file)
    let end = try DESFireProcedure.end(of: offset, count, size: settings.size)
    let communication = settings.rights.communication(
      settings.communication, for: [settings.rights.read, settings.rights.readWrite],
      key: sessionKey.map { UInt8($0) })
    var data: [UInt8] = []
    while offset + data.count < end {
      let start = offset + data.count
      let part = min(Self.longestPart, end - start)
      data += try commands.send(
        DESFireCommand(
          code: .readDataChained, header: DESFireProcedure.span(code, start, part),
          protection: .data(communication), answer: .data(count: part)))
    }
    return data
  }

  mutating func writeData(
    _ file: Int, _ settings: NTAG424FileSettings, offset: Int, _ data: [UInt8]
  ) throws {
    let code = try Self.fileNumber(file)
    _ = try DESFireProcedure.end(of: offset, data.count, size: settings.size)
    let communication = settings.rights.communication(
      settings.communication, for: [settings.rights.write, settings.rights.readWrite],
      key: sessionKey.map { UInt8($0) })
    for start in stride(from: 0, to: data.count, by: Self.longestPart) {
      let part = Array(data[start..<min(start + Self.longestPart, data.count)])
      let command = DESFireCommand(
        code: .writeDataChained, header: DESFireProcedure.span(code, offset + start, part.count),
        data: part, protection: .data(communication))
      _ = try NFCError.inDoubt(NFCError.dataInDoubt) { try commands.send(command) }
    }
  }
}
