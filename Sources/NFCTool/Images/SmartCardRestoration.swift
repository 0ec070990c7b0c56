import NFC
import TagImages

/// To the files of a smart card that its capability container lets everybody write.
struct SmartCardRestoration: FileRestoration {
  struct Target: RestoredFile {
    let application: [UInt8]
    let file: UInt16
    let old: [UInt8]?
    let data: [UInt8]
    /// Of a message's length, which is written last; 0 for other files.
    let lengthSize: Int
    let omission: RestoredPart.Omission?

    var place: RestoredPart {
      RestoredPart(
        "file", Int(file), label: file.bigEndianBytes.hexadecimal,
        in: application.isEmpty
          ? nil : .init(kind: "application", name: application.hexadecimal))
    }
  }

  /// P1 and P2 of UPDATE BINARY hold 15 bits of an offset (ISO/IEC 7816-4, 7.2.5).
  private static let largestFile = 0x8000
  /// What libnfc and a PN532 carry at once, and the most that every card takes unless its container says less.
  private static let largestPart = 240

  private let tag: any ISO7816Tag
  let targets: [Target]
  private let partLength: Int

  /// - Parameter now: the card as it is.
  init(_ tag: any ISO7816Tag, _ image: TagImage, now: TagImage) {
    self.tag = tag
    var targets: [Target] = []
    var partLength = Self.largestPart
    for application in image.smartCard?.applications ?? [] {
      let present = now.smartCard?.applications.first { $0.name == application.name }
      let container = present?.content(ofFile: SmartCardReading.capabilityContainer) ?? []
      if container.count > 6 {
        partLength = max(1, min(partLength, Int(container[5]) << 8 | Int(container[6])))
      }
      let controls = Type4FileControl.all(in: container)
      for file in application.files {
        guard let data = file.data else { continue }
        let target = Self.target(
          file.identifier, data, of: application.name, present,
          controls.first { $0.identifier == file.identifier })
        if let target { targets.append(target) }
      }
    }
    self.targets = targets
    self.partLength = partLength
  }

  /// `nil` if there is nothing to be done.
  private static func target(
    _ file: UInt16, _ data: [UInt8], of application: [UInt8],
    _ present: TagImage.SmartCard.Application?, _ control: Type4FileControl?
  ) -> Target? {
    let old = present?.content(ofFile: file)
    if old == data { return nil }
    let isThere = present?.files.contains { $0.identifier == file } ?? false
    var data = data
    var omission: String?
    if !isThere {
      omission = "it is not there"
    } else if let control, control.isWritable, let old {
      // What stands after the message is not worth a failure.
      if control.isNDEF, data.count > old.count, let message = Self.message(data, control) {
        data = message
        if old.starts(with: data) { return nil }
      }
      if data.count > min(old.count, largestFile) {
        omission = "it is too small: \(old.count) bytes for \(data.count)"
      }
    } else {
      omission =
        file == SmartCardReading.capabilityContainer
        ? "the capability container is never written" : "it is not open for writing"
    }
    return Target(
      application: application, file: file, old: old, data: data,
      lengthSize: control?.isNDEF == true ? control?.lengthSize ?? 0 : 0,
      // A container belongs to the card, as a UID does.
      omission: omission.map {
        let isContainer = file == SmartCardReading.capabilityContainer
        return .init(text: $0, isFailure: !isContainer, isNotAskedFor: isContainer)
      })
  }

  /// Returns the length and the message, without what stands after it.
  private static func message(_ data: [UInt8], _ control: Type4FileControl) -> [UInt8]? {
    guard data.count >= control.lengthSize else { return nil }
    let length = data.prefix(control.lengthSize).reduce(0) { $0 << 8 | Int($1) }
    return data.count - control.lengthSize >= length
      ? Array(data.prefix(control.lengthSize + length)) : nil
  }

  /// A message's length is zero until the message is there (NFC Forum Type 4 Tag 1.2, 5.4.6).
  func write(_ target: Target) async throws {
    if let name = ApplicationIdentifier(target.application) {
      _ = try await tag.selectApplication(of: [name])
    }
    // Selects the file.
    _ = try await tag.readBinary(file: target.file, offset: 0, count: 1)
    let length = target.data.prefix(target.lengthSize)
    if !length.isEmpty { try await update(0, Array(repeating: 0, count: length.count)) }
    if let changed = target.changed(from: length.count) {
      try await update(changed.lowerBound, Array(target.data[changed]))
    }
    if !length.isEmpty { try await update(0, Array(length)) }
  }

  private func update(_ offset: Int, _ data: [UInt8]) async throws {
    for first in stride(from: 0, to: data.count, by: partLength) {
      let part = Array(data[first..<min(first + partLength, data.count)])
      let place = UInt16(clamping: offset + first)
      let answer = try await tag.sendCommand(
        APDU(
          instructionClass: 0, instructionCode: Self.updateBinary, p1: UInt8(place >> 8),
          p2: UInt8(place & 0xFF), data: part))
      guard answer.isSuccess else {
        throw NFCError(
          .tagRefused, "the card has refused to write the file",
          cause: .statusWord(answer.statusWord))
      }
    }
  }

  private static let updateBinary: UInt8 = 0xD6
}
