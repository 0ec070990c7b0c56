import NDEF

/// The files of an NFC Forum Type 4 tag as a state machine: a command in, an answer and an event out.
///
/// It sends nothing and knows no reader, so the same value serves `nfc emulate`, ``EmulatedCard`` and tests.
/// Every command is answered with at least a status word, because phones give up a card that does not answer
/// (NFC Forum, Type 4 Tag Operation Specification 2.0; ISO/IEC 7816-4).
///
/// ```swift
/// var tag = try EmulatedType4Tag(message)
/// tag.activate()
/// let reply = tag.respond(to: [0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00])
/// print(reply.answer.hexadecimal)
/// ```
public struct EmulatedType4Tag: Hashable, Sendable {
  /// What an answer means once it has been sent.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The other side has the whole message, this many bytes.
    case read(Int)
    /// The other side has written a complete message: its bytes.
    case written([UInt8])
  }

  /// The answer to a command.
  public struct Reply: Hashable, Sendable {
    /// Data and status word.
    public var answer: [UInt8]
    /// What has happened, if this answer was sent; `nil` for nothing worth reporting.
    public var event: Event?

    init(_ status: StatusWord, _ data: [UInt8] = [], event: Event? = nil) {
      answer = data + status.rawValue.bigEndianBytes
      self.event = event
    }
  }

  /// The size of the file and of the parts in which it is read and written.
  public struct Layout: Hashable, Sendable {
    /// The size of the NDEF file in bytes, its length field of two bytes included.
    public var size: Int
    /// MLe: the maximum number of bytes in the answer to one READ BINARY.
    public var maximumReadLength: Int
    /// MLc: the maximum number of bytes in one UPDATE BINARY.
    public var maximumUpdateLength: Int

    /// The values of `size`: the last byte must be within reach of READ BINARY, whose offset has 15 bits.
    public static let sizes = 5...0x8000
    /// The values of MLe (Type 4 Tag Operation Specification 2.0, 5.1.2); more does not fit an answer of one frame to
    /// the host.
    public static let readLengths = 15...256
    /// The values of MLc. The whole command must fit the 262 bytes that a chip passes on at once.
    public static let updateLengths = 1...255

    /// Creates a layout; the default values are the quickest that every reader can pass on.
    public init(size: Int = 2048, maximumReadLength: Int = 0xFB, maximumUpdateLength: Int = 0xF6) {
      self.size = size
      self.maximumReadLength = maximumReadLength
      self.maximumUpdateLength = maximumUpdateLength
    }
  }

  /// Whether the other side may write.
  public let isWritable: Bool
  /// The sizes that the tag announces.
  public private(set) var layout: Layout
  /// The last complete message, as bytes.
  public private(set) var message: [UInt8]

  /// The NDEF file, with what the other side has written so far.
  private var file: [UInt8]
  private var isApplicationSelected = false
  private var selected: File?
  /// How many bytes from the beginning of the file were sent in this session without a gap.
  private var sentCount = 0
  /// Whether this session has read the message.
  private var isRead = false
  /// How many bytes from the beginning of the file were written without a gap since the last complete message.
  private var writtenCount = 0

  private enum File {
    case capabilityContainer
    case message
  }

  /// Creates a tag with these bytes as its message.
  ///
  /// - Parameter message: the bytes of an NDEF message; empty for a tag without one.
  /// - Throws: ``NFCError/Code/capacityExceeded`` for a message that is larger than the file;
  ///   ``NFCError/Code/invalidParameter`` for a layout that cannot be.
  public init(
    _ message: [UInt8], isWritable: Bool = false, layout: Layout = Layout()
  ) throws(NFCError) {
    func check(_ value: Int, _ range: ClosedRange<Int>, _ name: String) throws(NFCError) {
      guard !range.contains(value) else { return }
      throw NFCError(
        .invalidParameter, "\(name) is \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    try check(layout.size, Layout.sizes, "the size of the file")
    try check(layout.maximumReadLength, Layout.readLengths, "MLe")
    try check(layout.maximumUpdateLength, Layout.updateLengths, "MLc")
    let room = layout.size - Self.lengthSize
    guard message.count <= room else {
      throw NFCError(
        .capacityExceeded,
        "the message has \(message.count) bytes, and the file has room for \(room)")
    }
    self.message = message
    self.isWritable = isWritable
    self.layout = layout
    file = Self.file(message, layout)
  }

  /// Creates a tag with a message.
  ///
  /// - Throws: as ``init(_:isWritable:layout:)-([UInt8],_,_)``.
  public init(
    _ message: NDEFMessage, isWritable: Bool = false, layout: Layout = Layout()
  ) throws(NFCError) {
    try self.init(
      message.records.isEmpty ? [] : message.encoded(), isWritable: isWritable, layout: layout)
  }

  /// Returns the same tag, which announces no more than a reader can pass on.
  func limited(to reader: EmulationCapabilities?) -> EmulatedType4Tag {
    guard let reader else { return self }
    // Class, instruction, parameters and Lc; the status word.
    let (header, status) = (5, 2)
    var tag = self
    tag.layout.maximumUpdateLength = min(
      layout.maximumUpdateLength, max(1, reader.maximumCommandLength - header))
    tag.layout.maximumReadLength = min(
      layout.maximumReadLength, max(15, reader.maximumAnswerLength - status))
    return tag
  }

  private static let lengthSize = 2

  private static func file(_ message: [UInt8], _ layout: Layout) -> [UInt8] {
    var file = UInt16(truncatingIfNeeded: message.count).bigEndianBytes + message
    file += [UInt8](repeating: 0, count: layout.size - file.count)
    return file
  }

  /// Starts a session: nothing is selected, and what an earlier session has written incompletely is gone.
  public mutating func activate() {
    isApplicationSelected = false
    selected = nil
    (sentCount, writtenCount) = (0, 0)
    isRead = false
    file = Self.file(message, layout)
  }

  // MARK: Commands

  /// The name of the NDEF application, mapping version 2 (Type 4 Tag Operation Specification 2.0, 5.4.2). That of
  /// version 1 ends in 00 and is refused, as by every tag of version 2.
  static let applicationName: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
  /// The identifier of the NDEF file.
  static let messageFile: UInt16 = 0xE104

  private enum Select {
    static let byIdentifier: UInt8 = 0x00
    static let byName: UInt8 = 0x04
    /// The first occurrence, with and without the file's control information in the answer; there is none here.
    static let firstOccurrence: Set<UInt8> = [0x00, 0x0C]
  }

  /// Returns the answer to a command, whatever its bytes are.
  public mutating func respond(to command: [UInt8]) -> Reply {
    guard let instructionClass = command.first else { return Reply(.wrongLength) }
    guard command.count >= 4 else { return Reply(.wrongLength) }
    guard instructionClass == 0 else { return Reply(.classNotSupported) }
    let instruction = command[1]
    guard
      [
        Type4Command.Instruction.select, Type4Command.Instruction.readBinary,
        Type4Command.Instruction.updateBinary,
      ].contains(instruction)
    else { return Reply(.instructionNotSupported) }
    guard let command = APDU(command) else { return Reply(.wrongLength) }
    switch instruction {
    case Type4Command.Instruction.select: return select(command)
    case Type4Command.Instruction.readBinary: return read(command)
    default: return update(command)
    }
  }

  private mutating func select(_ command: APDU) -> Reply {
    guard Select.firstOccurrence.contains(command.p2) else { return Reply(.incorrectParameters) }
    switch command.p1 {
    case Select.byName:
      // Selecting anything else, this application is left (ISO/IEC 7816-4, 7.1.1).
      isApplicationSelected = command.data == Self.applicationName
      selected = nil
      return Reply(isApplicationSelected ? .success : .fileNotFound)
    case Select.byIdentifier:
      guard command.data.count == 2 else { return Reply(.wrongLength) }
      guard isApplicationSelected else { return Reply(.fileNotFound) }
      switch UInt16(command.data[0]) << 8 | UInt16(command.data[1]) {
      case Type4CapabilityContainer.fileIdentifier: selected = .capabilityContainer
      case Self.messageFile: selected = .message
      // The file that was selected stays so.
      default: return Reply(.fileNotFound)
      }
      return Reply(.success)
    default:
      return Reply(.incorrectParameters)
    }
  }

  /// Returns the offset of READ and UPDATE BINARY; `nil` where P1 names a file instead (ISO/IEC 7816-4, 7.2.2).
  private func offset(_ command: APDU) -> Int? {
    let offset = Int(command.p1) << 8 | Int(command.p2)
    return offset <= Type4Command.maximumOffset ? offset : nil
  }

  private mutating func read(_ command: APDU) -> Reply {
    guard let selected else { return Reply(.noCurrentFile) }
    guard command.data.isEmpty, let wanted = command.expectedLength else {
      return Reply(.wrongLength)
    }
    guard let offset = offset(command) else { return Reply(.fileNotFound) }
    let content = selected == .message ? file : capabilityContainer
    guard offset < content.count else { return Reply(.wrongParameters) }
    // A reader that requests more than MLe gets no more than that, and one past the end what is left.
    let count = min(wanted, layout.maximumReadLength, content.count - offset)
    return Reply(
      .success, Array(content[offset..<(offset + count)]),
      event: selected == .message ? noteSent(offset..<(offset + count)) : nil)
  }

  /// Records that a part of the file is being sent; returns the event if the message is complete with it.
  private mutating func noteSent(_ range: Range<Int>) -> Event? {
    if range.lowerBound <= sentCount { sentCount = max(sentCount, range.upperBound) }
    guard !isRead, sentCount >= Self.lengthSize + message.count, isUnchanged else { return nil }
    isRead = true
    return .read(message.count)
  }

  /// Whether the file holds the last complete message, and nothing is being written.
  private var isUnchanged: Bool {
    file.starts(with: UInt16(truncatingIfNeeded: message.count).bigEndianBytes + message)
  }

  private mutating func update(_ command: APDU) -> Reply {
    guard let selected else { return Reply(.noCurrentFile) }
    guard !command.data.isEmpty, command.data.count <= layout.maximumUpdateLength else {
      return Reply(.wrongLength)
    }
    guard let offset = offset(command) else { return Reply(.fileNotFound) }
    guard isWritable, selected == .message else { return Reply(.securityStatusNotSatisfied) }
    guard offset < file.count else { return Reply(.wrongParameters) }
    let range = offset..<(offset + command.data.count)
    guard range.upperBound <= file.count else { return Reply(.notEnoughMemory) }
    let previousLength = length
    file.replaceSubrange(range, with: command.data)
    if range.lowerBound <= writtenCount { writtenCount = max(writtenCount, range.upperBound) }
    sentCount = 0
    return Reply(.success, event: completed(by: range, after: previousLength))
  }

  /// NLEN, the length of the message that the file announces.
  private var length: Int { Int(file[0]) << 8 | Int(file[1]) }

  /// Returns the event if a message is complete with what was just written: its length was zero and now fits, or all of
  /// it was written since the last one.
  private mutating func completed(by range: Range<Int>, after previousLength: Int) -> Event? {
    let end = Self.lengthSize + length
    guard length > 0, end <= file.count else { return nil }
    let announcesIt = range.lowerBound < Self.lengthSize && previousLength == 0
    guard announcesIt || writtenCount >= end else { return nil }
    message = Array(file[Self.lengthSize..<end])
    writtenCount = 0
    isRead = false
    return .written(message)
  }

  // MARK: Capability container

  private enum Container {
    static let length: UInt8 = 0x0F
    static let version: UInt8 = 0x20
    /// NDEF File Control TLV (Type 4 Tag Operation Specification 2.0, 5.1.2.1).
    static let fileControl: [UInt8] = [0x04, 0x06]
    static let freeAccess: UInt8 = 0x00
    static let noAccess: UInt8 = 0xFF
  }

  /// The content of file E103.
  private var capabilityContainer: [UInt8] {
    func bytes(_ value: Int) -> [UInt8] { UInt16(clamping: value).bigEndianBytes }
    return [0x00, Container.length, Container.version] + bytes(layout.maximumReadLength)
      + bytes(layout.maximumUpdateLength) + Container.fileControl
      + Self.messageFile.bigEndianBytes + bytes(layout.size)
      + [Container.freeAccess, isWritable ? Container.freeAccess : Container.noAccess]
  }
}
