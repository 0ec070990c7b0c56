import SwiftNFCCore

/// Reconstructs the frames behind a call of a reader's driver.
///
/// A driver sees commands and answers, but not what the reader does automatically: anticollision,
/// selection, the blocks of ISO/IEC 14443-4, check bytes. This type derives them from what the
/// reader reports, and adds a comment that says so. Frames of technologies that Wireshark cannot
/// dissect are written without their check bytes.
struct FrameReconstruction {
  enum Content: Hashable {
    case carrier(Bool)
    case frame([UInt8], PacketCapture.Sender, PacketCapture.Interface)
  }

  struct Item: Hashable {
    var content: Content
    /// Whether it comes at the beginning of the call rather than at its end.
    var isFirst: Bool
    var comment: String?
  }

  private var targets: [[UInt8]: Target] = [:]
  private var selected: Target?
  /// ISO/IEC 14443-4, 7.5.3: each block from the reader has the other number than the previous one.
  private var blockNumber: UInt8 = 0

  private static let activation = "reconstructed from what the reader reports"
  private static let blocks = "the block is reconstructed; the reader sends it in its own way"
  private static let cipher = "encrypted on the air"

  mutating func items(_ call: RecordedCall) -> [Item] {
    switch (call.request, call.outcome) {
    case (.resetField, .done):
      selected = nil
      return [
        Item(content: .carrier(false), isFirst: true),
        Item(content: .carrier(true), isFirst: false),
      ]
    case (.broadcast(let frame), .done):
      return [
        Item(
          content: .frame(frame.encoded, .reader, .iso14443), isFirst: true, comment: frame.name)
      ]
    case (_, .targets(let found)):
      for target in found { targets[target.identifier] = target }
      select(found.last)
      return found.flatMap { Self.activation(of: $0) }.map {
        Item(content: $0, isFirst: false, comment: Self.activation)
      }
    case (.select(let identifier), .done):
      select(targets[identifier])
      return []
    case (.exchange(let command, let framing, _), let outcome):
      return exchange(command.bytes, framing, outcome)
    case (.authenticate(let block, let type, _, _), _):
      let code: UInt8 = type == .a ? 0x60 : 0x61
      return [
        Item(
          content: .frame(Self.checkedA([code, block]), .reader, .iso14443), isFirst: true,
          comment: Self.cipher)
      ]
    default: return cardItems(call)
    }
  }

  /// The frames of a reader that acts as a card: the reader is the other side.
  private mutating func cardItems(_ call: RecordedCall) -> [Item] {
    func block(_ pcb: UInt8, _ data: [UInt8], _ sender: PacketCapture.Sender) -> Item {
      Item(
        content: .frame(Self.checkedA([pcb] + data), sender, .iso14443), isFirst: false,
        comment: Self.blocks)
    }
    let (information, deselect): (UInt8, UInt8) = (0x02, 0xC2)
    switch (call.request, call.outcome) {
    case (.waitForActivation(let uid, let historicalBytes), .activated):
      guard
        let identity = try? CardIdentity(
          number: Array(uid.dropFirst()), historicalBytes: historicalBytes)
      else { return [] }
      select(.iso14443a(identity.target))
      return Self.activation(of: .iso14443a(identity.target)).map {
        Item(content: $0, isFirst: false, comment: Self.activation)
      }
    case (.receiveCommand, .command(let command)):
      return [block(information | blockNumber, command.bytes, .reader)]
    case (.answerCommand(let answer), .done):
      defer { blockNumber ^= 1 }
      return [block(information | blockNumber, answer.bytes, .tag)]
    case (.receiveCommand, .released(.deselected)):
      return [block(deselect, [], .reader), block(deselect, [], .tag)]
    default: return []
    }
  }

  private mutating func select(_ target: Target?) {
    selected = target
    blockNumber = 0
  }

  // MARK: Exchanges

  private mutating func exchange(
    _ command: [UInt8], _ framing: Framing, _ outcome: RecordedCall.Outcome
  ) -> [Item] {
    var answer: [UInt8]?
    if case .answer(let bytes) = outcome { answer = bytes.bytes }
    if case .failure(let error) = outcome, case .negativeAcknowledge(let code)? = error.cause {
      answer = [code]
    }
    guard let selected else { return [] }
    var interface = PacketCapture.Interface.iso14443
    var comment: String?
    // An acknowledge has four bits and no check bytes. In ISO 14443-4 and type B, one byte is an answer.
    var hasAcknowledges = false
    let check: ([UInt8]) -> [UInt8]
    switch selected {
    case .iso14443a(let card) where card.supportsISO14443Part4 && framing == .tagProtocol:
      (check, comment) = (block(CyclicRedundancyCheck.a), Self.blocks)
    case .iso14443b where framing == .tagProtocol:
      (check, comment) = (block(CyclicRedundancyCheck.b), Self.blocks)
    case .iso14443a(let card):
      check = Self.checkedA
      hasAcknowledges = true
      if card.sak & Self.classic != 0, framing == .tagProtocol { comment = Self.cipher }
    case .iso14443b: check = { $0 + CyclicRedundancyCheck.b($0) }
    case .feliCa: (check, interface) = (Self.feliCaFrame, .feliCa)
    case .iso15693: (check, interface) = ({ $0 + CyclicRedundancyCheck.b($0) }, .iso15693)
    case .jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iClass:
      (check, interface, comment) = ({ $0 }, .other, "\(selected.technology), without its check")
    }
    func frame(_ bytes: [UInt8], _ sender: PacketCapture.Sender) -> Item {
      let isWhole = framing == .bare || hasAcknowledges && bytes.count == 1 && sender == .tag
      return Item(
        content: .frame(isWhole ? bytes : check(bytes), sender, interface),
        isFirst: sender == .reader, comment: comment)
    }
    return [frame(command, .reader)] + (answer.map { [frame($0, .tag)] } ?? [])
  }

