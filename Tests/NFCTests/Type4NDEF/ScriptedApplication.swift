import NFC
import VirtualNFC

/// An NDEF application that answers as a test specifies: files as they are given, all of them open,
/// and answers to READ BINARY and UPDATE BINARY that break a rule.
struct ScriptedApplication: VirtualApplet {
  var aid: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
  /// By identifier; the capability container and the NDEF file first.
  var files: [(identifier: UInt16, content: [UInt8])]
  /// READ BINARY for more is answered 6700.
  var longestRead = 256
  /// READ BINARY gives at most so many bytes, with 9000.
  var longestAnswer = 256
  /// UPDATE BINARY with more is answered 6700.
  var longestUpdate = 255
  /// Every READ BINARY or UPDATE BINARY of the NDEF file is answered so.
  var readStatus: [UInt8]?
  var updateStatus: [UInt8]?
  /// READ BINARY beyond the message of the NDEF file is answered so.
  var statusBeyondMessage: [UInt8]?
  /// UPDATE BINARY changes the NDEF file, whichever file is selected.
  var ignoresSelection = false
  /// UPDATE BINARY of the capability container is answered 6982.
  var isContainerClosed = false
  private var current: Int?

  init(container: [UInt8], ndefFile: [UInt8]? = nil, identifier: UInt16 = 0xE104) {
    files = [(0xE103, container)]
    if let ndefFile { files.append((identifier, ndefFile)) }
  }

  /// A container for a file of 64 bytes that may be written, with MLe 00FB and MLc 00F6.
  static let container: [UInt8] = [
    0x00, 0x0F, 0x20, 0x00, 0xFB, 0x00, 0xF6, 0x04, 0x06, 0xE1, 0x04, 0x00, 0x40, 0x00, 0x00,
  ]

  /// A file of 64 bytes with a message.
  static func file(_ message: [UInt8]) -> [UInt8] {
    let content = [0x00, UInt8(message.count)] + message
    return content + [UInt8](repeating: 0, count: max(0, 64 - content.count))
  }

  /// A type A card with this application alone.
  var tag: VirtualTag {
    VirtualTag(
      ISO7816Card(
        name: "wilful", uid: [0x04, 0x31, 0x22, 0x73, 0x9C, 0x64, 0x80], applets: [self]))
  }

  var memory: [UInt8] {
    get { files.flatMap(\.content) }
    set {
      var rest = newValue[...]
      for index in files.indices {
        let size = files[index].content.count
        files[index].content = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
    }
  }

  /// The write access condition of a container that begins with an NDEF file.
  var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    let container = files.first?.content ?? []
    if container.count > 14, container[14] == 0xFF { state.add(.accessRights) }
    return state
  }

  mutating func deselect() { current = nil }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = APDU(apdu) else { return [0x67, 0x00] }
    let offset = Int(command.p1) << 8 | Int(command.p2)
    switch command.instructionCode {
    case 0xA4:
      guard
        let index = files.firstIndex(where: {
          [UInt8($0.identifier >> 8), UInt8($0.identifier & 0xFF)] == command.data
        })
      else { return [0x6A, 0x82] }
      current = index
      return [0x90, 0x00]
    case 0xB0:
      guard let current, let count = command.expectedLength else { return [0x69, 0x86] }
      if current > 0, let readStatus { return readStatus }
      guard count <= longestRead else { return [0x67, 0x00] }
      if current > 0, let statusBeyondMessage {
        let length = files[current].content.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        guard offset + count <= 2 + length else { return statusBeyondMessage }
      }
      let content = files[current].content.dropFirst(offset)
      return content.prefix(min(count, longestAnswer)) + [0x90, 0x00]
    case 0xD6:
      guard var current else { return [0x69, 0x86] }
      if ignoresSelection { current = 1 }
      if current > 0, let updateStatus { return updateStatus }
      if current == 0, isContainerClosed { return [0x69, 0x82] }
      guard command.data.count <= longestUpdate else { return [0x67, 0x00] }
      guard offset + command.data.count <= files[current].content.count else {
        return [0x6A, 0x84]
      }
      files[current].content.replaceSubrange(
        offset..<(offset + command.data.count), with: command.data)
      return [0x90, 0x00]
    default:
      return [0x6D, 0x00]
    }
  }
}
