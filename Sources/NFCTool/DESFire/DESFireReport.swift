import SwiftNFCJSONText
import NFC
import SecureTags
import TagTools

/// The information that a card reports about itself, as far as the specified keys permit.
struct DESFireReport {
  struct File {
    let number: Int
    let settings: DESFireFileSettings?
  }

  struct Application {
    let identifier: DESFireApplicationIdentifier
    var name: DESFireApplicationName?
    var summary: DESFireKeySummary?
    /// The application's files, or `nil` if the card lists them only after authentication.
    var files: [File]?
  }

  private let uid: [UInt8]
  private let product: String?
  private let version: DESFireVersionInformation
  private let freeMemory: Int?
  /// The card's UID, if the card uses a random identifier.
  private let ownUID: [UInt8]?
  private let summary: DESFireKeySummary?
  /// The card's applications, or `nil` if the card lists them only after authentication with its master key.
  private let applications: [Application]?

  init(_ card: SelectedDESFire) async throws {
    uid = card.tag.detected.identifier
    product = try await Self.product(card.tag.kind)?.name
    version = try await card.card.version()
    freeMemory = try await Self.ifReported { try await card.card.freeMemory() }
    let root = card.card.root
    guard card.card.generation != .fixed else {
      (summary, ownUID) = (nil, nil)
      applications = [try await Self.application(.fixed, card)]
      return
    }
    let names =
      try await Self.ifReported { try await card.card.applicationNames() } ?? []
    let keys = try await card.summary(root)
    var list = try await Self.ifReported { try await card.card.applications() }
    var own: [UInt8]?
    var reported = keys
    if list == nil || keys == nil || version.uid.allSatisfy({ $0 == 0 }),
      let secret = card.keyring.secret(0, of: .card)
    {
      try await card.authenticate(root, 0, secret)
      own = version.uid.allSatisfy { $0 == 0 } ? try await card.card.cardUID() : nil
      reported = try await root.keySummary()
      list = try await card.card.applications()
    }
    (summary, ownUID) = (reported, own)
    var found: [Application] = []
    for identifier in list ?? [] {
      var application = try await Self.application(identifier, card)
      application.name = names.first { $0.identifier == identifier }
      found.append(application)
    }
    applications = list == nil ? nil : found
  }

  private static func product(_ tag: DetectedTag) async throws -> TagProduct? {
    switch tag {
    case .miFare(let tag): try await tag.product()
    case .iso7816(let tag): try await tag.product()
    default: nil
    }
  }

  /// Returns the card's answer, or `nil` if the card does not have the information or requires a key for it.
  private static func ifReported<Result>(_ ask: () async throws -> Result) async throws -> Result? {
    do {
      return try await ask()
    } catch let error as NFCError
      where [.notAuthenticated, .unsupported, .tagRefused].contains(error.code)
    {
      return nil
    }
  }

  private static func application(
    _ identifier: DESFireApplicationIdentifier, _ card: SelectedDESFire
  ) async throws -> Application {
    let application = card.card.application(identifier)
    var result = Application(identifier: identifier)
    result.summary = try await card.summary(application)
    var numbers = try await ifReported { try await application.files() }
    if numbers == nil, let chip = CardChip(try await product(card.tag.kind)), !chip.files.isEmpty {
      numbers = chip.files
    }
    // Chips with fixed files have no command for the summary, with a key or without.
    let lacksSummary = result.summary == nil && card.card.generation != .fixed
    if numbers == nil || lacksSummary, let secret = card.keyring.secret(0, of: identifier) {
      do {
        try await card.authenticate(application, 0, secret)
        result.summary = try await card.summary(application)
        numbers = try await application.files()
      } catch let error as NFCError where error.code == .authenticationFailed {
        // Another application's key is required.
        numbers = nil
      }
    }
    guard let numbers else { return result }
    var files: [File] = []
    for number in numbers.sorted() {
      let settings = try await ifReported { try await application.fileSettings(number) }
      files.append(File(number: number, settings: settings))
    }
    result.files = files
    return result
  }

  // MARK: JSON

  var json: JSONValue {
    .members([
      "uid": .uid(uid), "product": product.map { .string($0) },
      "version": .members([
        "hardware": .string(version.hardware.numbers),
        "software": .string(version.software.numbers),
        "storage": version.hardware.storageSize.map { .integer($0) },
        "batch": .bytes(version.batch),
        "productionWeek": version.productionWeek.map { .integer($0) },
        "productionYear": version.productionYear.map { .integer($0) },
      ]),
      "cardUID": ownUID.map { .bytes($0) },
      "freeMemory": freeMemory.map { .integer($0) }, "keys": summary.map(\.json),
      "applications": applications.map { .array($0.map(Self.json)) },
    ])
  }

