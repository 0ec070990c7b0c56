import SwiftNFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PC/SC reader with a ``VirtualField``, which answers command APDUs.
///
/// All ISO/IEC 15693 tags of the field are one card to it; without any, the card is the first other tag
/// that a PN532 finds. The model follows makers' manuals and published records; a reader's own key
/// numbers, timings and limits are not modeled.
///
/// ``service()`` replaces the PC/SC service within the process; ``VirtualPCSCClient`` shows the same
/// reader to a real service.
public final class VirtualPCSCReader: Sendable {
  /// The commands that the reader supports, following real readers.
  @nonexhaustive
  public enum Dialect: Hashable, Sendable {
    /// ACS ACR1552U: transparent session, storage-card commands, UID least significant byte first.
    case transparentSession
    /// ACS ACR1552U with only the maker's `FF FB`.
    case acsPassThrough
    /// Identiv uTrust 3720F: `FF FC` for ISO/IEC 15693, UID most significant byte first; `FF EF` for frames of type A,
    /// FeliCa commands, and one page of an Ultralight in `FF B0`.
    case identivPassThrough
    /// SpringCard: frames with `FF FE`, commands with `FF F6`, whose modes `FF FB FD` sets, and
    /// 16-bit block numbers in `FF B0` and `FF D6`.
    case springCard
    /// The same as ``springCard``, without `FF FE`.
    case springCardPassThrough
    /// HID OMNIKEY: `FF 30`, and 16-bit block numbers in `FF B0` and `FF D6`.
    case omnikey
    /// ACS ACR122U: a PN532 that accepts its own commands in `FF 00 00 00`; no ISO/IEC 15693. If a
    /// card does not answer, the answer is empty.
    case directTransmit
    /// ACS ACM1252U: storage-card commands, and frames of FeliCa, Ultralight and NTAG in `FF 00 00 00`; no ISO/IEC
    /// 15693.
    case feliCaFrames
    /// ACS ACR1281U: the same as ``feliCaFrames`` without frames of type A, with slot 20 for a key that is not kept.
    case sessionKey
    /// Sony RC-S300: transparent session without some commands of FeliCa, PMm with `FF CA 01`; no
    /// ISO/IEC 15693.
    case sonyTransparentSession
    /// Only read and update binary, with the block number in P1 and P2.
    case storageCard
    /// The same as ``storageCard``, with the block number in P2; P1 is ignored.
    case storageCardNumberInP2
    /// The same as ``storageCard``, with the block number in P1 (Microsoft's driver model).
    case storageCardNumberInP1
    /// ubisys 7047: the same as ``storageCard``, with an offset in bytes in P1 and P2.
    case storageCardByteOffset
  }

  /// A fault at the n-th frame to a tag, counted from 0 since the faults were set.
  public struct Fault: Hashable, Sendable {
    /// The effect of a fault.
    @nonexhaustive
    public enum Effect: Hashable, Sendable {
      /// The tag does not receive the frame.
      case frameLost
      /// The tag executes the command, but its answer does not arrive.
      case answerLost
      /// The answer arrives with a transmission error.
      case answerBroken
      /// All tags are removed from the field before the frame is sent.
      case tagLeaves
      /// The reader is unplugged.
      case readerUnplugged
      /// The reader waits for the tag's answer until the tag is removed or the reader unplugged, as
      /// vpcd does with a silent card.
      case readerWaits
    }

    /// The effect.
    public var effect: Effect
    /// The frame at which the fault occurs, counted from 0.
    public var exchange: Int

    /// Creates a fault at a frame.
    public init(_ effect: Effect, at exchange: Int) {
      self.effect = effect
      self.exchange = exchange
    }
  }

