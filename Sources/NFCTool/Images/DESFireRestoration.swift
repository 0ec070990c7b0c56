import NFC
import TagImages

/// Restores files of a DESFire card that exist and that everybody may write. Applications and files are never
/// created.
///
/// The records of a file are replaced by those of the image. If the image begins with the card's records,
/// only the other ones are added. If not, the card's records are deleted and all records of the image are
/// written, each with its own commit. If the card is removed early, it contains the first of these records,
/// and the next restoration adds the rest.
struct DESFireRestoration: FileRestoration {
  private enum FileType {
    static let standard: UInt8 = 0
    static let backup: UInt8 = 1
    static let value: UInt8 = 2
    static let cyclicRecords: UInt8 = 4
  }

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

  private let reading: DESFireReading
  let targets: [Target]

  /// - Parameter now: the current content of the card.
  init(_ tag: any MiFareTag, _ image: TagImage, now: TagImage) {
    reading = DESFireReading(tag)
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
    switch present.type {
    case FileType.standard, FileType.backup:
      guard DESFireReading.isOpen(present, forWriting: true) else { break }
      guard case .data(let size) = present.settings, data.count <= size else {
        return RestoredPart.failure("it is too small for \(data.count) bytes")
      }
      return nil
    case FileType.value:
      guard DESFireReading.isOpenForBoth(present) else { break }
      return present.data?.count == data.count
        ? nil : RestoredPart.failure("its value is not known")
    default: return omissionOfRecords(data, from: file, to: present)
    }
    return RestoredPart.failure("it is not open for writing")
  }

  private static func omissionOfRecords(
    _ data: [UInt8], from file: TagImage.DESFire.File, to present: TagImage.DESFire.File
  ) -> RestoredPart.Omission? {
    guard case .records(let size, let maximum, _) = present.settings,
      case .records(size, _, _) = file.settings, size > 0, data.count.isMultiple(of: Int(size))
    else { return RestoredPart.failure("its records have another size") }
    // A cyclic file keeps one record free for the next one (MF3ICDx21_41_81 data sheet,
    // CreateCyclicRecordFile).
    let room = Int(maximum) - (present.type == FileType.cyclicRecords ? 1 : 0)
    let count = data.count / Int(size)
    guard count <= room else {
      return RestoredPart.failure("it has room for \(room) records, not for \(count)")
    }
    guard let old = present.data else { return RestoredPart.failure("its records are not known") }
    guard DESFireReading.isOpen(present, forWriting: true) else {
      return RestoredPart.failure("it is not open for writing")
    }
    return data.starts(with: old) || DESFireReading.isOpenForBoth(present)
      ? nil : RestoredPart.failure("its records cannot be deleted without a key, only added to")
  }

  func write(_ target: Target) async throws {
    guard try await reading.select(target.application) else {
      throw NFCError(.tagRefused, "the application cannot be selected")
    }
    let number = target.file.number
    if case .records(let size, _, _) = target.file.settings {
      return try await writeRecords(target, size: Int(size))
    }
    guard target.file.type != FileType.value else {
      let difference = Self.value(target.data) - Self.value(target.old ?? [])
      try await reading.changeValue(ofFile: number, by: difference)
      return try await reading.commit()
    }
    // The length of a message is zero until the message is complete (NFC Forum Type 4 Tag 1.2, 5.4.6).
    let length = Array(target.data.prefix(target.lengthSize))
    if !length.isEmpty {
      try await reading.write(Array(repeating: 0, count: length.count), at: 0, ofFile: number)
    }
    if let changed = target.changed(from: length.count) {
      try await reading.write(
        Array(target.data[changed]), at: changed.lowerBound, ofFile: number)
    }
    try await reading.write(length, at: 0, ofFile: number)
    if target.file.type == FileType.backup { try await reading.commit() }
  }

  private func writeRecords(_ target: Target, size: Int) async throws {
    guard size > 0, let old = target.old else {
      throw NFCError(.malformedContent, "the records of the file are not known")
    }
    let isContinued = target.data.starts(with: old)
    if !isContinued { try await reading.clearRecords(ofFile: target.file.number) }
    let added = isContinued ? target.data.dropFirst(old.count) : target.data[...]
    try await reading.addRecords(
      stride(from: added.startIndex, to: added.endIndex, by: size).map {
        Array(added[$0..<min($0 + size, added.endIndex)])
      }, toFile: target.file.number)
  }

  /// Returns a signed value whose least significant byte comes first.
  private static func value(_ bytes: [UInt8]) -> Int64 {
    Int64(Int32(bitPattern: bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }))
  }
}
