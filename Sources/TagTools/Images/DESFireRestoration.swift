import NFC
import SecureTags
import TagImages

/// Restores files of a DESFire card that exist and that everybody may write. Applications and files are never
/// created.
///
/// The records of a file are replaced by those of the image. If the image begins with the card's records,
/// only the other ones are added. If not, the card's records are deleted and all records of the image are
/// written, each with its own commit. If the card is removed early, it contains the first of these records,
/// and the next restoration adds the rest.
struct DESFireRestoration: FileRestoration {
  struct Target: RestoredFile {
    let application: [UInt8]
    let file: TagImage.DESFire.File
    let old: [UInt8]?
    let data: [UInt8]
    /// The size of a message's length field, which is written last, or 0 for other files.
    let lengthSize: Int
    let omission: RestoredPart.Omission?

    /// Whether the file's content is replaced, which is true for records.
    var isReplaced: Bool { if case .records = file.settings { true } else { false } }

    var place: RestoredPart {
      RestoredPart(
        "file", Int(file.number),
        in: .init(kind: "application", name: Array(application.reversed()).hexadecimal))
    }
  }

  private let tag: any MiFareTag
  let targets: [Target]

  /// - Parameter now: the current content of the card.
  init(_ tag: any MiFareTag, _ image: TagImage, now: TagImage) {
    self.tag = tag
    var targets: [Target] = []
    for application in image.desfire?.applications ?? [] {
      let present = now.desfire?.applications.first {
        $0.identifier == application.identifier
      }
      let messageFile = Self.messageFile(present)
      for file in application.files ?? [] {
        let old = present?.files?.first { $0.number == file.number }
        guard let data = file.data, old?.data != data else { continue }
        targets.append(
          Target(
            application: application.identifier, file: old ?? file, old: old?.data, data: data,
            lengthSize: file.number == messageFile ? 2 : 0,
            omission: Self.omission(data, from: file, to: old, isApplicationThere: present != nil)))
      }
    }
    self.targets = targets
  }

  /// Returns the NDEF file of an application: a file whose size is the one that the capability container, in
  /// another file, specifies.
  private static func messageFile(_ application: TagImage.DESFire.Application?) -> UInt8? {
    let files = application?.files ?? []
    for container in files {
      guard let data = container.data,
        let control = Type4FileControl.all(in: data).first(where: \.isNDEF)
      else { continue }
      return files.first { $0.number != container.number && $0.data?.count == control.size }?.number
    }
    return nil
  }

  private static func omission(
    _ data: [UInt8], from file: TagImage.DESFire.File, to present: TagImage.DESFire.File?,
    isApplicationThere: Bool
  ) -> RestoredPart.Omission? {
    guard isApplicationThere else { return RestoredPart.failure("the application is not there") }
    guard let present else { return RestoredPart.failure("it is not there") }
    guard present.type == file.type else {
      return RestoredPart.failure("it is there as another type of file")
    }
    guard present.number < DESFireApplication.mostFiles else {
      return RestoredPart.failure("no card has a file of this number")
    }
    let settings = DESFireFileSettings(present)
    switch settings.content {
    case .standardData(let size), .backupData(let size):
      guard settings.isOpenForWriting else { break }
      guard data.count <= size else {
        return RestoredPart.failure("it is too small for \(data.count) bytes")
      }
      return nil
    case .value:
      guard settings.isOpenForBoth else { break }
      return present.data?.count == data.count
        ? nil : RestoredPart.failure("its value is not known")
    case .linearRecords(let records):
      return omission(
        data, from: file, to: present, settings, records, room: records.maximumCount)
    case .cyclicRecords(let records):
      // One record stays free for the next one (MF3ICDx21_41_81 data sheet, CreateCyclicRecordFile).
      return omission(
        data, from: file, to: present, settings, records, room: records.maximumCount - 1)
    case .transactionMAC, .other: break
    }
    return RestoredPart.failure("it is not open for writing")
  }

