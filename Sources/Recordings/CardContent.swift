import SwiftNFCCore

/// The files and records of a smart card in exchanges.
struct CardContent {
  private typealias Window = ContentReplacement.Window

  /// The file that was selected by its identifier.
  private var file: Int?
  /// The file of a DESFire's command that continues in the next frame, and whether it reads.
  private var continued: (number: Int, isRead: Bool)?

  mutating func find(_ command: [UInt8], _ answer: [UInt8]) -> ContentLocator.Finding {
    if let found = plus(command, answer) { return found }
    if let found = desfire(command, answer) { return found }
    guard let apdu = APDU(command) else { return .init() }
    return interindustry(apdu, answer)
  }

  // MARK: ISO/IEC 7816-4

  /// The instructions of ISO/IEC 7816-4, 11, in the classes of every card, because Calypso and others have their own.
  private enum Instruction {
    static let select: UInt8 = 0xA4
    static let readBinary: UInt8 = 0xB0
    static let readBinaryWithDataObject: UInt8 = 0xB1
    static let updateBinary: UInt8 = 0xD6
    /// READ RECORD, GET RESPONSE, GET DATA.
    static let otherReads: Set<UInt8> = [0xB2, 0xB3, 0xC0, 0xCA, 0xCB]
    static let updateBinaryWithDataObject: UInt8 = 0xD7
    /// WRITE and UPDATE BINARY, PUT DATA, WRITE, UPDATE and APPEND RECORD.
    static let writes: Set<UInt8> = [0xD0, 0xD1, 0xD6, 0xDA, 0xDB, 0xD2, 0xDC, 0xDD, 0xE2]
    /// GET PROCESSING OPTIONS (EMV 4.3, book 3, 6.5.8).
    static let getProcessingOptions: UInt8 = 0xA8
  }

  private mutating func interindustry(
    _ apdu: APDU, _ answer: [UInt8]
  ) -> ContentLocator.Finding {
    let data = Array(answer.dropLast(2))
    let written = apdu.isExtended ? 7 : 5
    switch apdu.instructionCode {
    case Instruction.select:
      let isFile = [0x00, 0x02].contains(apdu.p1) && apdu.data.count == 2
      file = isFile ? Int(apdu.data[0]) << 8 | Int(apdu.data[1]) : nil
      return .init(windows: ControlInformation.windows(data))
    case Instruction.readBinary:
      // With the first bit, it names another file, and only P2 is the offset.
      guard apdu.p1 & 0x80 == 0 else {
        return .init(windows: ContentLocator.answer(data, from: 0))
      }
      return inFile(ContentLocator.answer(data, from: 0, at: Int(apdu.p1) << 8 | Int(apdu.p2)))
    case Instruction.updateBinary where apdu.p1 & 0x80 == 0:
      return inFile([
        Window(
          isInAnswer: false, offset: written, count: apdu.data.count,
          address: Int(apdu.p1) << 8 | Int(apdu.p2))
      ])
    case Instruction.readBinaryWithDataObject:
      return inFile(dataObject(of: data, at: offset(in: apdu.data), isInAnswer: true, from: 0))
    case Instruction.getProcessingOptions:
      return .init(windows: ControlInformation.windows(ofProcessingOptions: data))
    case let code where Instruction.otherReads.contains(code):
      return .init(windows: ContentLocator.answer(data, from: 0))
    case Instruction.updateBinaryWithDataObject:
      return inFile(
        dataObject(of: apdu.data, at: offset(in: apdu.data), isInAnswer: false, from: written))
    case let code where Instruction.writes.contains(code):
      return .init(windows: [
        Window(isInAnswer: false, offset: written, count: apdu.data.count, address: 0)
      ])
    default: return .init()
    }
  }

  // The data objects of the odd instructions (ISO/IEC 7816-4, 11.2.2): an offset, and data.
  private static let (offsetObject, dataObject): (UInt32, UInt32) = (0x54, 0x53)

