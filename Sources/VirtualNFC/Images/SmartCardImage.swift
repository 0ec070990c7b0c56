import SwiftNFCCore
import TagImages

/// A card that processes command APDUs, from which an image of its readable data can be made.
protocol SmartCardChip: ImagedChip {
  var interface: ProximityInterface { get }
  /// Processes a command APDU and returns the answer, without the radio layer.
  mutating func process(_ bytes: [UInt8]) -> [UInt8]
}

extension SmartCardChip {
  var tagImage: TagImage {
    var reader = SmartCardReader(self)
    let applications = reader.applications()
    var image = interface.image(.smartCard)
    guard applications.contains(where: { $0.files.contains { $0.data != nil } }) else {
      return interface.image(interface.modulation == .typeB ? .iso14443b : .iso14443a)
    }
    image.smartCard = TagImage.SmartCard(applications: applications)
    return image
  }
}

extension ISO7816Card: SmartCardChip {}
extension NTAG424: SmartCardChip {}

extension ProximityInterface {
  /// Returns an image of the data that activation reports.
  func image(_ kind: TagImage.Kind) -> TagImage {
    var image = TagImage(kind)
    image.uid = identifier
    switch activation {
    case .typeA(let card, let answer):
      image.atqa = Array(card.atqa.reversed())
      image.sak = card.sak
      image.ats = answer.bytes
    case .typeB(let card):
      image.applicationData = card.applicationData
      image.protocolInfo = card.protocolInfo
    }
    return image
  }

  /// Creates the card of an image. Values that the image does not contain are those of most cards.
  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard let uid = image.uid else { throw .notADump("it has no UID") }
    guard image.applicationData != nil || image.protocolInfo != nil || image.kind == .iso14443b
    else {
      guard [4, 7, 10].contains(uid.count) else {
        throw .notADump("a type A card's UID has 4, 7 or 10 bytes")
      }
      self.init(
        typeA: uid,
        atqa: image.atqa.flatMap { $0.count == 2 ? $0 : nil }.map { $0.reversed() }
          ?? TypeACoding.atqa(uid: uid),
        sak: image.sak ?? 0x20, ats: image.ats ?? AnswerToSelect.unknown)
      return
    }
    guard uid.count == 4 else { throw .notADump("a type B card's PUPI has four bytes") }
    let applicationData = image.applicationData ?? [0, 0, 0, 0]
    let protocolInfo = image.protocolInfo ?? TypeBCoding.protocolInfo
    guard applicationData.count == 4, protocolInfo.count == 3 else {
      throw .notADump("application data have four bytes, protocol information three")
    }
    self.init(typeB: uid, applicationData: applicationData, protocolInfo: protocolInfo)
  }
}

extension ISO7816Card {
  /// Creates a card with the files of an image. Files that could not be read exist, but cannot be read.
  init(_ image: TagImage) throws(VirtualTagNameError) {
    let interface = try ProximityInterface(image)
    var masterFile: ImageApplication?
    var applets: [any VirtualApplet] = []
    let applications = image.smartCard?.applications ?? []
    for application in applications {
      let applet = ImageApplication(application)
      if application.name.isEmpty {
        masterFile = applet
      } else if application.content(ofFile: Type4Layout.capabilityContainer) == nil,
        let message = image.smartCard?.ndefFile?.message,
        let applet = try? Type4Application(ndef: message)
      {
        // Only the message is known; all other values are those of most tags.
        applets.append(applet)
      } else {
        applets.append(applet)
      }
    }
    self.init(name: "smartcard", interface: interface, applets: applets, masterFile: masterFile)
  }
}

/// The names of a Type 4 tag's files, and the entries for further files in a capability container (NFC
/// Forum Type 4 Tag 1.2, 4.2).
private enum Type4Layout {
  static let names: [[UInt8]] = [
    [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01], [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00],
  ]
  static let capabilityContainer: UInt16 = 0xE103
  static let head = 7

  /// A file with its access rights.
  struct Control {
    let identifier: UInt16
    let isReadable: Bool
    let isWritable: Bool
  }

  static func controls(_ container: [UInt8]) -> [Control] {
    var controls: [Control] = []
    var rest = container.dropFirst(head)
    while rest.count >= 2 {
      let (tag, length) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
      let value = Array(rest.dropFirst(2).prefix(length))
      guard (0x04...0x06).contains(tag), value.count == length, length >= 6 else { break }
      controls.append(
        Control(
          identifier: UInt16(value[0]) << 8 | UInt16(value[1]),
          isReadable: value[length - 2] == 0x00, isWritable: value[length - 1] == 0x00))
      rest = rest.dropFirst(2 + length)
    }
    return controls
  }
}

/// An application, or the files outside applications, of an image.
struct ImageApplication: VirtualApplet {
  let aid: [UInt8]
  private var files: [TransparentFile]
  private var currentFile: Int?

