import SwiftNFCCore

/// The blocks of ISO/IEC 15693 tags in exchanges.
enum VicinityContent {
  private typealias Window = ContentReplacement.Window

  private static let errorFlag: UInt8 = 0x01
  private static let inventory: UInt8 = 0x04
  private static let protocolExtension: UInt8 = 0x08
  private static let address: UInt8 = 0x20
  private static let option: UInt8 = 0x40
  private static let firstCustom: UInt8 = 0xA0

  /// The form of a command that reads or writes blocks.
  private struct Form {
    var isWrite = false
    /// Whether the number of further blocks follows that of the first.
    var hasCount = false
    /// Whether both have two bytes.
    var isExtended = false
  }

  /// READ and WRITE SINGLE and MULTIPLE BLOCKS, the extended and the fast forms (ISO/IEC 15693-3, 10.4).
  private static let forms: [UInt8: Form] = [
    0x20: Form(), 0x23: Form(hasCount: true), 0x2D: Form(hasCount: true),
    0x30: Form(isExtended: true), 0x33: Form(hasCount: true, isExtended: true),
    0x3D: Form(hasCount: true, isExtended: true), 0x21: Form(isWrite: true),
    0x24: Form(isWrite: true, hasCount: true), 0x31: Form(isWrite: true, isExtended: true),
    0x34: Form(isWrite: true, hasCount: true, isExtended: true),
  ]
  /// The fast reads of ST (ST25DV data sheet, 7.6) and of Fujitsu (MB89R118 data sheet), by their codes, as the
  /// commands of the standard that they repeat.
  private static let fastReads: [UInt8: [UInt8: UInt8]] = [
    0x02: [0xC0: 0x20, 0xC3: 0x23, 0xC4: 0x30, 0xC5: 0x33], 0x08: [0xC0: 0x20, 0xC3: 0x23],
  ]
  /// INVENTORY READ and its fast form, of NXP (SL2S2602 data sheet, 9.5.3).
  private static let inventoryReads: Set<UInt8> = [0xA0, 0xA1]
  private static let nxp: UInt8 = 0x04
  private static let st: UInt8 = 0x02
  /// Write Message and Read Message of ST's mailbox, and their fast forms.
  private static let mailboxWrites: Set<UInt8> = [0xAA, 0xCA]
  private static let mailboxReads: Set<UInt8> = [0xAC, 0xCC]

  static func find(_ command: [UInt8], _ answer: [UInt8]) -> ContentLocator.Finding {
    guard command.count > 1 else { return .init() }
    let (flags, code) = (command[0], command[1])
    let isCustom = code >= firstCustom
    let isAddressed = flags & (inventory | address) == address
    let start = 2 + (isCustom ? 1 : 0) + (isAddressed ? 8 : 0)
    guard isCustom else {
      guard let form = forms[code] else { return .init() }
      return blocks(form, flags, command, answer, start)
    }
    guard command.count > 2 else { return .init() }
    let maker = command[2]
    if let plain = fastReads[maker]?[code], let form = forms[plain] {
      return blocks(form, flags, command, answer, start)
    }
    if maker == nxp, inventoryReads.contains(code), flags & inventory != 0 {
      return .init(windows: ContentLocator.answer(answer, from: 1))
    }
    if maker == st, mailboxReads.contains(code) {
      return .init(windows: ContentLocator.answer(answer, from: 1))
    }
    if maker == st, mailboxWrites.contains(code) {
      return .init(windows: ContentLocator.command(command, from: start + 1))
    }
    return .init()
  }

  private static func blocks(
    _ form: Form, _ flags: UInt8, _ command: [UInt8], _ answer: [UInt8], _ start: Int
  ) -> ContentLocator.Finding {
    let numberSize = form.isExtended || flags & protocolExtension != 0 ? 2 : 1
    let countSize = form.hasCount ? (form.isExtended ? 2 : 1) : 0
    func number(_ offset: Int, _ size: Int) -> Int {
      command[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let data = start + numberSize + countSize
    guard command.count >= data else { return .init() }
    let block = number(start, numberSize)
    let count = countSize > 0 ? number(start + numberSize, countSize) + 1 : 1
    guard !form.isWrite else {
      let size = (command.count - data) / count
      return .init(
        kind: .type5, windows: ContentLocator.command(command, from: data, at: block * size))
    }
    guard answer.count > 1, answer[0] & errorFlag == 0 else { return .init() }
    let status = flags & option != 0 ? 1 : 0
    let size = (answer.count - 1) / count - status
    // Fewer blocks than requested, of some tags, are replaced as they are.
    guard size > 0, (answer.count - 1).isMultiple(of: count) else {
      return .init(windows: ContentLocator.answer(answer, from: 1))
    }
    return .init(
      kind: .type5,
      windows: (0..<count).map { index in
        Window(
          isInAnswer: true, offset: 1 + index * (size + status) + status, count: size,
          address: (block + index) * size)
      })
  }
}
