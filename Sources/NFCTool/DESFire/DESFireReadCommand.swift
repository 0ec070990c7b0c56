import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire read`.
struct DESFireReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads a file: data, records, a value or a transaction's MAC.",
    usage: "nfc desfire read --app <aid> --file <number> [<options>]",
    discussion: """
      Data is printed as one line of hexadecimal digits, records as one line each, oldest first, a \
      value as a number, and a transaction as its number and its MAC. For data, --offset and --length count \
      bytes. For records, --offset is the number of newest records to skip, and --length the number to read.

      Examples:
        nfc desfire read --app 000001 --file 1 --virtual desfire
        nfc desfire read --app F00001 --file 3 --key 1:00112233445566778899AABBCCDDEEFF
      """)

  @OptionGroup var file: DESFireFileOptions
  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Option(
    help: ArgumentHelp("The first byte; 0 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--offset", in: 0...0xFF_FFFF) })
  var offset: Int?

  @Option(
    help: ArgumentHelp("The number of bytes or records; all unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--length", in: 1...0xFF_FFFF) })
  var length: Int?

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: .reading, keyring)
      for line in try await card.run({ try await read(card) }) { try Output.line(line) }
    }
  }

  private func read(_ card: SelectedDESFire) async throws -> [String] {
    let application = card.card.application(file.application)
    let settings = try await card.fileSettings(application, file.file)
    switch settings.content {
    case .transactionMAC:
      guard offset == nil, length == nil else {
        throw Failure(
          .usage, "file \(file.file) holds a transaction MAC, which has no parts")
      }
      try await prove(settings.holders(of: \.read), card, application)
      let mac = try await application.transactionMAC(file: file.file)
      return [
        line(
          "\(mac.counter)  \(mac.code.hexadecimal)",
          ["counter": .integer(mac.counter), "mac": .bytes(mac.code)])
      ]
    case .standardData, .backupData, .other:
      try await prove(settings.holders(of: \.read, \.readWrite), card, application)
      let data = try await application.readData(
        file: file.file, offset: offset ?? 0, count: length)
      return [line(data.hexadecimal, ["data": .bytes(data)])]
    case .linearRecords, .cyclicRecords:
      try await prove(settings.holders(of: \.read, \.readWrite), card, application)
      let records = try await application.readRecords(
        file: file.file, skip: offset ?? 0, count: length)
      let first = (settings.records?.count ?? 0) - (offset ?? 0) - records.count
      return records.enumerated().map { index, record in
        line(
          record.hexadecimal,
          ["record": .integer(first + index), "data": .bytes(record)])
      }
    case .value(let value):
      guard offset == nil, length == nil else {
        throw Failure(.usage, "file \(file.file) holds a value, which has no parts")
      }
      if !value.allowsFreeReading {
        try await prove(
          settings.holders(of: \.read, \.write, \.readWrite), card, application)
      }
      let number = try await application.value(file: file.file)
      return [line("\(number)", ["value": .integer(number)])]
    }
  }

  private func prove(
    _ rights: [DESFireAccess], _ card: SelectedDESFire, _ application: DESFireApplication
  ) async throws {
    guard let numbers = card.keys(for: rights) else { return }
    try await card.authenticate(application, numbers, for: "file \(file.file) is read")
  }

  private func line(_ text: String, _ members: KeyValuePairs<String, JSONValue?>) -> String {
    guard options.json, case .object(let more) = JSONValue.members(members) else { return text }
    let common: [JSONValue.Member] = [
      JSONValue.Member(key: "app", value: .string("\(file.application)")),
      JSONValue.Member(key: "file", value: .integer(file.file)),
    ]
    return JSONValue.object(common + more).text
  }
}
