import SwiftNFCCore

/// The NDEF application of an NFC Forum Type 4 tag: NFC Forum, Type 4 Tag Technical Specification.
///
/// It contains a capability container (file E103), which no command can change, an NDEF file and any
/// number of proprietary files.
public struct Type4Application: VirtualApplet {
  /// The major mapping version.
  public enum Mapping: UInt8, Hashable, Sendable {
    /// Version 1.0: a different application identifier, and P2 of SELECT is 00.
    case version1 = 0x10
    /// Version 2.0: files up to 32 767 bytes, whose length field has two bytes.
    case version2 = 0x20
    /// Version 3.0: an extended file (ENDEF), whose length field has four bytes; beyond offset 7FFF, it
    /// is read and written with data objects.
    case version3 = 0x30
  }

  /// The answer to a READ BINARY that requests, with an Le other than 00, more than the rest of the file.
  public enum EndOfFile: Hashable, Sendable {
    /// The rest of the file with 6282, as in ISO/IEC 7816-4.
    case warning
    /// The rest of the file with 9000.
    case shortAnswer
    /// Only 6CXX with the number of bytes in the rest of the file.
    case exactLength
  }

  /// A proprietary file of the maker or issuer, which is listed in the capability container.
  public struct ProprietaryFile: Hashable, Sendable {
    /// The file identifier in the capability container.
    public var identifier: UInt16
    /// The content of the file.
    public var content: [UInt8]
    /// The read access: 00 for free access; every other value refuses access here.
    public var readAccess: UInt8
    /// The write access: 00 for free access; every other value refuses access here.
    public var writeAccess: UInt8

    /// Creates a file with this content; access is free by default.
    public init(
      identifier: UInt16, content: [UInt8], readAccess: UInt8 = 0x00, writeAccess: UInt8 = 0x00
    ) {
      self.identifier = identifier
      self.content = content
      self.readAccess = readAccess
      self.writeAccess = writeAccess
    }
  }

  /// The values of the capability container, and some variations of real tags.
  public struct Configuration: Hashable, Sendable {
    /// The version of the mapping in the capability container.
    public var mapping = Mapping.version2
    /// MLe, the maximum number of bytes in one READ BINARY.
    public var maximumReadLength: UInt16 = 0x00FB
    /// MLc, the maximum number of bytes in one UPDATE BINARY.
    public var maximumUpdateLength: UInt16 = 0x00F6
    /// The identifier of the NDEF file.
    public var fileIdentifier: UInt16 = 0xE104
    /// The size of the NDEF file in bytes, including its length field. Versions 1 and 2 allow 5...32767
    /// (FFFE in the specification's first edition), version 3 up to 16 777 215.
    public var fileSize = 2048
    /// The read access: 00 for free access; every other value refuses access here.
    public var readAccess: UInt8 = 0x00
    /// The write access: 00 for free access, FF for none; every other value refuses access here.
    public var writeAccess: UInt8 = 0x00
    /// Files in addition to the NDEF file.
    public var proprietaryFiles: [ProprietaryFile] = []
    /// The answer to a read past the end of a file.
    public var endOfFile = EndOfFile.warning
    /// The multipliers with which the card requests more time before it answers UPDATE BINARY.
    public var updateTimeExtensions: [UInt8] = []

    /// Creates a configuration with the values of most tags: version 2, 2 KB, free access.
    public init() {}

    /// The size of the length field before the message: four bytes in Type 4 Tag 3.0, two in earlier
    /// versions.
    fileprivate var lengthSize: Int { mapping == .version3 ? 4 : 2 }

    /// The requested size of the NDEF file within the limits of the mapping.
    fileprivate var ndefFileSize: Int {
      min(max(fileSize, 5), mapping == .version3 ? 0xFF_FFFF : 0xFFFE)
    }
  }

  /// The configuration that the application was created with.
  public let configuration: Configuration
  public private(set) var waitingTimeExtensions: [UInt8] = []
  private var files: [TransparentFile]
  private var currentFile: Int?

  /// Creates an application without a message.
  public init(configuration: Configuration = Configuration()) {
    self.init(configuration, content: [])
  }