  private static func omission(
    _ data: [UInt8], from file: TagImage.DESFire.File, to present: TagImage.DESFire.File,
    _ settings: DESFireFileSettings, _ records: DESFireRecordSettings, room: Int
  ) -> RestoredPart.Omission? {
    let size = records.recordSize
    guard DESFireFileSettings(file).records?.recordSize == size, size > 0,
      data.count.isMultiple(of: size)
    else { return RestoredPart.failure("its records have another size") }
    let count = data.count / size
    guard count <= room else {
      return RestoredPart.failure("it has room for \(room) records, not for \(count)")
    }
    guard let old = present.data else { return RestoredPart.failure("its records are not known") }
    guard settings.isOpenForWriting else {
      return RestoredPart.failure("it is not open for writing")
    }
    return data.starts(with: old) || settings.isOpenForBoth
      ? nil : RestoredPart.failure("its records cannot be deleted without a key, only added to")
  }

  func write(_ target: Target) async throws {
    let card = try await DESFireCard(.miFare(tag))
    let application = card.application(DESFireApplicationIdentifier(target.application[...]))
    let settings = DESFireFileSettings(target.file)
    do {
      try await application.exclusively { selection in
        selection.use(settings, ofFile: target.file.number)
        switch settings.content {
        case .value: try Self.changeValue(target, &selection)
        case .linearRecords(let records), .cyclicRecords(let records):
          try Self.writeRecords(target, size: records.recordSize, &selection)
        default: try Self.writeData(target, settings, &selection)
        }
      }
    } catch let error as NFCError where error.isRefusalOfDESFire {
      // The other files are written nevertheless.
      throw NFCError(.tagRefused, error.reason, cause: error.cause)
    }
  }

  private static func writeData(
    _ target: Target, _ settings: DESFireFileSettings, _ selection: inout DESFireSelection
  ) throws {
    let file = Int(target.file.number)
    // The length of a message is zero until the message is complete (NFC Forum Type 4 Tag 1.2, 5.4.6).
    let length = Array(target.data.prefix(target.lengthSize))
    if !length.isEmpty {
      try selection.writeData(file: file, Array(repeating: 0, count: length.count))
    }
    if let changed = target.changed(from: length.count) {
      try selection.writeData(
        file: file, offset: changed.lowerBound, Array(target.data[changed]))
    }
    if !length.isEmpty { try selection.writeData(file: file, length) }
    if settings.isTransactional { try selection.commit() }
  }

  /// Credits or debits the difference, in one transaction: a command changes a value by up to 7FFFFFFF.
  private static func changeValue(
    _ target: Target, _ selection: inout DESFireSelection
  ) throws {
    var rest = value(target.data) - value(target.old ?? [])
    while rest != 0 {
      let amount = Int(min(rest.magnitude, UInt64(Int32.max)))
      try selection.changeValue(
        file: Int(target.file.number), rest > 0 ? .credit(amount) : .debit(amount))
      rest -= rest > 0 ? Int64(amount) : -Int64(amount)
    }
    try selection.commit()
  }

  /// Adds records, one after the other. Each is added completely or not at all: all data that is written
  /// before a commit becomes one record (MF3ICDx21_41_81 data sheet, WriteRecord), so each record has its own
  /// commit.
  private static func writeRecords(
    _ target: Target, size: Int, _ selection: inout DESFireSelection
  ) throws {
    guard size > 0, let old = target.old else {
      throw NFCError(.malformedContent, "the records of the file are not known")
    }
    let file = Int(target.file.number)
    let isContinued = target.data.starts(with: old)
    if !isContinued {
      try selection.clearRecords(file: file)
      try selection.commit()
    }
    let added = isContinued ? target.data.dropFirst(old.count) : target.data[...]
    for first in stride(from: added.startIndex, to: added.endIndex, by: size) {
      try selection.writeRecord(file: file, Array(added[first...].prefix(size)))
      try selection.commit()
    }
  }

  /// Returns a signed value whose least significant byte comes first.
  private static func value(_ bytes: [UInt8]) -> Int64 {
    Int64(Int32(bitPattern: bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }))
  }
}

extension NFCError {
  /// Whether the card has answered with a status that stands for a refusal.
  fileprivate var isRefusalOfDESFire: Bool {
    if case .desfireStatus = cause { group != .connection } else { code == .wrongTag }
  }
}
