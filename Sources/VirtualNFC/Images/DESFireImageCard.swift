import SwiftNFCCore
import TagImages

/// A DESFire card created from an image. It returns the data that could be read from the original card.
/// Its keys are unknown, so it refuses every authentication. Files with free write access store what is
/// written to them.
///
/// Source: MF3ICDx21_41_81 data sheet, 9; native commands, and the same in APDUs of class 90.
struct DESFireImageCard: VirtualChip, ImagedChip {
  private enum Command {
    static let getVersion: UInt8 = 0x60
    static let getApplicationIdentifiers: UInt8 = 0x6A
    static let selectApplication: UInt8 = 0x5A
    static let getKeySettings: UInt8 = 0x45
    static let getKeyVersion: UInt8 = 0x64
    static let freeMemory: UInt8 = 0x6E
    static let getFileIdentifiers: UInt8 = 0x6F
    static let getFileSettings: UInt8 = 0xF5
    static let readData: UInt8 = 0xBD
    static let writeData: UInt8 = 0x3D
    /// The same with chaining by ISO/IEC 14443-4, since EV2.
    static let readDataChained: UInt8 = 0xAD
    static let writeDataChained: UInt8 = 0x8D
    static let writeRecord: UInt8 = 0x3B
    static let clearRecordFile: UInt8 = 0xEB
    static let getValue: UInt8 = 0x6C
    static let readRecords: UInt8 = 0xBB
    static let credit: UInt8 = 0x0C
    static let debit: UInt8 = 0xDC
    static let commitTransaction: UInt8 = 0xC7
    static let additionalFrame: UInt8 = 0xAF
    static let authentications: Set<UInt8> = [0x0A, 0x1A, 0xAA, 0x71]
  }

  private enum Status {
    static let done: UInt8 = 0x00
    static let illegalCommand: UInt8 = 0x1C
    static let noSuchKey: UInt8 = 0x40
    static let lengthError: UInt8 = 0x7E
    static let permissionDenied: UInt8 = 0x9D
    static let applicationNotFound: UInt8 = 0xA0
    static let authenticationError: UInt8 = 0xAE
    static let additionalFrame: UInt8 = 0xAF
    static let boundaryError: UInt8 = 0xBE
    static let fileNotFound: UInt8 = 0xF0
  }

  /// The class of a wrapped command, and the first byte of its status word.
  private static let wrappedClass: UInt8 = 0x90
  private static let wrappedStatus: UInt8 = 0x91
  private static let longestFrame = 59
  private static let everybody: UInt8 = 0x0E

  let name = "desfire-image"
  var tagImage: TagImage
  private var interface: ProximityInterface
  /// The index of the selected application; `nil` at the level of the card.
  private(set) var selection: Int?
  /// The index of the file that the last SELECT of ISO/IEC 7816-4 has named.
  var currentFile: Int?
  /// The frames of an answer that were not fetched yet.
  private var waiting: [[UInt8]] = []
  /// The beginning of a command whose data needs further frames.
  private var incoming: (code: UInt8, parameters: [UInt8])?
  private var form = DESFireForm()

  private struct Place: Hashable {
    let application: Int
    let file: Int
  }