  struct State {
    var isInSession = false
    /// The protocol that the session was switched to.
    var standard: TransparentStandard?
    var slot: ProximitySlot
    /// Whether a SpringCard reader has stopped asking the card whether it is still there.
    var isTrackingSuspended = false
    /// The modes set by SpringCard's `FF FB FD`.
    var springCard = SpringCardModes()
    /// The loaded keys, by slot.
    var keys: [UInt8: [UInt8]] = [:]
    /// Whether a key was put where the reader keeps it without power.
    var hasKeptKey = false
    /// An ACR122U's settings for its own search: all kinds of cards.
    var operatingParameter: UInt8 = 0xFF
    var faults: [Fault] = []
    var exchanges = 0
    var commands = 0
    var isUnplugged = false
    var knownTags: [VirtualTag] = []
    var knownArrivals: [Int] = []
    var eventCount = 0
    /// The number of times that the card does not answer when its power is switched on.
    var unansweredPowerOns = 0
    /// Whether the card has not answered when its power was switched on last.
    var isMute = false
    var releasedEvent: Int?
    /// The lights that are on, one bit each.
    var lights: UInt8 = 0
    /// The commands for lights and buzzer that were carried out.
    var signals: [[UInt8]] = []
    /// Whether the driver of the reader passes commands to the reader itself on.
    var passesControlOn = true
  }

  /// The name in the PC/SC service's list.
  public let name: String
  /// The commands that the reader supports.
  public let dialect: Dialect
  /// Whether the reader's driver says that commands to cards may have extended length fields.
  public let hasExtendedLengths: Bool
  let field: VirtualField
  let state: Mutex<State>

  /// - Parameters:
  ///   - name: the name in the PC/SC service's list; `nil` for one that names the dialect.
  ///   - hasExtendedLengths: whether commands to cards may have extended length fields, which ``service()`` says; the
  ///     daemon's driver for virtual readers says nothing about it.
  public init(
    _ field: VirtualField, dialect: Dialect = .transparentSession, name: String? = nil,
    hasExtendedLengths: Bool = false
  ) {
    self.hasExtendedLengths = hasExtendedLengths
    self.field = field
    self.dialect = dialect
    self.name = name ?? dialect.readerName
    state = Mutex(State(slot: ProximitySlot(field, isACR122: dialect == .directTransmit)))
  }

  /// Replaces the faults, and starts all counts from 0 again.
  public func setFaults(_ faults: [Fault]) {
    state.withLock {
      $0.faults = faults
      $0.exchanges = 0
      $0.commands = 0
      $0.isUnplugged = false
    }
  }

  /// Lets the card not answer the next times that the service switches its power on, as when it is put down slowly. The
  /// service in the process then has no ATR for it; the daemon's driver for virtual readers knows no such card.
  package func setUnansweredPowerOns(_ count: Int) {
    state.withLock { $0.unansweredPowerOns = count }
  }

  var leavesPowerOnUnanswered: Bool { state.withLock { $0.unansweredPowerOns > 0 } }

  /// Switches the power of the card on. Returns whether the card has answered.
  @discardableResult
  func powerOn() -> Bool {
    setPower(true)
    return state.withLock { state in
      state.isMute = state.unansweredPowerOns > 0
      if state.isMute { state.unansweredPowerOns -= 1 }
      return !state.isMute
    }
  }

  /// The commands for lights and buzzer that the reader has carried out, in their order.
  public var signals: [[UInt8]] { state.withLock { $0.signals } }

  /// Sets whether the driver of the reader passes commands to the reader itself on, as libccid does only if its settings
  /// allow it.
  public func setControl(isPassedOn: Bool) { state.withLock { $0.passesControlOn = isPassedOn } }

  /// The usage since the faults were set; the commands are the APDUs to the reader.
  public var statistics: VirtualReader.Statistics {
    state.withLock { VirtualReader.Statistics(commands: $0.commands, exchanges: $0.exchanges) }
  }

  /// Whether a program has put a key where the reader keeps it without power.
  public var hasKeptKey: Bool { state.withLock { $0.hasKeptKey } }

