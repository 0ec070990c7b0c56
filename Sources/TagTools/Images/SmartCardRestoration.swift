import NFC
import TagImages

/// Restores the files of a smart card that, according to its capability container, everybody may write.
struct SmartCardRestoration: FileRestoration {
  struct Target: RestoredFile {
    let application: [UInt8]
    let file: UInt16
    let old: [UInt8]?
    let data: [UInt8]
    /// The size of a message's length field, which is written last, or 0 for other files.
    let lengthSize: Int
    let omission: RestoredPart.Omission?

    var place: RestoredPart {
      RestoredPart(
        "file", Int(file), label: file.bigEndianBytes.hexadecimal,
        in: application.isEmpty
          ? nil : .init(kind: "application", name: application.hexadecimal))
    }
  }

  /// The maximum number of bytes that libnfc and a PN532 send at once. Every card accepts this many unless
  /// its container specifies less.
  private static let largestPart = 240

  private let tag: any ISO7816Tag
  let targets: [Target]
  private let partLength: Int

  /// - Parameter now: the current content of the card.
  init(_ tag: any ISO7816Tag, _ image: TagImage, now: TagImage) {
    self.tag = tag
    var targets: [Target] = []
    var partLength = Self.largestPart
    for application in image.smartCard?.applications ?? [] {
      let present = now.smartCard?.applications.first { $0.name == application.name }
      let container = present?.content(ofFile: Type4CapabilityContainer.fileIdentifier) ?? []
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

  /// Returns the change of a file, or `nil` if there is nothing to change.
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
      // Data after the message may be omitted without a failure.
      if control.isNDEF, data.count > old.count, let message = Self.message(data, control) {
        data = message
        if old.starts(with: data) { return nil }
      }
      if data.count > old.count {
        omission = "it is too small: \(old.count) bytes for \(data.count)"
      }
    } else {
      omission =
        file == Type4CapabilityContainer.fileIdentifier
        ? "the capability container is never written" : "it is not open for writing"
    }
    return Target(
      application: application, file: file, old: old, data: data,
      lengthSize: control?.isNDEF == true ? control?.lengthSize ?? 0 : 0,
      // A container is specific to the card, like a UID.
      omission: omission.map {
        let isContainer = file == Type4CapabilityContainer.fileIdentifier
        return .init(text: $0, isFailure: !isContainer, isNotRequested: isContainer)
      })
  }

  /// Returns the length and the message, without the data after it.
  private static func message(_ data: [UInt8], _ control: Type4FileControl) -> [UInt8]? {
    guard data.count >= control.lengthSize else { return nil }
    let length = data.prefix(control.lengthSize).reduce(0) { $0 << 8 | Int($1) }
    return data.count - control.lengthSize >= length
      ? Array(data.prefix(control.lengthSize + length)) : nil
  }

  /// Writes a file. The length of a message is zero until the message is complete (NFC Forum Type 4 Tag 1.2,
  /// 5.4.6).
  func write(_ target: Target) async throws {
    if let name = ApplicationIdentifier(target.application) {
      _ = try await tag.selectApplication(of: [name])
    }
    let length = target.data.prefix(target.lengthSize)
    var parts: [(offset: Int, data: [UInt8])] = []
    if !length.isEmpty { parts.append((0, Array(repeating: 0, count: length.count))) }
    if let changed = target.changed(from: length.count) {
      parts.append((changed.lowerBound, Array(target.data[changed])))
    }
    if !length.isEmpty { parts.append((0, Array(length))) }
    try await tag.updateBinary(file: target.file, parts, maximumLength: partLength)
  }
}
