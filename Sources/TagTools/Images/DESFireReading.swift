import NFC
import SecureTags
import TagImages

/// Reads a DESFire card for an image, as far as no key is required.
struct DESFireReading {
  private let tag: any MiFareTag

  init(_ tag: any MiFareTag) { self.tag = tag }

  func read() async throws -> MemoryTag.Content {
    let card = try await DESFireCard(.miFare(tag))
    var image = TagImage(.desfire)
    image.setIdentity(tag)
    var content = TagImage.DESFire()
    var missing: [String] = []
    if let version = try await Self.answer({ try await card.versionBytes() }),
      version.count == Self.versionLength
    {
      image.version = version
    }
    content.freeMemory = try await Self.answer { UInt32(clamping: try await card.freeMemory()) }
    let identifiers: [DESFireApplicationIdentifier]?
    if card.generation == .fixed {
      identifiers = [.fixed]
    } else {
      let root = try await card.root.exclusively { selection in
        let keys = try Self.keySettings(&selection)
        return (keys, try Self.answer { try selection.applications() })
      }
      (content.keySettings, content.keyVersions) = root.0
      identifiers = root.1
    }
    for identifier in identifiers ?? [] {
      let (application, unread) = try await Self.read(card.application(identifier))
      content.applications.append(application)
      missing += unread
    }
    if identifiers == nil { missing.append("the card lists its applications only with a key") }
    // The next program finds the card as it was.
    if card.generation != .fixed { try await card.root.exclusively { _ in } }
    image.desfire = content
    return MemoryTag.Content(
      image: image, missing: missing.isEmpty ? nil : missing.joined(separator: "; "))
  }

  /// Returns an application, and descriptions of the parts that cannot be read.
  private static func read(
    _ application: DESFireApplication
  ) async throws -> (TagImage.DESFire.Application, missing: [String]) {
    let isFixed = application.card.generation == .fixed
    do {
      return try await application.exclusively { selection in
        var image = TagImage.DESFire.Application(application.identifier)
        if !isFixed { (image.keySettings, image.keyVersions) = try keySettings(&selection) }
        guard let numbers = try answer({ try selection.files() }) else {
          return (image, ["\(image.name) lists its files only with a key"])
        }
        var missing: [String] = []
        var files: [TagImage.DESFire.File] = []
        for number in numbers.map({ UInt8(clamping: $0) }) {
          guard let settings = try answer({ try selection.fileSettingsAnswer(number) }) else {
            missing.append("file \(number) of \(image.name) does not report its settings")
            continue
          }
          guard var file = TagImage.DESFire.File(number, settings.bytes, settings.settings) else {
            missing.append("file \(number) of \(image.name) is of a type that no image can hold")
            continue
          }
          // A refusal would not end anything, but a card may count refusals.
          if settings.settings.isOpenForReading {
            file.data = try answer { try selection.content(of: number, settings.settings) } ?? nil
          }
          if file.data == nil { missing.append("file \(number) of \(image.name) needs a key") }
          files.append(file)
        }
        image.files = files
        return (image, missing)
      }
    } catch let error as NFCError where error.group == .refusal || error.code == .wrongTag {
      let image = TagImage.DESFire.Application(application.identifier)
      return (image, ["\(image.name) cannot be selected"])
    }
  }

  private static let versionLength = 28

  private static func keySettings(
    _ selection: inout DESFireSelection
  ) throws -> (TagImage.DESFire.KeySettings?, [UInt8]) {
    guard let bytes = try answer({ try selection.keySettingsBytes() }), bytes.count >= 2 else {
      return (nil, [])
    }
    let settings = TagImage.DESFire.KeySettings(bytes[0], bytes[1])
    var versions: [UInt8] = []
    for number in 0..<min(Int(settings.keyCount), DESFireApplication.mostKeys) {
      guard let version = try answer({ try selection.keyVersion(number) }) else { break }
      versions.append(version)
    }
    return (settings, versions)
  }

  /// Returns the card's answer, or `nil` if the card does not have the information, requires a key for it, or
  /// answers with something else. An answer that did not arrive is an error.
  private static func answer<Answer>(_ ask: () throws -> Answer) throws -> Answer? {
    do { return try ask() } catch let error as NFCError where isAnswered(error) { return nil }
  }

  private static func answer<Answer>(
    _ ask: () async throws -> Answer
  ) async throws -> Answer? {
    do { return try await ask() } catch let error as NFCError where isAnswered(error) { return nil }
  }