  init(_ application: TagImage.SmartCard.Application) {
    aid = application.name
    let container = application.content(ofFile: Type4Layout.capabilityContainer) ?? []
    let controls = Type4Layout.controls(container)
    files = application.files.map { file in
      TransparentFile(
        identifier: file.identifier, content: file.data ?? [], isReadable: file.data != nil,
        isWritable: file.data != nil
          && controls.first { $0.identifier == file.identifier }?.isWritable ?? false)
    }
  }

  var memory: [UInt8] {
    get { files.content }
    set { files.content = newValue }
  }

  mutating func select() -> [UInt8] {
    currentFile = nil
    return StatusWord.success.bytes
  }

  mutating func deselect() { currentFile = nil }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    guard command.cla == 0 else { return StatusWord.classNotSupported.bytes }
    switch command.ins {
    case Instruction.select:
      guard command.data.count == 2 else { return StatusWord.incorrectParameters.bytes }
      let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
      guard let index = files.firstIndex(where: { $0.identifier == identifier }) else {
        return StatusWord.fileNotFound.bytes
      }
      currentFile = index
      return StatusWord.success.bytes
    case Instruction.readBinary: return read(command)
    case Instruction.updateBinary:
      guard let currentFile else { return StatusWord.commandNotAllowed.bytes }
      guard command.p1 & Parameter.shortFileIdentifier == 0 else {
        return StatusWord.fileNotFound.bytes
      }
      return files[currentFile].update(offset: command.parameter, data: command.data).bytes
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  private func read(_ command: CommandAPDU) -> [UInt8] {
    guard let currentFile else { return StatusWord.commandNotAllowed.bytes }
    guard command.p1 & Parameter.shortFileIdentifier == 0 else {
      return StatusWord.fileNotFound.bytes
    }
    let file = files[currentFile]
    switch file.read(offset: command.parameter, count: command.expectedLength) {
    case .data(let data): return data + StatusWord.success.bytes
    case .short(let data):
      return data + (command.expectsMaximum ? StatusWord.success : .endOfFile).bytes
    case .refused(let status): return status.bytes
    }
  }
}

/// Reads a card's files with the card's own commands, without keys: the standard files outside
/// applications, and those of a Type 4 tag.
private struct SmartCardReader<Chip: SmartCardChip> {
  /// EF.DIR and EF.ATR/INFO (ISO/IEC 7816-4, 8.2.1.1), EF.CardAccess (ICAO Doc 9303-11, 9.2.1).
  private static var cardFiles: [UInt16] { [0x2F00, 0x2F01, 0x011C] }
  /// The maximum offset: P1 of READ BINARY holds 7 bits of it.
  private static var largestOffset: Int { 0x7FFF }

  private var chip: Chip

  init(_ chip: Chip) { self.chip = chip }

  mutating func applications() -> [TagImage.SmartCard.Application] {
    var applications: [TagImage.SmartCard.Application] = []
    let own = Self.cardFiles.compactMap { identifier in
      content(identifier).map { TagImage.SmartCard.File(identifier: identifier, data: $0) }
    }
    if !own.isEmpty { applications.append(.init(name: [], files: own)) }
    for name in Type4Layout.names where isDone(select(0x04, name)) {
      var application = TagImage.SmartCard.Application(name: name)
      if let file = content(Type4Layout.capabilityContainer), file.count >= 2 {
        let container = Array(file.prefix(Int(file[0]) << 8 | Int(file[1])))
        application.files.append(
          .init(identifier: Type4Layout.capabilityContainer, data: container))
        for control in Type4Layout.controls(container) {
          application.files.append(
            .init(
              identifier: control.identifier,
              data: control.isReadable ? content(control.identifier) : nil))
        }
      }
      applications.append(application)
      break
    }
    return applications
  }

  private mutating func select(_ p1: UInt8, _ data: [UInt8]) -> [UInt8] {
    chip.process([0x00, Instruction.select, p1, 0x0C, UInt8(data.count)] + data)
  }

  private func isDone(_ answer: [UInt8]) -> Bool {
    answer.suffix(2).elementsEqual(StatusWord.success.bytes)
  }

  /// Returns the content of a file; `nil` for a file that does not exist or has restricted access.
  private mutating func content(_ file: UInt16) -> [UInt8]? {
    // The first form selects any file, the second an elementary file of the current application. A card
    // supports one of the two.
    guard [0x00, 0x02].contains(where: { isDone(select($0, file.bigEndianBytes)) }) else {
      return nil
    }
    var content: [UInt8] = []
    while content.count <= Self.largestOffset {
      let offset = UInt16(content.count).bigEndianBytes
      let answer = chip.process([0x00, Instruction.readBinary] + offset + [0x00])
      guard isDone(answer), answer.count > 2 else { break }
      content += answer.dropLast(2)
    }
    return content.isEmpty ? nil : content
  }
}