  /// The bit in SAK for MIFARE Classic's commands (AN10833, 3.2).
  private static let classic: UInt8 = 0x08

  /// Creates I-blocks of one number (ISO/IEC 14443-4, 7.1.1).
  private mutating func block(
    _ check: @escaping ([UInt8]) -> [UInt8]
  ) -> ([UInt8]) -> [UInt8] {
    let control = 0x02 | blockNumber
    blockNumber ^= 1
    return { bytes in
      let block = [control] + bytes
      return block + check(block)
    }
  }

  private static func checkedA(_ bytes: [UInt8]) -> [UInt8] {
    bytes + CyclicRedundancyCheck.a(bytes)
  }

  /// Returns the bytes after a length that includes itself (JIS X 6319-4).
  private static func feliCaFrame(_ bytes: [UInt8]) -> [UInt8] {
    let hasLength = bytes.first.map { Int($0) == bytes.count } ?? false
    let body = hasLength ? bytes : [UInt8(clamping: bytes.count + 1)] + bytes
    return body + CyclicRedundancyCheck.feliCa(body)
  }

  // MARK: Activation

  private static func activation(of target: Target) -> [Content] {
    switch target {
    case .iso14443a(let card): activation(of: card)
    case .iso14443b(let card):
      [
        typeB([0x05, 0x00, 0x00], .reader),
        typeB([0x50] + card.pupi + card.applicationData + card.protocolInfo, .tag),
        typeB([0x1D] + card.pupi + [0x00, 0x08, 0x01, 0x00], .reader), typeB([0x00], .tag),
      ]
    case .feliCa(let card):
      // Polling for any system, and its answer (FeliCa Card User's Manual, excerpted edition, 4.4.2).
      [
        .frame(feliCaFrame([0x00, 0xFF, 0xFF, 0x01, 0x00]), .reader, .feliCa),
        .frame(feliCaFrame([0x01] + card.idm + card.pmm + card.systemCode), .tag, .feliCa),
      ]
    // Everything that such a tag sends, which it does unasked.
    case .barcode(let data): [.frame(data, .tag, .other)]
    case .iso15693, .jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .iClass: []
    }
  }

  private static func typeB(_ bytes: [UInt8], _ sender: PacketCapture.Sender) -> Content {
    .frame(bytes + CyclicRedundancyCheck.b(bytes), sender, .iso14443)
  }

  /// REQA, one round of anticollision and selection for each cascade level, and RATS (ISO/IEC
  /// 14443-3, 6; ISO/IEC 14443-4, 5).
  private static func activation(of card: ISO14443ATarget) -> [Content] {
    let (request, selects, cascadeTag): (UInt8, [UInt8], UInt8) = (0x26, [0x93, 0x95, 0x97], 0x88)
    let (uidIncomplete, requestAnswerToSelect): (UInt8, [UInt8]) = (0x04, [0xE0, 0x80])
    func frame(_ bytes: [UInt8], _ sender: PacketCapture.Sender) -> Content {
      .frame(bytes, sender, .iso14443)
    }
    // A reader that does not report ATQA has not reported the selection either.
    guard card.atqa.count == 2 else { return [] }
    var contents = [frame([request], .reader), frame(card.atqa.reversed(), .tag)]
    var rest = card.uid[...]
    for select in selects where !rest.isEmpty {
      let isLast = rest.count <= 4
      let part = isLast ? Array(rest) : [cascadeTag] + rest.prefix(3)
      rest = rest.dropFirst(isLast ? 4 : 3)
      let checked = part + [part.reduce(0, ^)]
      contents += [
        frame([select, 0x20], .reader), frame(checked, .tag),
        frame(checkedA([select, 0x70] + checked), .reader),
        frame(checkedA([isLast ? card.sak : uidIncomplete]), .tag),
      ]
    }
    if card.supportsISO14443Part4, !card.ats.isEmpty {
      contents += [
        frame(checkedA(requestAnswerToSelect), .reader),
        frame(checkedA([UInt8(clamping: card.ats.count + 1)] + card.ats), .tag),
      ]
    }
    return contents
  }
}