  private static func isAnswered(_ error: NFCError) -> Bool {
    switch error.code {
    case .unsupported, .capacityExceeded, .invalidParameter: true
    case .tagResponseError: error.cause == nil
    default: error.group == .refusal
    }
  }
}

extension TagImage.DESFire.Application {
  init(_ identifier: DESFireApplicationIdentifier) { self.init(identifier: identifier.bytes) }

  /// A text for people.
  var name: String { "application \(Array(identifier.reversed()).hexadecimal)" }
}

extension TagImage.DESFire.File {
  /// The bit of the communication settings that announces additional access rights.
  private static let hasAdditionalRights: UInt8 = 0x80

  /// Creates the image of a file from GetFileSettings' answer, without its content; `nil` for a type that an
  /// image cannot hold.
  init?(_ number: UInt8, _ answer: [UInt8], _ settings: DESFireFileSettings) {
    guard answer.count >= 4 else { return nil }
    let content: TagImage.DESFire.FileSettings
    switch settings.content {
    case .standardData(let size), .backupData(let size):
      content = .data(size: UInt32(clamping: size))
    case .value(let value):
      content = .value(
        lowerLimit: UInt32(bitPattern: value.lowerLimit),
        upperLimit: UInt32(bitPattern: value.upperLimit),
        limitedCredit: UInt32(bitPattern: value.limitedCredit),
        isLimitedCreditEnabled: value.allowsLimitedCredit)
    case .linearRecords(let records), .cyclicRecords(let records):
      content = .records(
        size: UInt32(clamping: records.recordSize), maximum: UInt32(clamping: records.maximumCount),
        count: UInt32(clamping: records.count))
    case .transactionMAC, .other: return nil
    }
    self.init(
      number: number, type: answer[0], communication: answer[1] & ~Self.hasAdditionalRights,
      accessRights: Array(answer[2..<4]), settings: content)
    additionalAccessRights = settings.additionalRights.flatMap { $0.bits.littleEndianBytes }
  }
}

extension DESFireFileSettings {
  private enum FileType {
    static let standard: UInt8 = 0
    static let backup: UInt8 = 1
    static let value: UInt8 = 2
    static let linearRecords: UInt8 = 3
    static let cyclicRecords: UInt8 = 4
  }

  /// Creates the settings of a file in an image.
  init(_ file: TagImage.DESFire.File) {
    let rights = file.accessRights.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    let content: Content =
      switch (file.settings, file.type) {
      case (.data(let size), FileType.standard): .standardData(size: Int(size))
      case (.data(let size), FileType.backup): .backupData(size: Int(size))
      case (.value(let lower, let upper, let credit, let isEnabled), FileType.value):
        .value(
          DESFireValueSettings(
            lowerLimit: Int32(bitPattern: lower), upperLimit: Int32(bitPattern: upper),
            limitedCredit: Int32(bitPattern: credit), allowsLimitedCredit: isEnabled))
      case (.records(let size, let maximum, let count), FileType.linearRecords):
        .linearRecords(
          DESFireRecordSettings(
            recordSize: Int(size), maximumCount: Int(maximum), count: Int(count)))
      case (.records(let size, let maximum, let count), FileType.cyclicRecords):
        .cyclicRecords(
          DESFireRecordSettings(
            recordSize: Int(size), maximumCount: Int(maximum), count: Int(count)))
      default: .other(type: file.type)
      }
    self.init(
      communication: DESFireCommunication(settings: file.communication),
      // Rights that are missing are nobody's.
      rights: DESFireAccessRights(file.accessRights.count == 2 ? rights : .max),
      additionalRights: stride(from: 0, to: file.additionalAccessRights.count - 1, by: 2).map {
        DESFireAccessRights(
          UInt16(file.additionalAccessRights[$0])
            | UInt16(file.additionalAccessRights[$0 + 1]) << 8)
      }, content: content)
  }
}

extension DESFireValueSettings {
  /// Creates the settings of a file that exists.
  fileprivate init(
    lowerLimit: Int32, upperLimit: Int32, limitedCredit: Int32, allowsLimitedCredit: Bool
  ) {
    self.init(
      lowerLimit: lowerLimit, upperLimit: upperLimit, allowsLimitedCredit: allowsLimitedCredit)
    self.limitedCredit = limitedCredit
  }
}
