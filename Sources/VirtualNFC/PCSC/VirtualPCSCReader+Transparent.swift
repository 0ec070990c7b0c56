import SwiftNFCCore

/// The kind of frames in a transparent session.
enum TransparentStandard: Hashable {
  case typeA
  case vicinity
  case feliCa

  /// Parses standard and layer, as in "switch protocol".
  init?(_ value: [UInt8]) {
    switch value {
    case [0x00, 0x03]: self = .typeA
    case [0x02, 0x03]: self = .vicinity
    case [0x03, 0x00]: self = .feliCa
    default: return nil
    }
  }
}

// PC/SC part 3, supplement 2.02.
extension VirtualPCSCReader {
  func transparent(_ function: UInt8, _ data: [UInt8]) -> [UInt8] {
    guard let objects = TransparentObject.decode(data) else {
      return [0xC0, 0x03, 0x01, 0x67, 0x00] + Self.done
    }
    var session = TransparentExchange()
    var failure: [UInt8]?
    for (index, object) in objects.enumerated() where failure == nil {
      if let word = carryOut(object, function, &session) {
        failure = [0xC0, 0x03, UInt8(truncatingIfNeeded: index + 1)] + word
      }
    }
    let status = failure ?? [0xC0, 0x03, 0x00] + Self.done
    return status + (failure == nil ? session.answer : []) + Self.done
  }

  /// The state that the data objects of one command build up.
  private struct TransparentExchange {
    var microseconds: UInt32?
    var answer: [UInt8] = []

    mutating func receive(_ frame: [UInt8], isBroken: Bool = false, bitsInLastByte: Int = 8) {
      let bits = UInt8(truncatingIfNeeded: bitsInLastByte % 8)
      answer +=
        [0x92, 0x01, bits, 0x96, 0x02, isBroken ? 0x03 : 0x00, 0x00]
        + TransparentObject.encode(frame)
    }
  }

  /// - Returns: the status word of an object that has failed, if any.
  private func carryOut(
    _ object: TransparentObject, _ function: UInt8, _ session: inout TransparentExchange
  ) -> [UInt8]? {
    switch (function, object.tag) {
    case (0x00, 0x80): session.answer += [0x80, 0x01, 0x02]
    case (0x00, 0x81): state.withLock { $0.isInSession = true }
    case (0x00, 0x82):
      state.withLock {
        $0.isInSession = false
        $0.standard = nil
        // The reader resumes its own search.
        if field.isPowered, vicinityTags.isEmpty { $0.slot.activate() }
      }
    case (0x00, 0x83):
      guard isInSession else { return Self.notSupported }
      field.setPower(false)
    case (0x00, 0x84):
      guard isInSession else { return Self.notSupported }
      field.setPower(true)
    case (0x00, 0x5F46), (0x01, 0x5F46):
      guard object.value.count == 4 else { return Self.wrongLength }
      session.microseconds = object.value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    case (0x01, 0x90): break
    case (0x02, 0x8F):
      guard isInSession, let standard = TransparentStandard(object.value), isThere(standard) else {
        return Self.notSupported
      }
      state.withLock {
        $0.standard = standard
        if standard == .typeA { $0.slot.activate() }
      }
      session.answer += [0x8F, 0x01, 0x00]
    case (0x01, 0x95):
      switch state.withLock({ $0.isInSession ? $0.standard : nil }) {
      case .vicinity: return send(object.value, &session)
      case .typeA, .feliCa: return sendToProximity(object.value, &session)
      case nil: return Self.notSupported
      }
    default: return Self.notSupported
    }
    return nil
  }

  private func isThere(_ standard: TransparentStandard) -> Bool {
    switch standard {
    case .vicinity: !vicinityTags.isEmpty
    case .typeA, .feliCa: state.withLock { $0.slot.card?.standard == standard }
    }
  }

  private var isInSession: Bool { state.withLock { $0.isInSession } }

