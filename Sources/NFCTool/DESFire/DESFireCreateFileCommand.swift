import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire create-file`.
struct DESFireCreateFileCommand: AsyncParsableCommand {
  /// The type of a file.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case standard, backup, value, linear, cyclic
    case transactionMAC = "transaction-mac"
  }

  static let configuration = CommandConfiguration(
    commandName: "create-file",
    abstract: "Creates a file.",
    usage: "nfc desfire create-file --app <aid> --file <number> [<options>]",
    discussion: """
      A right is a key's number, everyone or nobody; a right that is not given belongs to key 0. --size is \
      the size of the data, or of a record.

      With a file of type transaction-mac, an EV2 or EV3 card signs what each transaction of the application \
      does. --read-write then says which key may name the terminal, which every transaction requires; with \
      nobody, no terminal is named.

      A file that nfc sun setup is to use on an EV3 card is created with --dynamic, which cannot be changed later.

      Examples:
        nfc desfire create-file --app F00001 --file 1 --type standard --size 64 --communication full
        nfc desfire create-file --app F00001 --file 2 --type value --lower 0 --upper 10000 --read 1
        nfc desfire create-file --app F00001 --file 15 --type transaction-mac \\
          --mac-key 00112233445566778899AABBCCDDEEFF --read 1 --read-write 1 \\
          --key 0:00000000000000000000000000000000
      """)

  @OptionGroup var file: DESFireFileOptions

  @Option(help: "What it holds: standard, backup, value, linear, cyclic or transaction-mac.")
  var type = Kind.standard

  @Option(
    help: ArgumentHelp("Bytes of data, or of each record.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--size", in: 1...0xFF_FFFF) })
  var size: Int?

  @Option(
    help: ArgumentHelp("The maximum number of records.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--records", in: 1...0xFF_FFFF) })
  var records: Int?

  private static let aesKeySize = 16
  private static let numbers = Int(Int32.min)...Int(Int32.max)

  @Option(
    help: ArgumentHelp("A value's lower limit; 0 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--lower", in: numbers) })
  var lower: Int?

  @Option(
    help: ArgumentHelp("A value's upper limit; 2147483647 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--upper", in: numbers) })
  var upper: Int?

  @Option(
    name: .customLong("value"),
    help: ArgumentHelp("The initial value; 0 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--value", in: numbers) })
  var first: Int?

  @Flag(name: .customLong("limited-credit"), help: "Allow limited credits.")
  var allowsLimitedCredit = false

  @Flag(name: .customLong("free-value"), help: "Let everyone read the value.")
  var readsFreely = false

  @Option(
    name: .customLong("mac-key"),
    help: ArgumentHelp("The key that transactions are signed with, AES.", valueName: "hex"),
    transform: { try SecretKey($0, "--mac-key", size: aesKeySize) })
  var macKey: SecretKey?

  @Option(
    name: .customLong("mac-key-version"),
    help: ArgumentHelp("Its version, 0 to 255; 0 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--mac-key-version", in: 0...255) })
  var macKeyVersion: Int?

  @Option(help: "How data is transferred: plain, mac or full.")
  var communication = DESFireCommunication.plain

  @Option(
    help: ArgumentHelp("Who may read it.", valueName: "key"),
    transform: { try DESFireText.access($0, "--read") })
  var read = DESFireAccess.key(0)

  @Option(
    help: ArgumentHelp("Who may write it.", valueName: "key"),
    transform: { try DESFireText.access($0, "--write") })
  var write: DESFireAccess?

  @Option(
    name: .customLong("read-write"), help: ArgumentHelp("Who may do both.", valueName: "key"),
    transform: { try DESFireText.access($0, "--read-write") })
  var readWrite = DESFireAccess.key(0)

  @Option(
    help: ArgumentHelp("Who may change these rights.", valueName: "key"),
    transform: { try DESFireText.access($0, "--change") })
  var change = DESFireAccess.key(0)

  @Option(
    name: .customLong("iso"),
    help: ArgumentHelp("An ISO file identifier, four digits.", valueName: "hex"),
    transform: { try DESFireText.isoIdentifier($0, "--iso") })
  var isoIdentifier: UInt16?

  @Flag(help: "Create a data file of an EV3 card for links that the card signs.")
  var dynamic = false

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Print what would be created, and create nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard (type == .transactionMAC) == (macKey != nil) else {
      throw ValidationError("--type transaction-mac and --mac-key require each other.")
    }
    guard !dynamic || type == .standard else {
      throw ValidationError("--dynamic is for --type standard.")
    }
    if let misplaced {
      let types = misplaced.types.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("\(misplaced.name) is for --type \(types).")
    }
    switch type {
    case .transactionMAC:
      guard isoIdentifier == nil else {
        throw ValidationError("A transaction MAC file has no ISO file identifier.")
      }
    case .standard, .backup:
      guard size != nil else { throw ValidationError("A data file needs --size.") }
    case .linear, .cyclic:
      guard size != nil, let records else {
        throw ValidationError("A record file needs --size and --records.")
      }
      guard type == .linear || records > 1 else {
        throw ValidationError(
          "A cyclic file needs room for at least 2 records: it keeps one fewer.")
      }
    case .value:
      guard isoIdentifier == nil else {
        throw ValidationError("A value file has no ISO file identifier.")
      }
      guard values.lowerLimit <= values.initialValue, values.initialValue <= values.upperLimit
      else {
        throw ValidationError("The value must be between --lower and --upper.")
      }
    }
  }

  /// The first option that a file of this type does not have.
  private var misplaced: (name: String, types: [Kind])? {
    let records: [Kind] = [.linear, .cyclic]
    let given: [(name: String, isGiven: Bool, types: [Kind])] = [
      ("--size", size != nil, [.standard, .backup] + records),
      ("--records", self.records != nil, records),
      ("--lower", lower != nil, [.value]), ("--upper", upper != nil, [.value]),
      ("--value", first != nil, [.value]), ("--limited-credit", allowsLimitedCredit, [.value]),
      ("--free-value", readsFreely, [.value]),
      ("--mac-key-version", macKeyVersion != nil, [.transactionMAC]),
      ("--write", write != nil, Kind.allCases.filter { $0 != .transactionMAC }),
    ]
    return given.first { $0.isGiven && !$0.types.contains(type) }.map { ($0.name, $0.types) }
  }

  private var values: DESFireValueSettings {
    DESFireValueSettings(
      lowerLimit: Int32(lower ?? 0), upperLimit: upper.map { Int32($0) } ?? .max,
      initialValue: Int32(first ?? 0), allowsLimitedCredit: allowsLimitedCredit,
      allowsFreeReading: readsFreely)
  }

  private var content: DESFireFileSettings.Content {
    let records = DESFireRecordSettings(recordSize: size ?? 0, maximumCount: records ?? 0)
    return switch type {
    case .transactionMAC: .transactionMAC(keyVersion: UInt8(macKeyVersion ?? 0))
    case .standard: .standardData(size: size ?? 0)
    case .backup: .backupData(size: size ?? 0)
    case .linear: .linearRecords(records)
    case .cyclic: .cyclicRecords(records)
    case .value: .value(values)
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    let settings = DESFireFileSettings(
      communication: communication,
      rights: DESFireAccessRights(
        read: read, write: type == .transactionMAC ? .nobody : write ?? .key(0),
        readWrite: readWrite,
        change: change),
      content: content)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      guard macKey == nil || card.maySignTransactions else {
        throw Failure(
          .notThere, "cards before EV2 sign no transactions", tag: card.tag.name,
          advice: "use a MIFARE DESFire Light, EV2 or EV3")
      }
      try await card.run {
        let application = card.card.application(file.application)
        try await card.open(application, "a file is created") { $0.createsFreely }
        let key = try macKey.map {
          try DESFireKey(.aes, $0, version: UInt8(macKeyVersion ?? 0))
        }
        let change = application.creationPlan(
          ofFile: file.file, settings, settings.text, isoIdentifier: isoIdentifier,
          allowsDynamicMessaging: dynamic, macKey: key)
        guard !plan else { return try PlanOutput.show(change, options) }
        // The key is sent encrypted. This requires a session, even if everyone may create files.
        if key != nil {
          try await card.authenticate(application, [0], for: "a transaction MAC file is created")
        }
        try await card.card.perform(change)
        try Output.done(
          options, card.tag.detected.identifier,
          ["app": .string("\(file.application)"), "file": .integer(file.file)])
      }
    }
  }
}

extension DESFireCommunication: ExpressibleByArgument {}