  /// The changes to record files that the next commit applies; `nil` for a file that it clears.
  private var pendingRecords: [Place: [UInt8]?] = [:]
  private static let cyclicRecords: UInt8 = 4

  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard let uid = image.uid, [4, 7, 10].contains(uid.count) else {
      throw .notADump("a DESFire card's UID has 7 bytes")
    }
    tagImage = image
    interface = ProximityInterface(
      typeA: uid, atqa: image.atqa.map { $0.reversed() } ?? [0x44, 0x03],
      sak: image.sak.map { $0 | 0x20 } ?? 0x20, sakOfCascade: 0x24,
      ats: image.ats ?? AnswerToSelect.unknown)
  }

  // MARK: VirtualChip

  var identifier: [UInt8] { interface.identifier }
  var modulation: RadioFrame.Modulation { .typeA }

  /// The content of all files, concatenated.
  var memory: [UInt8] {
    get {
      (tagImage.desfire?.applications ?? []).flatMap { application in
        (application.files ?? []).flatMap { $0.data ?? [] }
      }
    }
    set {
      var rest = newValue[...]
      for application in (tagImage.desfire?.applications ?? []).indices {
        for file in (tagImage.desfire?.applications[application].files ?? []).indices {
          guard let data = tagImage.desfire?.applications[application].files?[file].data else {
            continue
          }
          let part = rest.prefix(data.count)
          guard part.count == data.count else { return }
          tagImage.desfire?.applications[application].files?[file].data = Array(part)
          rest = rest.dropFirst(part.count)
        }
      }
    }
  }

  mutating func powerOn() {
    interface.powerOn()
    forget()
  }

  mutating func powerOff() {
    interface.powerOff()
    forget()
  }

  private mutating func forget() {
    selection = nil
    currentFile = nil
    waiting = []
    incoming = nil
    pendingRecords = [:]
    form.reset()
  }

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let wasActivated = interface.isActivated
    switch interface.receive(frame) {
    case .handled(let answer):
      if wasActivated, !interface.isActivated { forget() }
      return answer
    case .command(let command):
      return interface.respond(form.refusal(of: command) ?? process(command))
    }
  }

  private mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.first else { return [] }
    guard first != 0x00 else { return performInterindustry(bytes) }
    guard first == Self.wrappedClass else {
      let (status, data) = perform(first, Array(bytes.dropFirst()))
      return [status] + data
    }
    guard let command = CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
    let (status, data) = perform(command.ins, command.data)
    return data + [Self.wrappedStatus, status]
  }

  // MARK: Commands

  private typealias Answer = (status: UInt8, data: [UInt8])

  private var card: TagImage.DESFire { tagImage.desfire ?? .init() }
  private var application: TagImage.DESFire.Application? {
    selection.map { card.applications[$0] }
  }

  private mutating func perform(_ code: UInt8, _ parameters: [UInt8]) -> Answer {
    if code == Command.additionalFrame {
      guard let begun = incoming else { return continued() }
      return receiveData(begun.code, begun.parameters + parameters)
    }
    waiting = []
    incoming = nil
    switch code {
    case Command.getVersion:
      guard let version = tagImage.version, version.count == 28 else {
        return (Status.illegalCommand, [])
      }
      waiting = [Array(version[7..<14]), Array(version[14...])]
      return (Status.additionalFrame, Array(version[..<7]))
    case Command.freeMemory:
      return card.freeMemory.map { (Status.done, Self.number($0)) } ?? (Status.illegalCommand, [])
    case Command.getApplicationIdentifiers:
      guard selection == nil else { return (Status.permissionDenied, []) }
      return send(card.applications.flatMap(\.identifier), frame: 57)
    case Command.selectApplication: return select(parameters)
    case Command.getKeySettings:
      let settings = selection == nil ? card.keySettings : application?.keySettings
      return settings.map { (Status.done, $0.bytes) } ?? (Status.authenticationError, [])
    case Command.getKeyVersion:
      let versions = selection == nil ? card.keyVersions : application?.keyVersions ?? []
      guard let number = parameters.first.map({ Int($0) }), versions.indices.contains(number)
      else { return (Status.noSuchKey, []) }
      return (Status.done, [versions[number]])
    case Command.getFileIdentifiers:
      guard let files = application?.files else { return (Status.authenticationError, []) }
      return (Status.done, files.map(\.number))
    case Command.getFileSettings, Command.readData, Command.getValue, Command.readRecords,
      Command.clearRecordFile, Command.credit, Command.debit:
      return performOnFile(code, parameters)
    case Command.writeData, Command.writeRecord: return receiveData(code, parameters)
    case Command.readDataChained where hasChainedData:
      return performOnFile(Command.readData, parameters, isWhole: true)
    case Command.writeDataChained where hasChainedData:
      return performOnFile(Command.writeData, parameters)
    // Changes to other files take effect immediately.
    case Command.commitTransaction:
      commitRecords()
      return (Status.done, [])
    case _ where Command.authentications.contains(code): return (Status.authenticationError, [])
    default: return (Status.illegalCommand, [])
    }
  }

  private mutating func select(_ parameters: [UInt8]) -> Answer {
    guard parameters.count == 3 else { return (Status.lengthError, []) }
    let index = card.applications.firstIndex { $0.identifier == parameters }
    guard index != nil || parameters == [0, 0, 0] else {
      pendingRecords = [:]
      return (Status.applicationNotFound, [])
    }
    selectApplication(at: index)
    return (Status.done, [])
  }

  /// Selects an application, or the card. Uncommitted changes are lost.
  mutating func selectApplication(at index: Int?) {
    pendingRecords = [:]
    currentFile = nil
    selection = index
  }

  /// Receives the data of a command, which may come in several frames (MF3ICDx21_41_81 data sheet, WriteData):
  /// file, offset, length, data.
  private mutating func receiveData(_ code: UInt8, _ parameters: [UInt8]) -> Answer {
    incoming = nil
    let header = 7
    guard parameters.count >= header else { return (Status.lengthError, []) }
    let length = Self.number(parameters[4..<header])
    guard parameters.count - header < length else { return performOnFile(code, parameters) }
    incoming = (code, parameters)
    return (Status.additionalFrame, [])
  }

  /// Whether the card is an EV2 or later: the major version of its hardware is higher.
  private var hasChainedData: Bool {
    (tagImage.version?.dropFirst(3).first).map { $0 & 0x0F > 1 } ?? false
  }

  private mutating func performOnFile(
    _ code: UInt8, _ parameters: [UInt8], isWhole: Bool = false
  ) -> Answer {
    guard let selection, let number = parameters.first,
      let index = application?.files?.firstIndex(where: { $0.number == number }),
      let file = application?.files?[index]
    else { return (Status.fileNotFound, []) }
    let rest = Array(parameters.dropFirst())
    switch (code, file.settings) {
    case (Command.getFileSettings, _): return (Status.done, Self.settings(file))
    case (Command.readData, .data(let size)), (Command.readRecords, .records(let size, _, _)):
      guard let data = file.data else { return (Status.authenticationError, []) }
      guard rest.count == 6 else { return (Status.lengthError, []) }
      let unit = code == Command.readData ? 1 : max(1, Int(size))
      let offset = Self.number(rest[0..<3]) * unit
      let length = Self.number(rest[3..<6]) * unit
      // Records are counted from the newest.
      let end = code == Command.readData ? data.count : data.count - offset
      let first = code == Command.readData ? offset : length == 0 ? 0 : end - length
      let last = code == Command.readData && length > 0 ? offset + length : end
      guard 0 <= first, first <= last, last <= data.count else { return (Status.boundaryError, []) }
      let content = Array(data[first..<last])
      return send(content, frame: isWhole ? max(1, content.count) : Self.longestFrame)
    case (Command.getValue, .value):
      return file.data.map { (Status.done, $0) } ?? (Status.authenticationError, [])
    case (Command.writeData, .data):
      return write(rest, to: index, of: selection, file)
    case (Command.writeRecord, .records(let size, let maximum, _)):
      return writeRecord(rest, to: index, of: selection, file, Int(size), Int(maximum))
    case (Command.clearRecordFile, .records):
      guard file.data != nil, Self.isOpenForBoth(file) else {
        return (Status.authenticationError, [])
      }
      pendingRecords[Place(application: selection, file: index)] = .some(nil)
      return (Status.done, [])
    case (Command.credit, .value), (Command.debit, .value):
      return change(rest, isCredit: code == Command.credit, index, of: selection, file)
    default: return (Status.permissionDenied, [])
    }
  }

  private mutating func write(
    _ parameters: [UInt8], to index: Int, of application: Int, _ file: TagImage.DESFire.File
  ) -> Answer {
    guard var data = file.data, Self.isOpenForWriting(file) else {
      return (Status.authenticationError, [])
    }
    guard parameters.count >= 6 else { return (Status.lengthError, []) }
    let offset = Self.number(parameters[0..<3])
    let length = Self.number(parameters[3..<6])
    let content = parameters.dropFirst(6)
    guard content.count == length else { return (Status.lengthError, []) }
    guard offset + length <= data.count else { return (Status.boundaryError, []) }
    data.replaceSubrange(offset..<offset + length, with: content)
    tagImage.desfire?.applications[application].files?[index].data = data
    return (Status.done, [])
  }

  /// Performs a change that requires both access rights (MF3ICDx21_41_81 data sheet, 9.6.4).
  private mutating func change(
    _ amount: [UInt8], isCredit: Bool, _ index: Int, of application: Int,
    _ file: TagImage.DESFire.File
  ) -> Answer {
    guard let old = file.data, old.count == 4,
      Self.isOpenForBoth(file), case .value(let lower, let upper, _, _) = file.settings
    else { return (Status.authenticationError, []) }
    guard amount.count == 4 else { return (Status.lengthError, []) }
    let difference = Self.number(amount[0..<4])
    let value =
      Int(Int32(truncatingIfNeeded: Self.number(old[0..<4])))
      + (isCredit ? difference : -difference)
    guard value >= Int(Int32(bitPattern: lower)), value <= Int(Int32(bitPattern: upper)) else {
      return (Status.boundaryError, [])
    }
    tagImage.desfire?.applications[application].files?[index].data =
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return (Status.done, [])
  }

  // MARK: Records

  /// Writes a record. The first WriteRecord of a transaction creates a record; later ones change it.
  /// After ClearRecordFile, none is accepted (MF3ICDx21_41_81 data sheet, WriteRecord and
  /// ClearRecordFile).
  private mutating func writeRecord(
    _ parameters: [UInt8], to index: Int, of application: Int, _ file: TagImage.DESFire.File,
    _ size: Int, _ maximum: Int
  ) -> Answer {
    guard let data = file.data, Self.isOpenForWriting(file) else {
      return (Status.authenticationError, [])
    }
    guard parameters.count >= 6 else { return (Status.lengthError, []) }
    let offset = Self.number(parameters[0..<3])
    let content = parameters.dropFirst(6)
    guard content.count == Self.number(parameters[3..<6]) else { return (Status.lengthError, []) }
    let isFull = file.type != Self.cyclicRecords && data.count >= size * maximum
    guard offset + content.count <= size, !isFull else { return (Status.boundaryError, []) }
    let place = Place(application: application, file: index)
    guard var record = pendingRecords[place, default: Array(repeating: 0, count: size)] else {
      return (Status.permissionDenied, [])
    }
    record.replaceSubrange(offset..<offset + content.count, with: content)
    pendingRecords[place] = record
    return (Status.done, [])
  }

  private mutating func commitRecords() {
    for (place, record) in pendingRecords {
      guard
        var file = tagImage.desfire?.applications[place.application].files?[place.file],
        case .records(let size, let maximum, _) = file.settings
      else { continue }
      var data = record.map { (file.data ?? []) + $0 } ?? []
      let room = Int(size) * (Int(maximum) - (file.type == Self.cyclicRecords ? 1 : 0))
      data = Array(data.suffix(room))
      file.data = data
      file.settings = .records(
        size: size, maximum: maximum, count: UInt32(data.count / max(1, Int(size))))
      tagImage.desfire?.applications[place.application].files?[place.file] = file
    }
    pendingRecords = [:]
  }

  /// All sets of access rights of a file, each with its lower byte first.
  private static func rights(_ file: TagImage.DESFire.File) -> [(low: UInt8, high: UInt8)] {
    let bytes = file.accessRights + file.additionalAccessRights
    return stride(from: 0, to: bytes.count - 1, by: 2).map { (bytes[$0], bytes[$0 + 1]) }
  }

  private static func isOpenForBoth(_ file: TagImage.DESFire.File) -> Bool {
    rights(file).contains { $0.low >> 4 == everybody }
  }

  /// Returns whether a file has free write access. The second byte holds the access rights for read and
  /// write; the upper half of the first byte holds read-and-write.
  static func isOpenForWriting(_ file: TagImage.DESFire.File) -> Bool {
    rights(file).contains { $0.high & 0x0F == everybody || $0.low >> 4 == everybody }
  }

  private static func settings(_ file: TagImage.DESFire.File) -> [UInt8] {
    let more = file.additionalAccessRights
    let flag: UInt8 = more.isEmpty ? 0 : 0x80
    let common = [file.type, file.communication & 0x03 | flag] + file.accessRights
    return common + fields(of: file) + (more.isEmpty ? [] : [UInt8(more.count / 2)] + more)
  }

  private static func fields(of file: TagImage.DESFire.File) -> [UInt8] {
    switch file.settings {
    case .data(let size): return number(size)
    case .value(let lower, let upper, let credit, let isEnabled):
      return [lower, upper, credit].flatMap { value in
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      } + [isEnabled ? 1 : 0]
    case .records(let size, let maximum, let count):
      return number(size) + number(maximum) + number(count)
    }
  }

  /// Returns three bytes, least significant first.
  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: Frames

  private mutating func send(_ data: [UInt8], frame: Int) -> Answer {
    var frames = stride(from: 0, to: data.count, by: frame).map {
      Array(data[$0..<min($0 + frame, data.count)])
    }
    let first = frames.isEmpty ? [] : frames.removeFirst()
    waiting = frames
    return (frames.isEmpty ? Status.done : Status.additionalFrame, first)
  }

  private mutating func continued() -> Answer {
    guard !waiting.isEmpty else { return (Status.illegalCommand, []) }
    let frame = waiting.removeFirst()
    return (waiting.isEmpty ? Status.done : Status.additionalFrame, frame)
  }
}