  /// - Parameter ndef: the message, or its bytes; an empty one leaves the tag empty.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    configuration: Configuration = Configuration(), ndef: some TagMessage
  ) throws(VirtualTagError) {
    let capacity = configuration.ndefFileSize - configuration.lengthSize
    let content = ndef.encodedMessage
    guard content.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    self.init(configuration, content: content)
  }

  /// - Parameter ndef: a message that fits.
  private init(_ configuration: Configuration, content ndef: [UInt8]) {
    self.configuration = configuration
    let (size, lengthSize) = (configuration.ndefFileSize, configuration.lengthSize)
    var content = [UInt8](repeating: 0, count: size)
    for index in 0..<lengthSize {
      content[index] = UInt8(truncatingIfNeeded: ndef.count >> (8 * (lengthSize - 1 - index)))
    }
    content.replaceSubrange(lengthSize..<(lengthSize + ndef.count), with: ndef)
    files = [
      TransparentFile(
        identifier: Self.capabilityContainer,
        content: Self.capabilityContainer(configuration, fileSize: size)),
      TransparentFile(
        identifier: configuration.fileIdentifier, content: content,
        isReadable: configuration.readAccess == 0, isWritable: configuration.writeAccess == 0),
    ]
    files += configuration.proprietaryFiles.map {
      TransparentFile(
        identifier: $0.identifier, content: $0.content, isReadable: $0.readAccess == 0,
        isWritable: $0.writeAccess == 0)
    }
  }

  /// The application identifier (Type 4 Tag 1.0, 4.3.3); in version 1.0 of the mapping it ends in 00.
  public var aid: [UInt8] {
    [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, configuration.mapping == .version1 ? 0x00 : 0x01]
  }

  /// The capability container, the NDEF file and the proprietary files, concatenated.
  public var memory: [UInt8] {
    get { files.content }
    set { files.content = newValue }
  }

  /// The content of the NDEF file, including its length field.
  public var ndefFile: [UInt8] { files[1].content }

  // MARK: Capability container (4.2)

  private static let capabilityContainer: UInt16 = 0xE103
  private static let ndefFileControl: UInt8 = 0x04
  private static let proprietaryFileControl: UInt8 = 0x05
  private static let extendedFileControl: UInt8 = 0x06

  private static func capabilityContainer(
    _ configuration: Configuration, fileSize: Int
  ) -> [UInt8] {
    func bytes(_ value: Int, count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    func control(
      _ tag: UInt8, _ identifier: UInt16, _ size: Int, sizeBytes: Int, _ access: [UInt8]
    ) -> [UInt8] {
      [tag, UInt8(4 + sizeBytes)] + bytes(Int(identifier), count: 2)
        + bytes(size, count: sizeBytes) + access
    }
    let isExtended = configuration.mapping == .version3
    var body = [configuration.mapping.rawValue]
    body += bytes(Int(configuration.maximumReadLength), count: 2)
    body += bytes(Int(configuration.maximumUpdateLength), count: 2)
    body += control(
      isExtended ? extendedFileControl : ndefFileControl, configuration.fileIdentifier, fileSize,
      sizeBytes: isExtended ? 4 : 2, [configuration.readAccess, configuration.writeAccess])
    for file in configuration.proprietaryFiles {
      body += control(
        proprietaryFileControl, file.identifier, file.content.count, sizeBytes: 2,
        [file.readAccess, file.writeAccess])
    }
    return bytes(body.count + 2, count: 2) + body
  }

  // MARK: Commands (5.4)

  public mutating func select() -> [UInt8] {
    currentFile = nil
    waitingTimeExtensions = []
    return StatusWord.success.bytes
  }

  public mutating func deselect() {
    currentFile = nil
    waitingTimeExtensions = []
  }

  public mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    waitingTimeExtensions = []
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    guard command.cla == 0 else { return StatusWord.classNotSupported.bytes }
    switch command.ins {
    case Instruction.select: return selectFile(command)
    case Instruction.readBinary: return readBinary(command)
    case Instruction.updateBinary: return updateBinary(command)
    case Instruction.readBinaryWithDataObject where configuration.mapping == .version3:
      return readBinaryWithDataObject(command)
    case Instruction.updateBinaryWithDataObject where configuration.mapping == .version3:
      return updateBinaryWithDataObject(command)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  private mutating func selectFile(_ command: CommandAPDU) -> [UInt8] {
    let wantsNothing = command.p2 == Parameter.noAnswerData
    guard command.p1 == Parameter.selectFile,
      wantsNothing || command.p2 == Parameter.fileControlInformation
    else {
      return StatusWord.incorrectParameters.bytes
    }
    guard command.data.count == 2 else { return StatusWord.lengthInconsistent.bytes }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    guard let index = files.firstIndex(where: { $0.identifier == identifier }) else {
      return StatusWord.fileNotFound.bytes
    }
    currentFile = index
    if wantsNothing || configuration.mapping == .version1 { return StatusWord.success.bytes }
    return fileControlInformation(files[index]) + StatusWord.success.bytes
  }

  /// Returns the file control information (ISO/IEC 7816-4, 7.4.3): size (80), descriptor of a transparent
  /// file (82), identifier (83).
  private func fileControlInformation(_ file: TransparentFile) -> [UInt8] {
    let size = file.content.count
    let sizeBytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
    let body =
      [0x80, 0x03] + sizeBytes + [0x82, 0x01, 0x01]
      + [0x83, 0x02] + file.identifier.bigEndianBytes
    return [0x6F, UInt8(body.count)] + body
  }

  /// Returns the offset in P1 and P2. With bit 8 of P1, the other bits would be a short file identifier,
  /// which Type 4 tags do not have.
  private func offset(_ command: CommandAPDU) -> Int? {
    command.p1 & Parameter.shortFileIdentifier == 0 ? command.parameter : nil
  }

  private func readBinary(_ command: CommandAPDU) -> [UInt8] {
    guard let currentFile else { return StatusWord.commandNotAllowed.bytes }
    guard command.data.isEmpty, command.expectedLength > 0 else {
      return StatusWord.wrongLength.bytes
    }
    guard let offset = offset(command) else { return StatusWord.fileNotFound.bytes }
    guard let count = readLength(command) else { return StatusWord.wrongLength.bytes }
    switch files[currentFile].read(offset: offset, count: count) {
    case .data(let data): return data + StatusWord.success.bytes
    case .short(let data): return endOfFile(data, isExpected: command.expectsMaximum)
    case .refused(let status): return status.bytes
    }
  }

  /// Returns Le, limited to MLe; `nil` if the reader requests more by a specific number.
  private func readLength(_ command: CommandAPDU) -> Int? {
    let limit = Int(configuration.maximumReadLength)
    if command.expectsMaximum { return min(command.expectedLength, limit) }
    return command.expectedLength <= limit ? command.expectedLength : nil
  }

  private func endOfFile(_ data: [UInt8], isExpected: Bool) -> [UInt8] {
    if isExpected { return data + StatusWord.success.bytes }
    switch configuration.endOfFile {
    case .warning: return data + StatusWord.endOfFile.bytes
    case .shortAnswer: return data + StatusWord.success.bytes
    case .exactLength: return StatusWord.wrongExpectedLength(data.count).bytes
    }
  }

  private mutating func updateBinary(_ command: CommandAPDU) -> [UInt8] {
    guard let currentFile else { return StatusWord.commandNotAllowed.bytes }
    guard !command.data.isEmpty, command.data.count <= Int(configuration.maximumUpdateLength) else {
      return StatusWord.wrongLength.bytes
    }
    guard let offset = offset(command) else { return StatusWord.fileNotFound.bytes }
    waitingTimeExtensions = configuration.updateTimeExtensions
    return files[currentFile].update(offset: offset, data: command.data).bytes
  }

  // MARK: Offsets in data objects (ISO/IEC 7816-4, 7.2.2)

  private static let offsetObject: [UInt8] = [0x54, 0x03]
  private static let discretionaryObject: UInt8 = 0x53

  private func readBinaryWithDataObject(_ command: CommandAPDU) -> [UInt8] {
    guard let currentFile else { return StatusWord.commandNotAllowed.bytes }
    guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
    guard let (offset, rest) = splitOffset(command.data), rest.isEmpty else {
      return StatusWord.incorrectData.bytes
    }
    guard command.expectedLength > 0, let length = readLength(command) else {
      return StatusWord.wrongLength.bytes
    }
    // Le includes the tag and the length of the data object. That a Type 4 tag wraps its answer like this
    // follows ISO/IEC 7816-4 and Android; it is not confirmed on a tag.
    let count = max(min(length - 2, 0x7F), min(length - 3, 0xFF), length - 4)
    guard count > 0 else { return StatusWord.wrongLength.bytes }
    switch files[currentFile].read(offset: offset, count: count) {
    case .data(let data): return wrap(data) + StatusWord.success.bytes
    case .short(let data):
      return wrap(data) + (command.expectsMaximum ? StatusWord.success : .endOfFile).bytes
    case .refused(let status): return status.bytes
    }
  }

  private mutating func updateBinaryWithDataObject(_ command: CommandAPDU) -> [UInt8] {
    guard let currentFile else { return StatusWord.commandNotAllowed.bytes }
    guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
    guard command.data.count <= Int(configuration.maximumUpdateLength) else {
      return StatusWord.wrongLength.bytes
    }
    guard let (offset, rest) = splitOffset(command.data), let data = unwrap(rest), !data.isEmpty
    else { return StatusWord.incorrectData.bytes }
    waitingTimeExtensions = configuration.updateTimeExtensions
    return files[currentFile].update(offset: offset, data: data).bytes
  }

  private func splitOffset(_ data: [UInt8]) -> (Int, [UInt8])? {
    guard data.count >= 5, data.starts(with: Self.offsetObject) else { return nil }
    let offset = Int(data[2]) << 16 | Int(data[3]) << 8 | Int(data[4])
    return (offset, Array(data[5...]))
  }

  private func wrap(_ data: [UInt8]) -> [UInt8] {
    let low = UInt8(truncatingIfNeeded: data.count)
    let length: [UInt8] =
      switch data.count {
      case ...0x7F: [low]
      case ...0xFF: [0x81, low]
      default: [0x82, UInt8(truncatingIfNeeded: data.count >> 8), low]
      }
    return [Self.discretionaryObject] + length + data
  }

  private func unwrap(_ object: [UInt8]) -> [UInt8]? {
    guard object.count >= 2, object[0] == Self.discretionaryObject else { return nil }
    let lengthSize = object[1] < 0x80 ? 0 : Int(object[1] & 0x7F)
    guard lengthSize <= 2, object.count >= 2 + lengthSize else { return nil }
    let length =
      lengthSize == 0
      ? Int(object[1]) : object[2..<(2 + lengthSize)].reduce(0) { $0 << 8 | Int($1) }
    guard object.count == 2 + lengthSize + length else { return nil }
    return Array(object[(2 + lengthSize)...])
  }
}
