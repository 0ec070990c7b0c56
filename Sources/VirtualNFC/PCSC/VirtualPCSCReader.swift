import NFCCore
import Synchronization

/// A PC/SC reader with the ISO/IEC 15693 tags of a ``VirtualField`` in front of it: APDUs in, APDUs
/// out.
///
/// ``service()`` stands in for the PC/SC service within the process; ``VirtualPCSCClient`` shows the
/// same reader to a real service.
public final class VirtualPCSCReader: Sendable {
  /// Which commands the reader takes, after real ones.
  public enum Dialect: Hashable, Sendable {
    /// ACS ACR1552U: transparent session, storage-card commands, UID least significant byte first.
    case transparentSession
    /// ACS ACR1552U with nothing but the maker's `FF FB`.
    case acsPassThrough
    /// Identiv uTrust 3720F: `FF FC`, UID most significant byte first.
    case identivPassThrough
    /// SpringCard: `FF F6`.
    case springCardPassThrough
    /// Read and update binary alone.
    case storageCard
  }

  /// Something that goes wrong at the n-th frame to a tag, counted from 0 from when the faults are
  /// given.
  public struct Fault: Hashable, Sendable {
    public enum Effect: Hashable, Sendable {
      /// The tag does not hear the frame.
      case frameLost
      /// The tag does what it was told, and its answer does not arrive.
      case answerLost
      /// The answer arrives with an error of transmission.
      case answerBroken
      /// All tags are taken out of the field before the frame is sent.
      case tagLeaves
      /// The reader is unplugged.
      case readerLeaves
    }

    public var effect: Effect
    public var exchange: Int

    public init(_ effect: Effect, at exchange: Int) {
      self.effect = effect
      self.exchange = exchange
    }
  }

  private struct State {
    var isInSession = false
    var hasProtocol = false
    var faults: [Fault] = []
    var exchanges = 0
    var commands = 0
    var isUnplugged = false
    var knownTags: [ObjectIdentifier] = []
    var eventCount = 0
  }

  public let name: String
  public let dialect: Dialect
  private let field: VirtualField
  private let state = Mutex(State())

  /// - Parameter name: as the PC/SC service lists it; `nil` for one that tells the dialect.
  public init(
    _ field: VirtualField, dialect: Dialect = .transparentSession, name: String? = nil
  ) {
    self.field = field
    self.dialect = dialect
    self.name = name ?? dialect.readerName
  }

  /// The faults to come, counted from now; the counts begin anew.
  public func setFaults(_ faults: [Fault]) {
    state.withLock {
      $0.faults = faults
      $0.exchanges = 0
      $0.commands = 0
      $0.isUnplugged = false
    }
  }

  /// How many frames have gone to tags, and how many APDUs to the reader, since the faults were set.
  public var statistics: (exchanges: Int, commands: Int) {
    state.withLock { ($0.exchanges, $0.commands) }
  }

  var isUnplugged: Bool { state.withLock { $0.isUnplugged } }

  // MARK: Card

  /// A storage card of ISO/IEC 15693 part 3, named as an ICODE SLI, which an ACR1552U calls every
  /// ICODE (PC/SC part 3, 3.1.3.2.3).
  static let atr: [UInt8] = [
    0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x0B, 0x00, 0x14, 0x00,
    0x00, 0x00, 0x00, 0x77,
  ]

  private var tags: [VirtualTag] { field.tags.filter { $0.modulation == .iso15693 } }

  /// What is in front of the reader now.
  var status: SmartCardStatus {
    let present = tags
    return state.withLock { state in
      let known = present.map { ObjectIdentifier($0) }
      if known != state.knownTags {
        state.knownTags = known
        state.eventCount += 1
      }
      return SmartCardStatus(
        isCardPresent: !present.isEmpty, eventCount: state.eventCount,
        atr: present.isEmpty ? [] : Self.atr)
    }
  }

  func setPower(_ isOn: Bool) {
    field.setPower(isOn)
    state.withLock {
      $0.isInSession = false
      $0.hasProtocol = false
    }
  }

  // MARK: APDUs