  /// The number of the event at which the card arrived that a program has released last.
  var releasedEvent: Int? {
    get { state.withLock { $0.releasedEvent } }
    set { state.withLock { $0.releasedEvent = newValue } }
  }

  /// Whether the card has power.
  var isPowered: Bool { field.isPowered }

  var isUnplugged: Bool { state.withLock { $0.isUnplugged } }

  // MARK: Card

  /// The ATR of a storage card of ISO/IEC 15693 part 3, named as an ICODE SLI. An ACR1552U uses that name
  /// for every ICODE (PC/SC part 3, 3.1.3.2.3).
  private static let vicinityATR = ProximitySlot.storageATR(standard: 0x0B, name: 0x0014)

  var vicinityTags: [VirtualTag] { field.tags.filter { $0.modulation == .iso15693 } }

  /// The ISO/IEC 15693 tag that the reader has found.
  var foundVicinityTag: VirtualTag? { vicinityTags.first { !$0.isHidden } }

  /// Returns whether the reader's chip finds a tag. During a transparent session it searches for none, so
  /// that a tag that hides has not left.
  private func finds(_ tag: VirtualTag, _ state: State) -> Bool {
    guard tag.modulation == .iso15693 else { return true }
    let hasStayed = state.isInSession && state.knownTags.contains { $0 === tag }
    return dialect.hasVicinity && (hasStayed || !tag.isHidden)
  }

  /// The card that is at the reader now.
  var status: SmartCardStatus {
    let arrivals = field.arrivals
    return state.withLock { state in
      let found = arrivals.filter { finds($0.tag, state) }
      let present = found.map(\.tag)
      let numbers = found.map(\.number)
      let isVicinity = present.contains { $0.modulation == .iso15693 }
      // During a transparent session, a tag that is put back at once has not left.
      let isSame =
        state.isInSession
        ? present.elementsEqual(state.knownTags, by: ===) : numbers == state.knownArrivals
      state.knownArrivals = numbers
      if !isSame {
        state.knownTags = present
        state.eventCount += 1
        state.isMute = false
        state.slot.forget()
        if !present.isEmpty, !isVicinity { state.slot.discover() }
      }
      let atr = isVicinity ? Self.vicinityATR : state.slot.card?.atr
      return SmartCardStatus(
        isCardPresent: !present.isEmpty && atr != nil, eventCount: state.eventCount,
        atr: state.isMute ? [] : atr ?? [])
    }
  }

  func setPower(_ isOn: Bool) {
    field.setPower(isOn)
    let hasProximityCard = vicinityTags.isEmpty
    state.withLock {
      $0.isInSession = false
      $0.standard = nil
      $0.springCard = SpringCardModes()
      $0.isTrackingSuspended = false
      if isOn, hasProximityCard { $0.slot.activate() }
    }
  }

  // MARK: APDUs

  static let pseudoClass: UInt8 = 0xFF
  static let done: [UInt8] = [0x90, 0x00]
  static let refused: [UInt8] = [0x63, 0x00]
  static let unknownClass: [UInt8] = [0x68, 0x00]
  static let notSupported: [UInt8] = [0x6A, 0x81]
  static let wrongLength: [UInt8] = [0x67, 0x00]
  static let noAnswer: [UInt8] = [0x64, 0x01]

  /// Executes a command APDU and returns the answer.
  func transmit(_ command: [UInt8]) -> [UInt8] {
    state.withLock { $0.commands += 1 }
    guard vicinityTags.isEmpty || !dialect.hasVicinity else {
      return transmitToVicinity(command)
    }
    return transmitToProximity(command)
  }

  /// Returns the data of a short command; `nil` if the command is shorter than Lc says.
  static func data(of command: [UInt8]) -> [UInt8]? {
    guard command.count > 5 else { return nil }
    let length = Int(command[4])
    guard command.count >= 5 + length, command.count <= 6 + length else { return nil }
    return Array(command[5..<(5 + length)])
  }