  private func offset(in data: [UInt8]) -> Int {
    let field = (try? BERObject.all(in: data[...]))?.first { $0.tag == Self.offsetObject }
    return field.map { $0.content.reduce(0) { ($0 & 0xFF_FFFF) << 8 | Int($1) } } ?? 0
  }

  /// - Parameter start: the position of the data in the command or the answer.
  private func dataObject(
    of data: [UInt8], at address: Int, isInAnswer: Bool, from start: Int
  ) -> [Window] {
    let field = (try? BERObject.all(in: data[...]))?.first { $0.tag == Self.dataObject }
    let value = field?.content.indices ?? data.indices
    guard !value.isEmpty else { return [] }
    return [
      Window(
        isInAnswer: isInAnswer, offset: start + value.lowerBound, count: value.count,
        address: address)
    ]
  }

  private func inFile(_ windows: [Window]) -> ContentLocator.Finding {
    let capabilityContainer = 0xE103
    guard let file else { return .init(number: -1, windows: windows) }
    return .init(
      kind: file == capabilityContainer ? .structure : .type4, number: file, windows: windows)
  }

  // MARK: MIFARE DESFire

  /// The data commands of DESFire (MF3DX2 data sheet, table 22), plain or wrapped: files of data, records and values.
  private enum DataCommand {
    static let reads: Set<UInt8> = [0xBD, 0xAD, 0xBB, 0xAB, 0x6C]
    /// After the number of the file come an offset and a length of three bytes each.
    static let writes: Set<UInt8> = [0x3D, 0x8D, 0x3B, 0x8B]
    static let writeHeaderSize = 7
    /// UPDATE RECORD, with the number of a record, three bytes, before the offset (NXP's reader library).
    static let updates: Set<UInt8> = [0xDB, 0xBA]
    static let updateHeaderSize = 10
    /// CREDIT, DEBIT, LIMITED CREDIT: after the number of the file, the amount.
    static let amounts: Set<UInt8> = [0x0C, 0xDC, 0x1C]
    static let additionalFrame: UInt8 = 0xAF
    /// GET BALANCE of Korean transport cards has the same class (KS X 6924).
    static let getBalance: UInt8 = 0x4C
    static let wrapped: UInt8 = 0x90
    static let numbers: ClosedRange<UInt8> = 0x00...0x1F
  }

  /// Returns `nil` for a command of another kind.
  private mutating func desfire(
    _ command: [UInt8], _ answer: [UInt8]
  ) -> ContentLocator.Finding? {
    let isWrapped = command[0] == DataCommand.wrapped && command.count > 4
    let code = isWrapped ? command[1] : command[0]
    let start = isWrapped ? 5 : 1
    let before = continued
    continued = nil
    if code == DataCommand.additionalFrame {
      guard let before else { return .init() }
      return frame(before, command, answer, from: start, isWrapped)
    }
    if isWrapped, code == DataCommand.getBalance {
      return .init(windows: ContentLocator.answer(Array(answer.dropLast(2)), from: 0))
    }
    // An APDU has an instruction in the place of the file's number.
    guard command.count > start, DataCommand.numbers.contains(command[start]) else {
      return isWrapped ? .init() : nil
    }
    let number = Int(command[start])
    switch code {
    case let code where DataCommand.reads.contains(code):
      return frame((number, true), command, answer, from: start, isWrapped)
    case let code where DataCommand.writes.contains(code):
      return frame(
        (number, false), command, answer, from: start + DataCommand.writeHeaderSize, isWrapped)
    case let code where DataCommand.updates.contains(code):
      return frame(
        (number, false), command, answer, from: start + DataCommand.updateHeaderSize, isWrapped)
    case let code where DataCommand.amounts.contains(code):
      return .init(number: number, windows: ContentLocator.command(command, from: start + 1))
    default: return isWrapped ? .init() : nil
    }
  }