  static let done: [UInt8] = [0x90, 0x00]
  static let unknownClass: [UInt8] = [0x68, 0x00]
  static let notSupported: [UInt8] = [0x6A, 0x81]
  static let wrongLength: [UInt8] = [0x67, 0x00]
  static let noAnswer: [UInt8] = [0x64, 0x01]

  /// Takes a command APDU and gives the answer.
  func transmit(_ command: [UInt8]) -> [UInt8] {
    state.withLock { $0.commands += 1 }
    guard command.count >= 4, command[0] == 0xFF else { return Self.unknownClass }
    let data = Self.data(of: command)
    switch (command[1], command[2], command[3]) {
    case (0xC2, 0x00, let function) where dialect == .transparentSession:
      guard let data else { return Self.wrongLength }
      return transparent(function, data)
    case (0xFB, 0x00, 0x00) where dialect == .acsPassThrough,
      (0xFC, 0x00, 0x00) where dialect == .identivPassThrough:
      guard let data, !data.isEmpty else { return Self.wrongLength }
      return passThrough(data)
    case (0xF6, let code, 0x00) where dialect == .springCardPassThrough:
      return passThrough([code] + (data ?? []))
    case (0xCA, 0x00, 0x00): return uid()
    case (0xB0, 0x00, let block):
      return passThrough([ISO15693CommandCode.readSingleBlock, block])
    case (0xD6, 0x00, let block):
      guard let data else { return Self.wrongLength }
      return passThrough([ISO15693CommandCode.writeSingleBlock, block] + data)
    default: return Self.notSupported
    }
  }

  /// The data of a short command; `nil` if Lc says more than there is.
  private static func data(of command: [UInt8]) -> [UInt8]? {
    guard command.count > 5 else { return nil }
    let length = Int(command[4])
    guard command.count >= 5 + length, command.count <= 6 + length else { return nil }
    return Array(command[5..<(5 + length)])
  }

  private func uid() -> [UInt8] {
    guard let tag = tags.first else { return Self.noAnswer }
    let isReversed = dialect == .transparentSession || dialect == .acsPassThrough
    return (isReversed ? tag.identifier.reversed() : tag.identifier) + Self.done
  }

  /// A command without flags, UID and check, which the reader puts; the answer without its flags.
  private func passThrough(_ command: [UInt8]) -> [UInt8] {
    let request = [ISO15693RequestFlags.highDataRate.rawValue] + command
    switch exchange(request) {
    case .silence, .broken: return Self.noAnswer
    case .frame(let answer):
      guard let response = try? ISO15693Response(decoding: answer) else { return Self.noAnswer }
      switch response.errorCode {
      case nil: return response.payload + Self.done
      case .blockNotAvailable: return [0x6A, 0x82]
      case .locked, .alreadyLocked: return [0x69, 0x82]
      case .commandNotSupported: return Self.notSupported
      default: return [0x63, 0x00]
      }
    }
  }

  // MARK: Transparent session

