import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire write`.
struct DESFireWriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes to a data file, or appends or changes a record.",
    usage: "nfc desfire write <hex|file> --app <aid> --file <number> [<options>]",
    discussion: """
      What is written to a backup file or a record file is committed at the end: the card has all of \
      it, or none if it was removed before that. In an application whose transactions the card signs, \
      --reader-id names the terminal, and the transaction's number, its MAC and what it covers are printed.
      A record is appended unless --update names one to change, which cards can do since DESFire EV2.
      If a key of the application is given, the card must prove that it knows it, even if it says that \
      everyone may write to the file.

      Examples:
        nfc desfire write --app F00001 --file 1 "11 22 33" --key 0:00112233445566778899AABBCCDDEEFF
        nfc desfire write --app F00001 --file 1 data.bin --offset 16
        nfc desfire write --app F00001 --file 3 "0A 0B" --update 0 --offset 4
      """)

  @OptionGroup var file: DESFireFileOptions
  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup var signing: DESFireSigningOptions

  @Option(
    help: ArgumentHelp("The first byte; 0 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--offset", in: 0...0xFF_FFFF) })
  var offset: Int?

  @Option(
    name: .customLong("update"),
    help: ArgumentHelp(
      "The record to change, as nfc desfire read --json numbers them: 0 is the oldest.",
      valueName: "record"),
    transform: { try NumberArgument.integer($0, "--update", in: 0...0xFF_FFFF) })
  var record: Int?

  @Argument(
    help: ArgumentHelp(
      "Hexadecimal digits, or a file's name; - for standard input.", valueName: "hex|file"))
  var data: String

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  private func bytes() throws -> [UInt8] {
    guard !data.isEmpty else { throw Failure(.usage, "there is nothing to write") }
    if data != File.standard, case .success(let bytes) = Hexadecimal.parse(data) { return bytes }
    let bytes = try File.read(data)
    guard !bytes.isEmpty else { throw Failure(.content, "\(File.name(data)) is empty") }
    return bytes
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    let bytes = try bytes()
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: .changing, keyring)
      let receipt = try await card.run { try await write(bytes, card) }
      if let receipt, !options.json { try Output.line(receipt.text) }
      try Output.done(
        options, card.tag.detected.identifier,
        [
          "app": .string("\(file.application)"), "file": .integer(file.file),
          "record": record.map { .integer($0) }, "written": .integer(bytes.count),
          "transaction": receipt?.json,
        ])
    }
  }

  private func write(
    _ bytes: [UInt8], _ card: SelectedDESFire
  ) async throws -> DESFireTransactionReceipt? {
    let application = card.card.application(file.application)
    let settings = try await card.fileSettings(application, file.file)
    let room: Int
    switch settings.content {
    case .standardData(let size), .backupData(let size): room = size
    case .linearRecords(let records), .cyclicRecords(let records): room = records.recordSize
    case .value:
      throw Failure(
        .usage, "file \(file.file) holds a value", tag: card.tag.name,
        advice:
          "nfc desfire value --app \(file.application) --file \(file.file) shows it, and changes it with "
          + "--credit or --debit")
    case .transactionMAC, .other:
      throw Failure(.notAllowed, "file \(file.file) is written by the card", tag: card.tag.name)
    }
    guard (offset ?? 0) + bytes.count <= room else {
      throw Failure(
        .content, "\(bytes.count) bytes do not fit: the file or its records have \(room)",
        tag: card.tag.name, advice: "nothing was written")
    }
    let newer = try recordsAfter(settings, card)
    try await authenticate(application, settings, card)
    if settings.records != nil {
      return try await card.transaction(application, signing) {
        guard let newer else {
          return try await $0.writeRecord(file: file.file, offset: offset ?? 0, bytes)
        }
        try await $0.updateRecord(file: file.file, skip: newer, offset: offset ?? 0, bytes)
      }
    }
    guard settings.isTransactional || signing.reader != nil else {
      try await application.writeData(file: file.file, offset: offset ?? 0, bytes)
      return nil
    }
    return try await card.transaction(application, signing) {
      try await $0.writeData(file: file.file, offset: offset ?? 0, bytes)
    }
  }

  /// Returns the number of records that are newer than the one to change; `nil` if none is to be changed.
  private func recordsAfter(
    _ settings: DESFireFileSettings, _ card: SelectedDESFire
  ) throws -> Int? {
    guard let record else { return nil }
    guard let records = settings.records else {
      throw Failure(
        .usage, "file \(file.file) has no records", tag: card.tag.name, advice: "leave out --update"
      )
    }
    guard record < records.count else {
      throw Failure(
        .content, "there is no record \(record): file \(file.file) has \(records.count)",
        tag: card.tag.name, advice: "without --update, one is appended")
    }
    return records.count - 1 - record
  }

  private func authenticate(
    _ application: DESFireApplication, _ settings: DESFireFileSettings, _ card: SelectedDESFire
  ) async throws {
    let purpose = "file \(file.file) is written"
    // A key with the right to read and write is sufficient for every change of a record.
    if record != nil, let owners = card.keys(for: settings.holders(of: \.readWrite)),
      owners.contains(where: { card.keyring.secret($0, of: application.identifier) != nil })
    {
      return try await card.authenticate(application, owners, for: purpose)
    }
    guard let numbers = card.keys(for: settings.holders(of: \.write, \.readWrite)) else {
      return try await card.authenticateIfKeyGiven(application, for: purpose)
    }
    try await card.authenticate(application, numbers, for: purpose)
  }
}