  /// The time that a tag may take for a write. Without a timer, the reader waits for less: an ACR1552U
  /// then performs a write and reports that it was not answered.
  private static let writeTime: UInt32 = 20_000
  private static let largestAnswer = 241

  private func send(_ request: [UInt8], _ session: inout TransparentExchange) -> [UInt8]? {
    let reception = exchange(request)
    let writes: Set<UInt8> = [
      VicinityCommandCode.writeSingleBlock, VicinityCommandCode.lockBlock,
      VicinityCommandCode.writeMultipleBlocks, VicinityCommandCode.extendedWriteSingleBlock,
      VicinityCommandCode.extendedLockBlock, VicinityCommandCode.extendedWriteMultipleBlocks,
    ]
    let isWrite = request.count > 1 && writes.contains(request[1])
    if isWrite, session.microseconds ?? 0 < Self.writeTime { return Self.noAnswer }
    switch reception {
    case .silence: return Self.noAnswer
    case .broken(let frame):
      session.receive(frame, isBroken: true)
    case .frame(let frame):
      guard frame.count <= Self.largestAnswer else { return [0x6F, 0x00] }
      session.receive(frame)
    }
    return nil
  }

  /// Sends a frame of type A or FeliCa. How readers return the four bits of an acknowledge is not known;
  /// here the number of valid bits in the last byte indicates them.
  private func sendToProximity(
    _ request: [UInt8], _ session: inout TransparentExchange
  ) -> [UInt8]? {
    if refusesFeliCaCommand(request) { return Self.wrongValue }
    let effect = nextEffect()
    guard effect?.stopsFrame != true else { return Self.noAnswer }
    switch (state.withLock { $0.slot.exchange(request) }, effect) {
    case (nil, _), (_, .answerLost): return Self.noAnswer
    case (let answer?, .answerBroken): session.receive(answer.bytes, isBroken: true)
    case (let answer?, _):
      session.receive(
        answer.bytes, isBroken: !answer.isChecked, bitsInLastByte: answer.bitsInLastByte)
    }
    return nil
  }
}

extension VirtualPCSCReader {
  private static let wrongValue: [UInt8] = [0x6A, 0x80]
  /// Request Service, Search Service Code, Request System Code. Recordings of an RC-S300 show that it
  /// refuses their data objects.
  private static let refusedCommands: Set<UInt8> = [0x02, 0x0A, 0x0C]

  /// Returns whether the reader refuses a command.
  ///
  /// - Parameter frame: a FeliCa frame, beginning with its length.
  private func refusesFeliCaCommand(_ frame: [UInt8]) -> Bool {
    dialect == .sonyTransparentSession && state.withLock { $0.standard } == .feliCa
      && frame.count > 1 && Self.refusedCommands.contains(frame[1])
  }
}

/// A data object of a transparent session (PC/SC part 3, supplement 2.02): tag, length, value.
private struct TransparentObject {
  let tag: UInt16
  let value: [UInt8]

  /// Parses data objects; `nil` if the bytes are not complete objects.
  static func decode(_ bytes: [UInt8]) -> [TransparentObject]? {
    var objects: [TransparentObject] = []
    var rest = bytes[...]
    while let first = rest.popFirst() {
      var tag = UInt16(first)
      if first & 0x1F == 0x1F {
        guard let second = rest.popFirst() else { return nil }
        tag = tag << 8 | UInt16(second)
      }
      guard let short = rest.popFirst() else { return nil }
      var length = Int(short)
      if short == 0x81 || short == 0x82 {
        let count = Int(short & 0x7F)
        guard rest.count >= count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      } else if short > 0x7F {
        return nil
      }
      guard rest.count >= length else { return nil }
      objects.append(TransparentObject(tag: tag, value: Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    return objects
  }

  /// Returns an object that contains the received bytes.
  static func encode(_ answer: [UInt8]) -> [UInt8] {
    let count = answer.count
    let low = UInt8(truncatingIfNeeded: count)
    let length: [UInt8] =
      count < 0x80
      ? [low] : count < 0x100 ? [0x81, low] : [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
    return [0x97] + length + answer
  }
}