  private func transparent(_ function: UInt8, _ data: [UInt8]) -> [UInt8] {
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

  /// What the objects of one command leave behind.
  private struct TransparentExchange {
    var microseconds: UInt32?
    var answer: [UInt8] = []
  }

  /// - Returns: the status word of an object that has failed.
  private func carryOut(
    _ object: TransparentObject, _ function: UInt8, _ session: inout TransparentExchange
  ) -> [UInt8]? {
    switch (function, object.tag) {
    case (0x00, 0x80): session.answer += [0x80, 0x01, 0x02]
    case (0x00, 0x81): state.withLock { $0.isInSession = true }
    case (0x00, 0x82): state.withLock { $0.isInSession = false }
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
      guard isInSession, object.value == [0x02, 0x03] else { return Self.notSupported }
      state.withLock { $0.hasProtocol = true }
      session.answer += [0x8F, 0x01, 0x00]
    case (0x01, 0x95):
      guard state.withLock({ $0.isInSession && $0.hasProtocol }) else { return Self.notSupported }
      return send(object.value, &session)
    default: return Self.notSupported
    }
    return nil
  }

  private var isInSession: Bool { state.withLock { $0.isInSession } }

  /// How long a tag may write; without a timer the reader waits for less (a write on an ACR1552U is
  /// then done and reported as not answered).
  private static let writeTime: UInt32 = 20_000
  private static let largestAnswer = 241

  private func send(_ request: [UInt8], _ session: inout TransparentExchange) -> [UInt8]? {
    let reception = exchange(request)
    let writes: Set<UInt8> = [
      ISO15693CommandCode.writeSingleBlock, ISO15693CommandCode.lockBlock,
      ISO15693CommandCode.writeMultipleBlocks, ISO15693CommandCode.extendedWriteSingleBlock,
      ISO15693CommandCode.extendedLockBlock, ISO15693CommandCode.extendedWriteMultipleBlocks,
    ]
    let isWrite = request.count > 1 && writes.contains(request[1])
    if isWrite, session.microseconds ?? 0 < Self.writeTime { return Self.noAnswer }
    switch reception {
    case .silence: return Self.noAnswer
    case .broken(let frame):
      session.answer +=
        [0x92, 0x01, 0x00, 0x96, 0x02, 0x03, 0x00] + TransparentObject.encode(frame)
    case .frame(let frame):
      guard frame.count <= Self.largestAnswer else { return [0x6F, 0x00] }
      session.answer +=
        [0x92, 0x01, 0x00, 0x96, 0x02, 0x00, 0x00] + TransparentObject.encode(frame)
    }
    return nil
  }

  // MARK: Air

  private enum Reception {
    case silence
    /// Several answers at once, or a wrong check.
    case broken([UInt8])
    case frame([UInt8])
  }

  /// A frame without its check to all tags. The reader sends the second end of frame that a write with
  /// the option flag waits for.
  private func exchange(_ request: [UInt8]) -> Reception {
    let effect = state.withLock { state in
      defer { state.exchanges += 1 }
      return state.faults.first { $0.exchange == state.exchanges }?.effect
    }
    switch effect {
    case .frameLost: return .silence
    case .tagLeaves:
      for tag in tags { field.remove(tag) }
      return .silence
    case .readerLeaves:
      state.withLock { $0.isUnplugged = true }
      return .silence
    case .answerLost, .answerBroken, nil: break
    }
    var reception = field.transmit(.iso15693(request))
    if request.first.map({ ISO15693RequestFlags(rawValue: $0) })?.contains(.option) == true,
      reception == .silence
    {
      reception = field.transmit(RadioFrame([], modulation: .iso15693, bitRate: 26))
    }
    switch (reception, effect) {
    case (.silence, _), (_, .answerLost): return .silence
    case (.collision(let frame, _), _): return .broken(frame.bytes)
    case (.frame(let frame), .answerBroken): return .broken(frame.bytes)
    case (.frame(let frame), _):
      guard let answer = frame.checkedPayload else { return .broken(frame.bytes) }
      return .frame(answer)
    }
  }
}

extension VirtualPCSCReader.Dialect {
  /// A name by which a driver knows what the reader takes.
  fileprivate var readerName: String {
    switch self {
    case .transparentSession, .acsPassThrough: "Virtual ACR1552 PICC 00 00"
    case .identivPassThrough: "Virtual Identiv uTrust 3720 CL Reader 00 00"
    case .springCardPassThrough: "Virtual SpringCard H512 Contactless 00 00"
    case .storageCard: "Virtual Storage Card Reader 00 00"
    }
  }
}

/// A data object of a transparent session (PC/SC part 3, supplement 2.02): tag, length, value.
private struct TransparentObject {
  let tag: UInt16
  let value: [UInt8]

  /// `nil` if the bytes are not whole objects.
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

  /// What has been received, as an object.
  static func encode(_ answer: [UInt8]) -> [UInt8] {
    let count = answer.count
    let low = UInt8(truncatingIfNeeded: count)
    let length: [UInt8] =
      count < 0x80
      ? [low] : count < 0x100 ? [0x81, low] : [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
    return [0x97] + length + answer
  }
}
