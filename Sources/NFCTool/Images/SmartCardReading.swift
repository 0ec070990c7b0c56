import NFC
import TagImages

/// Reads the files of a smart card for an image, as far as no key is required: the files of the NFC Forum's
/// application, and the card's own files that standards define.
struct SmartCardReading {
  static let ndefApplications: [ApplicationIdentifier] = ["D2760000850101", "D2760000850100"]
  static let capabilityContainer: UInt16 = 0xE103
  /// The files EF.DIR and EF.ATR/INFO (ISO/IEC 7816-4, 8.2.1.1), and EF.CardAccess of travel documents (ICAO
  /// Doc 9303-11, 9.2.1).
  private static let cardFiles: [UInt16] = [0x2F00, 0x2F01, 0x011C]

  private let tag: any ISO7816Tag

  init(_ tag: any ISO7816Tag) { self.tag = tag }

  /// - Throws: `notThere` for a card without a readable file.
  func read() async throws -> MemoryTag.Content {
    var image = TagImage(.smartCard)
    image.setIdentity(tag)
    var card = TagImage.SmartCard()
    var missing: [String] = []
    let own = try await files(Self.cardFiles.map { ($0, nil) })
    if !own.isEmpty { card.applications.append(.init(name: [], files: own)) }
    if let application = try await ndefApplication(&missing) {
      card.applications.append(application)
    }
    guard card.applications.contains(where: { $0.files.contains { $0.data != nil } }) else {
      throw NFCError(.wrongTag, "no file of this card can be read without a key")
    }
    image.smartCard = card
    return MemoryTag.Content(
      image: image, missing: missing.isEmpty ? nil : missing.joined(separator: "; "))
  }

  /// Returns the NDEF application, or `nil` if the card has none.
  private func ndefApplication(
    _ missing: inout [String]
  ) async throws -> TagImage.SmartCard.Application? {
    let selected: SelectedApplication
    do {
      selected = try await tag.selectApplication(of: Self.ndefApplications)
    } catch let error as NFCError where error.code == .wrongTag {
      return nil
    }
    var application = TagImage.SmartCard.Application(name: selected.aid.bytes)
    guard let container = try await container() else { return application }
    application.files.append(.init(identifier: Self.capabilityContainer, data: container))
    for control in Type4FileControl.all(in: container) {
      let data =
        control.isReadable ? try await content(control.identifier, control.size) : nil
      if data == nil { missing.append("file \(control.name) needs a key") }
      application.files.append(.init(identifier: control.identifier, data: data))
    }
    return application
  }

  /// Returns the capability container, as long as its own length field indicates. Some cards refuse to read
  /// to the end of a file.
  private func container() async throws -> [UInt8]? {
    guard let length = try await content(Self.capabilityContainer, 2), length.count == 2 else {
      return nil
    }
    return try await content(Self.capabilityContainer, Int(length[0]) << 8 | Int(length[1]))
  }

  private func files(
    _ wanted: [(identifier: UInt16, size: Int?)]
  ) async throws -> [TagImage.SmartCard.File] {
    var files: [TagImage.SmartCard.File] = []
    for (identifier, size) in wanted {
      guard let data = try await content(identifier, size) else { continue }
      files.append(.init(identifier: identifier, data: data))
    }
    return files
  }

  /// Returns the content of a file, or `nil` if the file does not exist or not everybody may read it.
  private func content(_ file: UInt16, _ size: Int?) async throws -> [UInt8]? {
    do {
      return try await tag.readBinary(file: file, offset: 0, count: size)
    } catch let error as NFCError where error.group == .refusal {
      return nil
    }
  }
}

/// The entry of a capability container for a file (NFC Forum Type 4 Tag 1.2, 4.2; 3.0 for the extended
/// entry).
struct Type4FileControl: Hashable, Sendable {
  private enum Layout {
    static let head = 7
    static let file: UInt8 = 0x04
    static let proprietaryFile: UInt8 = 0x05
    static let extendedFile: UInt8 = 0x06
    static let free: UInt8 = 0x00
  }

  let identifier: UInt16
  /// The size of the file in bytes.
  let size: Int
  let isNDEF: Bool
  /// The size of the length field that precedes the message.
  let lengthSize: Int
  let isReadable: Bool
  let isWritable: Bool

  var name: String { identifier.bigEndianBytes.hexadecimal }

  /// Returns the files that a container lists, as far as it can be parsed.
  static func all(in container: [UInt8]) -> [Type4FileControl] {
    var controls: [Type4FileControl] = []
    var rest = container.dropFirst(Layout.head)
    while let tag = rest.first, let length = rest.dropFirst().first.map({ Int($0) }) {
      let value = Array(rest.dropFirst(2).prefix(length))
      guard value.count == length else { break }
      if let control = Type4FileControl(tag, value) { controls.append(control) }
      rest = rest.dropFirst(2 + length)
    }
    return controls
  }

  private init?(_ tag: UInt8, _ value: [UInt8]) {
    let sizeLength = tag == Layout.extendedFile ? 4 : 2
    guard [Layout.file, Layout.proprietaryFile, Layout.extendedFile].contains(tag),
      value.count == 4 + sizeLength
    else { return nil }
    identifier = UInt16(value[0]) << 8 | UInt16(value[1])
    size = value[2..<2 + sizeLength].reduce(0) { $0 << 8 | Int($1) }
    isNDEF = tag != Layout.proprietaryFile
    lengthSize = sizeLength
    isReadable = value[2 + sizeLength] == Layout.free
    isWritable = value[3 + sizeLength] == Layout.free
  }
}