  // MARK: Air

  enum Reception {
    case silence
    /// Several simultaneous answers, or a wrong check.
    case broken([UInt8])
    case frame([UInt8])
  }

  /// Counts a frame to a tag, and returns the effect of the fault that is due.
  func nextEffect() -> Fault.Effect? {
    let effect = state.withLock { state in
      defer { state.exchanges += 1 }
      return state.faults.first { $0.exchange == state.exchanges }?.effect
    }
    switch effect {
    case .tagLeaves: field.removeAll()
    case .readerUnplugged: state.withLock { $0.isUnplugged = true }
    case .readerWaits:
      let period: UInt32 = 5_000
      while !isUnplugged, !field.tags.isEmpty { usleep(period) }
    case .frameLost, .answerLost, .answerBroken, nil: break
    }
    return effect
  }

  /// Sends a frame without its check bytes to all tags. The reader also sends the second end of frame
  /// that a write with the option flag waits for.
  func exchange(_ request: [UInt8]) -> Reception {
    let effect = nextEffect()
    guard effect?.stopsFrame != true else { return .silence }
    var reception = field.transmit(.iso15693(request))
    if request.first.map({ VicinityFlags(rawValue: $0) })?.contains(.option) == true,
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
  /// Whether the reader's chip supports ISO/IEC 15693.
  fileprivate var hasVicinity: Bool {
    ![.directTransmit, .sonyTransparentSession, .feliCaFrames, .sessionKey].contains(self)
  }

  /// Whether `FF CA 01` reports the whole ATS, as ACS's manuals show it (ACM1281U-C7, reference manual 1.02, page 12),
  /// and not only the historical bytes, which PC/SC part 3, 3.2.2.1.3, requires.
  var reportsWholeATS: Bool {
    switch self {
    case .transparentSession, .acsPassThrough, .directTransmit, .feliCaFrames, .sessionKey: true
    default: false
    }
  }

  /// Whether the reader sends FeliCa frames in `FF 00 00 00`.
  var hasFeliCaFrames: Bool { [.feliCaFrames, .sessionKey].contains(self) }

  /// Whether the reader sends frames of type A in `FF 00 00 00`. No manual says so; liblogicalaccess does it for every
  /// reader of ACS, and programs for an ACR1252U do. Here an ACR1281U does not.
  var hasTypeAFrames: Bool { self == .feliCaFrames }

  /// Whether the reader supports `FF C2`.
  var hasTransparentSession: Bool { [.transparentSession, .sonyTransparentSession].contains(self) }

  /// A name from which a driver recognizes the commands that the reader supports.
  fileprivate var readerName: String {
    switch self {
    case .transparentSession, .acsPassThrough: "Virtual ACR1552 PICC 00 00"
    case .identivPassThrough: "Virtual Identiv uTrust 3720 CL Reader 00 00"
    case .springCard, .springCardPassThrough: "Virtual SpringCard H512 Contactless 00 00"
    case .omnikey: "Virtual OMNIKEY 5427 CK 00 00"
    case .directTransmit: "Virtual ACR122U PICC 00 00"
    case .feliCaFrames: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00"
    case .sessionKey: "ACS ACR1281 1S Dual Reader 00 01"
    case .sonyTransparentSession: "Virtual SONY FeliCa RC-S300/P 00 00"
    case .storageCard, .storageCardNumberInP1, .storageCardNumberInP2:
      "Virtual Storage Card Reader 00 00"
    case .storageCardByteOffset: "Virtual ubisys 7047 00 00"
    }
  }
}

extension VirtualPCSCReader.Fault.Effect {
  /// Whether the fault keeps the frame from the tag.
  var stopsFrame: Bool {
    switch self {
    case .frameLost, .tagLeaves, .readerUnplugged, .readerWaits: true
    case .answerLost, .answerBroken: false
    }
  }
}
