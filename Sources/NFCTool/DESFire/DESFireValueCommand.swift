import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire value`.
struct DESFireValueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "value",
    abstract: "Prints a value, or changes it and prints the new one.",
    usage: "nfc desfire value --app <aid> --file <number> [<options>]",
    discussion: """
      A change takes effect when the card commits it: a card that is removed before that keeps the old \
      value. In an application whose transactions the card signs, --reader-id names the terminal, and the \
      transaction's number, its MAC and what it covers are printed after the value.

      Example:
        nfc desfire value --app F00001 --file 2 --debit 250 --key 1:00112233445566778899AABBCCDDEEFF
      """)

  @OptionGroup var file: DESFireFileOptions
  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup var signing: DESFireSigningOptions

  private static func amount(_ text: String, _ name: String) throws -> Int {
    try NumberArgument.integer(text, name, in: 0...Int(Int32.max))
  }

  @Option(
    help: ArgumentHelp("Add this much.", valueName: "number"),
    transform: { try amount($0, "--credit") })
  var credit: Int?

  @Option(
    help: ArgumentHelp("Subtract this much.", valueName: "number"),
    transform: { try amount($0, "--debit") })
  var debit: Int?

  @Option(
    help: ArgumentHelp(
      "Return this much of what the last transaction subtracted.", valueName: "number"),
    transform: { try amount($0, "--limited-credit") })
  var limitedCredit: Int?

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  private var change: DESFireValueChange? {
    credit.map { .credit($0) } ?? debit.map { .debit($0) }
      ?? limitedCredit.map { .limitedCredit($0) }
  }

  mutating func validate() throws {
    guard [credit, debit, limitedCredit].compactMap(\.self).count <= 1 else {
      throw ValidationError("Give one of --credit, --debit and --limited-credit.")
    }
    guard change != nil || signing.reader == nil else {
      throw ValidationError("--reader-id is for a change of the value.")
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(
        for: change == nil ? .reading : .changing, keyring)
      let (value, receipt) = try await card.run { try await run(card) }
      guard options.json else {
        try Output.line("\(value)")
        if let receipt { try Output.line(receipt.text) }
        return
      }
      try Output.line(
        JSONValue.members([
          "app": .string("\(file.application)"), "file": .integer(file.file),
          "value": .integer(value), "transaction": receipt?.json,
        ]).text)
    }
  }

  private func run(
    _ card: SelectedDESFire
  ) async throws -> (value: Int, receipt: DESFireTransactionReceipt?) {
    let application = card.card.application(file.application)
    let settings = try await card.fileSettings(application, file.file)
    guard case .value(let value) = settings.content else {
      throw Failure(
        .usage, "file \(file.file) holds no value", tag: card.tag.name,
        advice: "nfc desfire info shows which do")
    }
    let holders =
      switch change {
      case .credit: settings.holders(of: \.readWrite)
      case .limitedCredit: settings.holders(of: \.write, \.readWrite)
      case .debit: settings.holders(of: \.read, \.write, \.readWrite)
      case nil:
        settings.holders(of: \.read, \.write, \.readWrite)
          + (value.allowsFreeReading ? [.everyone] : [])
      }
    func open() async throws {
      guard let numbers = card.keys(for: holders) else { return }
      try await card.authenticate(
        application, numbers, for: "file \(file.file) is \(change == nil ? "read" : "changed")")
    }
    try await open()
    guard let change else { return (try await application.value(file: file.file), nil) }
    let receipt = try await card.transaction(application, signing) {
      try await $0.changeValue(file: file.file, change)
    }
    do {
      do {
        return (try await application.value(file: file.file), receipt)
      } catch let error as NFCError where receipt != nil && error.group == .refusal {
        // Another key has named the terminal, and may not read the value.
        try await open()
        return (try await application.value(file: file.file), receipt)
      }
    } catch let error as NFCError {
      throw Failure(card.tag, changedValueIsUnreadable: error)
    }
  }
}

extension Failure {
  /// Creates the error for a value that was changed and then could not be read: whoever repeats the command changes it
  /// a second time.
  init(_ tag: SelectedTag<some Sendable>, changedValueIsUnreadable error: NFCError) {
    self.init(error, tag: tag.name)
    reason = "the value was changed, but cannot be read: \(reason)"
    advice = "do not repeat the change; read the value without one"
  }
}
