import NFC
import TagImages

/// Reads the files of a smart card for an image, as far as no key is required: the files of the NFC Forum's
/// application, and the card's own files that standards define.
struct SmartCardReading {
  /// The files EF.DIR and EF.ATR/INFO (ISO/IEC 7816-4, 8.2.1.1), and EF.CardAccess of travel documents (ICAO
  /// Doc 9303-11, 9.2.1).
  private static let cardFiles: [UInt16] = [0x2F00, 0x2F01, 0x011C]

  /// The length of a capability container for one file, in bytes.
  private static let shortestContainer = 15

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
      selected = try await tag.selectApplication(of: ApplicationIdentifier.ndefOfAllVersions)
    } catch let error as NFCError where error.code == .wrongTag {
      return nil
    }
    var application = TagImage.SmartCard.Application(name: selected.aid.bytes)
    guard let container = try await container() else { return application }
    application.files.append(
      .init(identifier: Type4CapabilityContainer.fileIdentifier, data: container))
    for control in Type4FileControl.all(in: container) {
      let (data, reason) = try await content(of: control, container)
      if let reason {
        missing.append("file \(control.identifier.bigEndianBytes.hexadecimal) \(reason)")
      }
      application.files.append(.init(identifier: control.identifier, data: data))
    }
    return application
  }

  /// Returns the content of a file that the capability container names, and what is missing of it.
  ///
  /// Mapping versions before 3 reach 8000h bytes, whatever the container says. An app that stands for a tag may have
  /// nothing beyond its message: then that is the whole file.
  private func content(
    of control: Type4FileControl, _ container: [UInt8]
  ) async throws -> (data: [UInt8]?, missing: String?) {
    guard control.isReadable else { return (nil, "needs a key") }
    let version = container.count > 2 ? container[2] >> 4 : 0
    let size = min(control.size, Type4CapabilityContainer.reach(majorVersion: version))
    do {
      let data = try await tag.readBinary(file: control.identifier, offset: 0, count: size)
      return (data, nil)
    } catch let error as NFCError where error.group == .refusal {
      guard error.code != .notAuthenticated else { return (nil, "needs a key") }
      guard control.isNDEF, let length = try await content(control.identifier, control.lengthSize),
        length.count == control.lengthSize,
        let whole = try await content(
          control.identifier,
          min(size, control.lengthSize + length.reduce(0) { $0 << 8 | Int($1) }))
      else { return (nil, "cannot be read: \(error.reason)") }
      return (whole, nil)
    }
  }

  /// Returns the capability container, as long as its own length field indicates. Some cards refuse to read
  /// to the end of a file, and some apps that stand for a tag to read less than the shortest container.
  private func container() async throws -> [UInt8]? {
    let file = Type4CapabilityContainer.fileIdentifier
    var beginning = try await content(file, Self.shortestContainer)
    if beginning == nil { beginning = try await content(file, 2) }
    guard let beginning, beginning.count >= 2 else { return nil }
    let length = Int(beginning[0]) << 8 | Int(beginning[1])
    guard length > beginning.count else { return Array(beginning.prefix(length)) }
    return try await content(file, length)
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
