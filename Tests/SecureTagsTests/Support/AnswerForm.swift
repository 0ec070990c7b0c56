import VirtualNFC

/// A change of an answer on its way to the reader.
enum AnswerChange: Hashable, Sendable, CaseIterable {
  /// The previous command's answer replaces this one.
  case replayed
  /// The last byte, which is part of the MAC if there is one, is changed.
  case codeChanged
  /// The last byte is missing.
  case cut
  /// There is one additional byte.
  case longer
  /// A refusal, which no MAC protects, replaces the answer.
  case refused
  /// A success without data and MAC replaces the answer.
  case bare
}

/// The form of a card's answers on the air.
enum AnswerForm: Sendable {
  /// Blocks of ISO/IEC 14443-4.
  case blocks(statusSize: Int, refusal: [UInt8], success: [UInt8])
  /// Data with CRC_A, or an acknowledge of four bits: the chips of type 2 tags.
  case pages
  /// Flags and data of ISO/IEC 15693-3.
  case vicinity

  /// What an answer says, without blocks and check bytes.
  enum Content: Equatable, Sendable {
    case bytes([UInt8])
    case acknowledge(UInt8)
  }

  /// The statuses of a MIFARE Plus, and those of a DESFire in a wrapped answer: a missing key, and
  /// success.
  static func blocks(statusSize: Int) -> AnswerForm {
    statusSize == 0
      ? .blocks(statusSize: 0, refusal: [0x06], success: [0x90])
      : .blocks(statusSize: statusSize, refusal: [0x91, 0xAE], success: [0x91, 0x00])
  }

  /// ISO/IEC 7816-4: a missing right, and success.
  static let statusWords = AnswerForm.blocks(
    statusSize: 2, refusal: [0x69, 0x82], success: [0x90, 0x00])

  private static let blockMask: UInt8 = 0xE2
  private static let informationBlock: UInt8 = 0x02
  private static let cidFollows: UInt8 = 0x08
  /// SELECT of each level (ISO/IEC 14443-3, 6.5.3.4), whose answer every tag gives.
  private static let selections: Set<UInt8> = [0x93, 0x95, 0x97]
  /// The flag of an inventory request (ISO/IEC 15693-3, table 3).
  private static let inventory: UInt8 = 0x04
  private static let acknowledge: UInt8 = 0x0A
  private static let refusal: UInt8 = 0x00
  /// An error without information (ISO/IEC 15693-3, table 8).
  private static let vicinityRefusal: [UInt8] = [0x01, 0x0F]
  private static let vicinitySuccess: [UInt8] = [0x00]

  /// Returns what an answer says; `nil` for one that belongs to the search for tags.
  func content(of answer: RadioFrame, to request: RadioFrame) -> Content? {
    guard let command = request.checkedPayload, let first = command.first else { return nil }
    switch self {
    case .blocks:
      guard Self.isInformation(first), let block = answer.checkedPayload, let control = block.first,
        Self.isInformation(control)
      else { return nil }
      return .bytes(Array(block.dropFirst(Self.prologue(control))))
    case .pages:
      guard !Self.selections.contains(first) else { return nil }
      if answer.bitsInLastByte == 4 { return answer.bytes.first.map { .acknowledge($0) } }
      return answer.checkedPayload.map { .bytes($0) }
    case .vicinity:
      guard first & Self.inventory == 0 else { return nil }
      return answer.checkedPayload.map { .bytes($0) }
    }
  }

  /// - Parameter last: the previous answer.
  func changed(_ content: Content, _ change: AnswerChange, last: Content?) -> Content {
    switch change {
    case .replayed: return last ?? content
    case .refused: return refusal
    case .bare: return success
    case .codeChanged, .cut, .longer: break
    }
    guard case .bytes(let bytes) = content else {
      guard case .acknowledge(let code) = content else { return content }
      switch change {
      case .codeChanged: return .acknowledge(code ^ 1)
      case .longer: return .bytes([code, 0])
      default: return content
      }
    }
    let (head, tail) = fixed
    let data = bytes.dropFirst(head).dropLast(tail)
    let (first, status) = (Array(bytes.prefix(head)), bytes.suffix(tail))
    switch change {
    case .codeChanged:
      return .bytes(first + data.dropLast() + data.suffix(1).map { $0 ^ 1 } + status)
    case .cut: return .bytes(first + data.dropLast() + status)
    default: return .bytes(first + data + [0] + status)
    }
  }

  /// The number of bytes before and after the data of an answer.
  private var fixed: (head: Int, tail: Int) {
    switch self {
    case .blocks(let statusSize, _, _): (0, statusSize)
    case .pages: (0, 0)
    case .vicinity: (1, 0)
    }
  }

  private var refusal: Content {
    switch self {
    case .blocks(_, let refusal, _): .bytes(refusal)
    case .pages: .acknowledge(Self.refusal)
    case .vicinity: .bytes(Self.vicinityRefusal)
    }
  }

  private var success: Content {
    switch self {
    case .blocks(_, _, let success): .bytes(success)
    case .pages: .acknowledge(Self.acknowledge)
    case .vicinity: .bytes(Self.vicinitySuccess)
    }
  }

  func frame(_ content: Content, inPlaceOf answer: RadioFrame) -> RadioFrame {
    var frame: RadioFrame
    switch (self, content) {
    case (.blocks, .bytes(let bytes)):
      let block = answer.bytes
      let prologue = block.first.map { Self.prologue($0) } ?? 0
      frame = .typeA(block.prefix(prologue) + bytes)
    case (.vicinity, .bytes(let bytes)): frame = .iso15693(bytes)
    case (.pages, .bytes(let bytes)): frame = .typeA(bytes)
    case (_, .acknowledge(let code)): frame = .typeA(bare: [code], bitsInLastByte: 4)
    }
    frame.bitRate = answer.bitRate
    return frame
  }

  /// An I-block (ISO/IEC 14443-4, 7.1.1.1).
  private static func isInformation(_ control: UInt8) -> Bool {
    control & blockMask == informationBlock
  }

  private static func prologue(_ control: UInt8) -> Int { control & cidFollows == 0 ? 1 : 2 }
}
