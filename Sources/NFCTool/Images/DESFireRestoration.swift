import NFC
import TagImages

/// To files of a DESFire card that are there and that everybody may write. Applications and files are never created.
struct DESFireRestoration: FileRestoration {
  private enum FileType {
    static let standard: UInt8 = 0
    static let backup: UInt8 = 1
    static let value: UInt8 = 2
  }

  struct Target: RestoredFile {
    let application: [UInt8]
    let file: TagImage.DESFire.File
    let old: [UInt8]?
    let data: [UInt8]
    /// Of a message's length, which is written last; 0 for other files.
    let lengthSize: Int
    let omission: RestoredPart.Omission?

    var place: RestoredPart {
      RestoredPart(
        "file", Int(file.number),
        in: .init(kind: "application", name: Array(application.reversed()).hexadecimal))
    }
  }

  private let reading: DESFireReading
  let targets: [Target]

  /// - Parameter now: the card as it is.
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

  /// Returns the file of an NDEF application that has the size that its capability container, in
  /// another file, names.
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
    default: return RestoredPart.failure("records can only be added to it")
    }
    return RestoredPart.failure("it is not open for writing")
  }

  func write(_ target: Target) async throws {
    guard try await reading.select(target.application) else {
      throw NFCError(.tagRefused, "the application cannot be selected")
    }
    let number = target.file.number
    guard target.file.type != FileType.value else {
      let difference = Self.value(target.data) - Self.value(target.old ?? [])
      try await reading.changeValue(ofFile: number, by: difference)
      return try await reading.commit()
    }
    // A message's length is zero until the message is there (NFC Forum Type 4 Tag 1.2, 5.4.6).
    let length = Array(target.data.prefix(target.lengthSize))
    if !length.isEmpty {
      try await reading.write(Array(repeating: 0, count: length.count), at: 0, ofFile: number)
    }
    try await reading.write(
      Array(target.data.dropFirst(length.count)), at: length.count, ofFile: number)
    try await reading.write(length, at: 0, ofFile: number)
    if target.file.type == FileType.backup { try await reading.commit() }
  }

  /// With a sign, least significant byte first.
  private static func value(_ bytes: [UInt8]) -> Int64 {
    Int64(Int32(bitPattern: bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }))
  }
}