  private static func json(_ application: Application) -> JSONValue {
    .members([
      "aid": .string("\(application.identifier)"),
      "isoIdentifier": application.name.map { .bytes($0.isoIdentifier.bytes) },
      "name": application.name.flatMap { $0.name.isEmpty ? nil : .bytes($0.name) },
      "keys": application.summary.map(\.json),
      "files": application.files.map {
        .array(
          $0.map { file in
            .object(
              [JSONValue.Member(key: "file", value: .integer(file.number))]
                + (file.settings?.members ?? []))
          })
      },
    ])
  }

  // MARK: Text

  func addRows(to table: inout FactTable) {
    table.add("UID", uid.hexadecimal)
    if let ownUID { table.add("card's UID", ownUID.hexadecimal) }
    if let product { table.add("product", product) }
    let storage = version.hardware.storageSize.map { ", \($0) bytes" } ?? ""
    table.add(
      "version",
      "hardware \(version.hardware.text), software \(version.software.text)\(storage)")
    if let week = version.productionWeek, let year = version.productionYear {
      table.add("produced", "week \(week) of \(year), batch \(version.batch.hexadecimal)")
    }
    if let freeMemory { table.add("free memory", "\(freeMemory) bytes") }
    if let summary { table.add("card's key", summary.text) }
    guard let applications else {
      return table.add("applications", "listed only with the card's master key")
    }
    if applications.isEmpty { table.add("applications", "none") }
    for application in applications {
      let name = application.name.map {
        ", ISO \($0.isoIdentifier.bytes.hexadecimal)"
          + ($0.name.isEmpty ? "" : ", name \($0.name.hexadecimal)")
      }
      table.add(
        "application \(application.identifier)",
        (application.summary?.text ?? "settings not reported") + (name ?? ""))
      guard let files = application.files else {
        table.add("  files", "listed only with its master key")
        continue
      }
      if files.isEmpty { table.add("  files", "none") }
      for file in files {
        table.add("  file \(file.number)", file.settings?.text ?? "settings only with a key")
      }
    }
  }
}

extension UInt16 {
  fileprivate var bytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}

extension DESFireVersionInformation.Part {
  /// The two bytes of the version in the form `51.0`.
  fileprivate var numbers: String { "\(major).\(minor)" }
}

extension DESFireKeySummary {
  var json: JSONValue {
    let change: JSONValue =
      switch settings.keyChange {
      case .key(let number): .integer(number)
      case .sameKey: .string("sameKey")
      case .nobody: .string("nobody")
      }
    return .members([
      "count": .integer(keyCount), "crypto": kind.map { .string($0.rawValue) },
      "masterKeyChangeable": .bool(settings.isMasterKeyChangeable),
      "listsFreely": .bool(settings.listsFreely), "createsFreely": .bool(settings.createsFreely),
      "settingsChangeable": .bool(settings.isChangeable), "changedBy": change,
    ])
  }
}

extension DESFireFileSettings {
  var members: [JSONValue.Member] {
    var more: KeyValuePairs<String, JSONValue?> = [:]
    switch content {
    case .standardData(let size), .backupData(let size): more = ["size": .integer(size)]
    case .value(let value):
      more = [
        "lowerLimit": .integer(value.lowerLimit), "upperLimit": .integer(value.upperLimit),
        "limitedCredit": value.allowsLimitedCredit ? .integer(value.limitedCredit) : nil,
        "freeReading": .bool(value.allowsFreeReading),
      ]
    case .linearRecords(let records), .cyclicRecords(let records):
      more = [
        "recordSize": .integer(records.recordSize),
        "maximumRecords": .integer(records.maximumCount),
        "records": .integer(records.count),
      ]
    case .transactionMAC(let version): more = ["keyVersion": .bytes([version])]
    case .other: break
    }
    let common: KeyValuePairs<String, JSONValue?> = [
      "type": .string(typeName), "communication": .string(communication.rawValue),
      "read": DESFireText.json(rights.read), "write": DESFireText.json(rights.write),
      "readWrite": DESFireText.json(rights.readWrite), "change": DESFireText.json(rights.change),
      "additionalRights": additionalRights.isEmpty
        ? nil
        : .array(
          additionalRights.map {
            .members([
              "read": DESFireText.json($0.read), "write": DESFireText.json($0.write),
              "readWrite": DESFireText.json($0.readWrite),
            ])
          }),
    ]
    return (Array(common) + Array(more)).compactMap { key, value in
      value.map { JSONValue.Member(key: key, value: $0) }
    }
  }
}