  /// Returns the content of one frame, and notes whether another one follows.
  private mutating func frame(
    _ access: (number: Int, isRead: Bool), _ command: [UInt8], _ answer: [UInt8], from start: Int,
    _ isWrapped: Bool
  ) -> ContentLocator.Finding {
    let status = isWrapped ? answer.last : answer.first
    if status == DataCommand.additionalFrame { continued = access }
    let windows =
      access.isRead
      ? isWrapped
        ? ContentLocator.answer(Array(answer.dropLast(2)), from: 0)
        : ContentLocator.answer(answer, from: 1)
      : ContentLocator.command(command, from: start)
    return .init(number: access.number, windows: windows)
  }

  // MARK: MIFARE Plus

  /// The commands of MIFARE Plus with the number of a block in two bytes (MF1P(H)x2 data sheet): reads, writes,
  /// changes of a value.
  private enum BlockCommand {
    static let reads: ClosedRange<UInt8> = 0x30...0x37
    static let writes: ClosedRange<UInt8> = 0xA0...0xA3
    static let operationCompleted: UInt8 = 0x90
    static let blockSize = 16
    static let headerSize = 3
  }

  /// Returns `nil` for a command of another kind.
  private func plus(_ command: [UInt8], _ answer: [UInt8]) -> ContentLocator.Finding? {
    if BlockCommand.reads.contains(command[0]), command.count > BlockCommand.headerSize,
      answer.first == BlockCommand.operationCompleted, answer.count > BlockCommand.blockSize
    {
      return .init(windows: ContentLocator.answer(answer, from: 1))
    }
    if BlockCommand.writes.contains(command[0]), command.count > 2, command[2] == 0,
      command.count >= BlockCommand.headerSize + BlockCommand.blockSize
    {
      return .init(windows: ContentLocator.command(command, from: BlockCommand.headerSize))
    }
    return nil
  }
}

/// What a card says about a file or an application when it is selected (ISO/IEC 7816-4, 7.4), or about a payment
/// (EMV 4.3, book 3): cards have numbers and names of people in it.
enum ControlInformation {
  private typealias Window = ContentReplacement.Window

  private static let templates: Set<UInt32> = [0x61, 0x62, 0x64, 0x6F, 0xA5, 0x73, 0xBF0C]
  /// Sizes, kinds, identifiers and names of files; the list of what the card wants to know for a payment.
  private static let kept: Set<UInt32> = [
    0x4F, 0x80, 0x81, 0x82, 0x83, 0x84, 0x86, 0x88, 0x8A, 0x8B, 0x8C, 0x9F38,
  ]
  private static let responseTemplate: UInt32 = 0x77
  private static let formatOne: UInt8 = 0x80
  /// The profile, and the places of the records.
  private static let keptOfProcessingOptions: Set<UInt32> = [0x82, 0x94]

  /// Returns everything except the structure.
  static func windows(_ data: [UInt8]) -> [ContentReplacement.Window] {
    windows(data, in: data.indices, keeping: kept)
  }

  static func windows(ofProcessingOptions data: [UInt8]) -> [ContentReplacement.Window] {
    guard data.first != formatOne else { return [] }
    guard let fields = try? BERObject.all(in: data[...]), fields.count == 1,
      fields[0].tag == responseTemplate
    else { return ContentLocator.answer(data, from: 0) }
    return windows(data, in: fields[0].content.indices, keeping: keptOfProcessingOptions)
  }

  /// - Parameter depth: the maximum number of nested templates.
  private static func windows(
    _ data: [UInt8], in range: Range<Int>, keeping kept: Set<UInt32>, depth: Int = 8
  ) -> [ContentReplacement.Window] {
    guard !range.isEmpty else { return [] }
    guard depth > 0, let fields = try? BERObject.all(in: data[range]) else {
      return [window(range)]
    }
    return fields.flatMap { field -> [ContentReplacement.Window] in
      if templates.contains(field.tag) {
        return windows(data, in: field.content.indices, keeping: kept, depth: depth - 1)
      }
      return kept.contains(field.tag) || field.content.isEmpty
        ? [] : [window(field.content.indices)]
    }
  }

  private static func window(_ range: Range<Int>) -> ContentReplacement.Window {
    ContentReplacement.Window(
      isInAnswer: true, offset: range.lowerBound, count: range.count, address: range.lowerBound)
  }
}
