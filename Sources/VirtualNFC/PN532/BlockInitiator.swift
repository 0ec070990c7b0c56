/// The reader's side of ISO/IEC 14443-4 as implemented by the PN532's firmware: chaining in both
/// directions, waiting-time extension, and the number of retransmissions in MaxRtyCOM, by default none.
struct BlockInitiator {
  /// A function that sends a block and waits for an answer, at most for the given time.
  typealias Send = ([UInt8], Duration) -> RadioAnswer

  /// The result of one exchange.
  enum Outcome {
    /// The card's answer; `hasMore` if the chip's buffer was full before the end of the answer.
    case answer([UInt8], hasMore: Bool)
    case failure(PN532Status)
  }

  /// The size of the frames that the chip accepts from a card: FSDI 5, 64 bytes including PCB and CRC.
  static let frameSizeIndex: UInt8 = 5
  /// The maximum number of answer bytes in a host frame: 265 bytes less TFI, response code and status.
  static let bufferSize = 262

  /// The sizes of frames to the card, including PCB and CRC (ISO/IEC 14443-4, table 1).
  private static let frameSizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]

  private let cardFrameSize: Int
  private let cardIdentifier: UInt8?
  private let waitingTime: Duration
  /// The number of retries: MaxRtyCOM of RFConfiguration (UM0701-02, 7.3.1).
  var retries: UInt8 = 0
  private var blockNumber: UInt8 = 0
  private var waitsForMore = false

  /// - Parameters:
  ///   - frameSizeIndex: FSCI of the ATS or of protocol information.
  ///   - waitingTimeIndex: FWI of the ATS or of protocol information.
  ///   - cardIdentifier: the CID to put into each block, `nil` for none.
  init(frameSizeIndex: UInt8, waitingTimeIndex: UInt8, cardIdentifier: UInt8?) {
    waitingTime = Self.waitingTime(min(waitingTimeIndex, Self.longestWaitingTimeIndex))
    cardFrameSize = Self.frameSizes[min(Int(frameSizeIndex), Self.frameSizes.count - 1)]
    self.cardIdentifier = cardIdentifier
  }

  // MARK: Blocks, ISO/IEC 14443-4, 7.1.1.1

  private static let iBlock: UInt8 = 0x02
  private static let chaining: UInt8 = 0x10
  private static let followedByCID: UInt8 = 0x08
  private static let rAcknowledge: UInt8 = 0xA2
  private static let rNegative: UInt8 = 0xB2
  private static let sDeselect: UInt8 = 0xC2
  private static let sWaitingTime: UInt8 = 0xF2
  /// FWI 15 is reserved.
  private static let longestWaitingTimeIndex: UInt8 = 14
  /// The maximum number of waiting-time extensions. The standard sets no limit, but no card requests
  /// more.
  private static let maximumExtensions = 255

  /// Returns FWT, 256 × 16 / fc × 2^FWI (ISO/IEC 14443-4, 7.2).
  private static func waitingTime(_ index: UInt8) -> Duration {
    .nanoseconds(302_065 << Int64(index))
  }

  private func block(_ pcb: UInt8, _ data: [UInt8] = []) -> [UInt8] {
    guard let cardIdentifier else { return [pcb] + data }
    return [pcb | Self.followedByCID, cardIdentifier] + data
  }

  /// Sends S(DESELECT) and returns whether the card has confirmed it.
  func deselect(_ send: Send) -> Bool {
    for _ in 0...retries {
      if case .payload(let answer) = send(block(Self.sDeselect), waitingTime),
        let pcb = answer.first, pcb & 0xF7 == Self.sDeselect
      {
        return true
      }
    }
    return false
  }

  /// Sends R(NAK), which a present card answers with R(ACK) (ISO/IEC 14443-4, 7.5.5, note).
  func isPresent(_ send: Send) -> Bool {
    if case .payload(let answer) = send(block(Self.rNegative | blockNumber), waitingTime) {
      return !answer.isEmpty
    }
    return false
  }

  /// Sends `data` in as many blocks as the card's frame size requires and collects the answer.
  ///
  /// - Parameters:
  ///   - data: empty to continue with an answer of which only the first part has been returned.
  ///   - isChained: whether the host has more data for this command; the card only acknowledges it.
  mutating func exchange(
    _ data: [UInt8], isChained: Bool, send: Send
  ) -> Outcome {
    if waitsForMore, data.isEmpty {
      waitsForMore = false
      return receive(first: block(Self.rAcknowledge | blockNumber), send: send)
    }
    waitsForMore = false
    let overhead = cardIdentifier == nil ? 3 : 4
    let step = max(1, cardFrameSize - overhead)
    var rest = data[...]
    while rest.count > step || isChained {
      let part = rest.prefix(step)
      rest = rest.dropFirst(part.count)
      let frame = block(Self.iBlock | Self.chaining | blockNumber, Array(part))
      switch transceive(frame, send: send) {
      case .success(let answer):
        guard answer[0] & 0xF6 == 0xA2, answer[0] & 1 == blockNumber else {
          return .failure(.rfProtocolError)
        }
        blockNumber ^= 1
      case .failure(let failure):
        return .failure(failure.status)
      }
      if isChained, rest.isEmpty { return .answer([], hasMore: false) }
    }
    return receive(first: block(Self.iBlock | blockNumber, Array(rest)), send: send)
  }

  private mutating func receive(
    first: [UInt8], send: Send
  ) -> Outcome {
    var collected: [UInt8] = []
    var frame = first
    while true {
      switch transceive(frame, send: send) {
      case .failure(let failure):
        return .failure(failure.status)
      case .success(let answer):
        let header = answer[0] & Self.followedByCID != 0 ? 2 : 1
        guard answer[0] & 0xE2 == Self.iBlock, answer[0] & 1 == blockNumber,
          answer.count >= header
        else { return .failure(.rfProtocolError) }
        collected += answer.dropFirst(header)
        blockNumber ^= 1
        guard answer[0] & Self.chaining != 0 else { return .answer(collected, hasMore: false) }
        let nextAtMost = 64 - 3
        guard collected.count + nextAtMost <= Self.bufferSize else {
          waitsForMore = true
          return .answer(collected, hasMore: true)
        }
        frame = block(Self.rAcknowledge | blockNumber)
      }
    }
  }

  private struct Failure: Error {
    let status: PN532Status
  }

  /// Sends one block, grants each S(WTX), and returns the first other answer.
  private func transceive(
    _ frame: [UInt8], send: Send
  ) -> Result<[UInt8], Failure> {
    var sent = frame
    var limit = waitingTime
    var failures = 0
    var (extensions, repetitions) = (0, 0)
    var status = PN532Status.timeOut
    while failures <= Int(retries) {
      switch send(sent, limit) {
      case .payload(let answer) where !answer.isEmpty:
        guard answer[0] & 0xF7 == Self.sWaitingTime else {
          if answer[0] & 0xF7 == Self.rAcknowledge | (blockNumber ^ 1), frame[0] & 0xC0 == 0 {
            // The card has not received this block: rule 6 requires that it is sent again. This does not
            // count as a retry, but the number of repetitions is limited.
            repetitions += 1
            guard repetitions <= Int(retries) + 1 else {
              return .failure(Failure(status: .rfProtocolError))
            }
            sent = frame
            continue
          }
          return .success(answer)
        }
        extensions += 1
        guard extensions <= Self.maximumExtensions, let last = answer.last, answer.count >= 2
        else { return .failure(Failure(status: .timeOut)) }
        // WTXM without the power level indication (ISO/IEC 14443-4, 7.3).
        let multiplier = last & 0x3F
        sent = answer.dropLast() + [multiplier]
        limit = waitingTime * Int(max(multiplier, 1))
      case .payload:
        failures += 1
        status = .rfProtocolError
      case .failure(let failure):
        failures += 1
        status = failure
        limit = waitingTime
        // Rules 4 and 5: if the answer to an R(ACK) was lost, the R(ACK) is repeated; anything else is
        // requested again by R(NAK).
        let isAcknowledge = frame[0] & 0xF6 == Self.rAcknowledge
        sent = isAcknowledge ? frame : block(Self.rNegative | blockNumber)
      }
    }
    return .failure(Failure(status: status))
  }
}

/// The chip's interpretation of one exchange over the air.
enum RadioAnswer {
  /// An answer with correct check bytes, which have been removed.
  case payload([UInt8])
  case failure(PN532Status)
}
