/// An ISO/IEC 14443-4 card with applications of ISO/IEC 7816-4, which are selected by their identifiers.
///
/// An answer that is longer than the reader expects ends in 61XX, and GET RESPONSE returns the rest. A
/// command without Le is answered with data, too, as by most contactless cards.
public struct ISO7816Card: VirtualChip {
  /// Behavior of some real cards that a reader must support.
  public struct Quirks: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Data in answer to a command with data is always announced by 61XX and returned by GET RESPONSE.
    public static let answersByGetResponse = Quirks(rawValue: 1)
    /// A command without data whose Le is neither 00 nor the answer's length is answered by 6CXX.
    public static let insistsOnExactLength = Quirks(rawValue: 2)
    /// A type B card chooses another PUPI each time that the carrier is switched on (ISO/IEC 14443-3, 7.9.2). The
    /// PUPIs are the same in each run.
    public static let choosesPUPI = Quirks(rawValue: 4)
  }

  public let name: String
  /// The behavior in which the card differs from most.
  public var quirks: Quirks
  private(set) var interface: ProximityInterface
  private(set) var applets: [any VirtualApplet]
  private var masterFile: (any VirtualApplet)?
  private var selection: Selection = .none
  private var waitingData: [UInt8] = []
  private var chainedCommand: CommandAPDU?

  private enum Selection: Hashable {
    case none
    case masterFile
    case applet(Int)
  }

  /// - Parameters:
  ///   - masterFile: receives the commands while no application is selected, and after SELECT of 3F00.
  ///     `nil` for a card with applications only.
  public init(
    name: String, interface: ProximityInterface, applets: [any VirtualApplet],
    masterFile: (any VirtualApplet)? = nil, quirks: Quirks = []
  ) {
    self.name = name
    self.interface = interface
    self.applets = applets
    self.masterFile = masterFile
    self.quirks = quirks
  }

  /// Creates a type A card with the default ATS.
  ///
  /// - Parameters:
  ///   - uid: 4, 7 or 10 bytes.
  ///   - masterFile: as for ``init(name:interface:applets:masterFile:quirks:)``.
  public init(
    name: String, uid: [UInt8], applets: [any VirtualApplet],
    masterFile: (any VirtualApplet)? = nil, quirks: Quirks = []
  ) {
    self.init(
      name: name,
      interface: ProximityInterface(
        typeA: uid, atqa: TypeACoding.atqa(uid: uid), ats: TypeACoding.ats),
      applets: applets, masterFile: masterFile, quirks: quirks)
  }

  /// The activation of a type A card, for a chip that uses the same activation for another protocol.
  var activation: TypeAActivation? {
    get { interface.typeA }
    set { if let newValue { interface.typeA = newValue } }
  }

  /// Whether the block protocol is active.
  var isActivated: Bool { interface.isActivated }

  public var identifier: [UInt8] { interface.identifier }

  public var modulation: RadioFrame.Modulation { interface.modulation }

  /// The memories of the master file and of the applets, concatenated.
  public var memory: [UInt8] {
    get { (masterFile?.memory ?? []) + applets.flatMap(\.memory) }
    set {
      var rest = newValue[...]
      if var file = masterFile {
        let size = file.memory.count
        file.memory = Array(rest.prefix(size))
        masterFile = file
        rest = rest.dropFirst(size)
      }
      for index in applets.indices {
        let size = applets[index].memory.count
        applets[index].memory = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
    }
  }

  /// The irreversible states of the applets. The places of applet n begin at n times 65 536.
  public var irreversibleState: IrreversibleState {
    var state = masterFile?.irreversibleState ?? IrreversibleState()
    for (index, applet) in applets.enumerated() {
      state.add(applet.irreversibleState, placeOffset: index << 16)
    }
    return state
  }

  public mutating func powerOn() {
    if quirks.contains(.choosesPUPI) { interface.choosePUPI() }
    interface.powerOn()
    reset()
  }

  public mutating func powerOff() {
    interface.powerOff()
    reset()
    masterFile?.powerOff()
    for index in applets.indices { applets[index].powerOff() }
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    let wasActivated = interface.isActivated
    switch interface.receive(frame) {
    case .handled(let answer):
      // A card that has been deselected starts from the beginning (ISO/IEC 14443-4, clause 8).
      if wasActivated, !interface.isActivated { reset() }
      return answer
    case .command(let apdu):
      let response = process(apdu)
      return interface.respond(
        response, waitingTimeExtensions: selectedApplet?.waitingTimeExtensions ?? [])
    }
  }

  // MARK: Commands

  private static let chainingFlag: UInt8 = 0x10
  private static let secureMessagingFlags: UInt8 = 0x0C
  private static let channelFlags: UInt8 = 0x03
  /// The bit of class bytes for logical channels 4 to 19.
  private static let furtherInterindustryClass: UInt8 = 0x40
  /// Bits 2 and 1 of SELECT's P2.
  private static let occurrenceMask: UInt8 = 0x03
  private static let nextOccurrence: UInt8 = 0x02
  /// The bit of proprietary class bytes (ISO/IEC 7816-4, 5.4.1).
  private static let proprietaryClass: UInt8 = 0x80
  private static let masterFileIdentifier: [UInt8] = [0x3F, 0x00]

  /// Executes a command APDU and returns the response APDU, without the radio layer.
  package mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard masterFile?.isDead != true, !applets.contains(where: \.isDead) else {
      return StatusWord.conditionsOfUseNotSatisfied.bytes
    }
    guard var command = CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
    if command.cla & Self.proprietaryClass == 0 {
      guard command.cla & (Self.channelFlags | Self.furtherInterindustryClass) == 0 else {
        return StatusWord.logicalChannelNotSupported.bytes
      }
      let isSecure = command.cla & Self.secureMessagingFlags != 0
      guard !isSecure || selectedApplet?.acceptsSecureMessaging == true else {
        return StatusWord.secureMessagingNotSupported.bytes
      }
      if selectedApplet?.receivesPartsOfChains != true {
        switch assemble(command) {
        case .refused(let status): return status.bytes
        case .incomplete: return StatusWord.success.bytes
        case .complete(let whole): command = whole
        }
      }
      if command.cla == 0, command.ins == Instruction.getResponse { return getResponse(command) }
    }
    waitingData = []
    guard let response = selectCommand(command) ?? processBySelection(command.bytes) else {
      return StatusWord.conditionsOfUseNotSatisfied.bytes
    }
    return fit(response, to: command)
  }

  private enum Assembly {
    case refused(StatusWord)
    case incomplete
    case complete(CommandAPDU)
  }

  /// Combines chained commands (ISO/IEC 7816-4, 5.3.3).
  private mutating func assemble(_ command: CommandAPDU) -> Assembly {
    let isPart = command.cla & Self.chainingFlag != 0
    if isPart, selectedApplet?.acceptsCommandChaining != true {
      return .refused(.commandChainingNotSupported)
    }
    guard var whole = chainedCommand else {
      guard isPart else { return .complete(command) }
      chainedCommand = command
      return .incomplete
    }
    guard whole.ins == command.ins, whole.parameter == command.parameter else {
      chainedCommand = nil
      return .refused(.lastCommandOfChainExpected)
    }
    guard whole.data.count + command.data.count <= Int(UInt16.max) else {
      chainedCommand = nil
      return .refused(.wrongLength)
    }
    whole.data += command.data
    chainedCommand = isPart ? whole : nil
    guard !isPart else { return .incomplete }
    whole.cla = command.cla
    whole.expectedLength = command.expectedLength
    whole.expectsMaximum = command.expectsMaximum
    return .complete(whole)
  }

  /// Executes SELECT by name, and SELECT of the master file; `nil` for every other command.
  private mutating func selectCommand(_ command: CommandAPDU) -> [UInt8]? {
    guard command.cla == 0, command.ins == Instruction.select else { return nil }
    switch command.p1 {
    case Parameter.selectByName:
      return select(aid: command.data, p2: command.p2)
    case Parameter.selectFile
    where masterFile != nil
      && (command.data == Self.masterFileIdentifier || command.data.isEmpty):
      return select(.masterFile, p2: command.p2)
    default:
      return nil
    }
  }

  /// Selects an application by its complete identifier or the beginning of it. P2 determines which of
  /// several is selected, and the data in the answer.
  private mutating func select(aid: [UInt8], p2: UInt8) -> [UInt8] {
    let occurrence = p2 & Self.occurrenceMask
    guard p2 & 0xF0 == 0, occurrence == 0 || occurrence == Self.nextOccurrence else {
      return StatusWord.incorrectParameters.bytes
    }
    guard (1...16).contains(aid.count) else { return StatusWord.fileNotFound.bytes }
    var first = 0
    if occurrence == Self.nextOccurrence, case .applet(let index) = selection { first = index + 1 }
    guard
      let index = applets.indices.first(where: { $0 >= first && applets[$0].aid.starts(with: aid) })
    else { return StatusWord.fileNotFound.bytes }
    return select(.applet(index), p2: p2)
  }

  private mutating func select(_ new: Selection, p2: UInt8) -> [UInt8] {
    chainedCommand = nil
    deselectCurrent()
    selection = new
    var response: [UInt8]
    switch new {
    case .none: response = StatusWord.fileNotFound.bytes
    case .masterFile: response = masterFile?.select() ?? StatusWord.fileNotFound.bytes
    case .applet(let index): response = applets[index].select()
    }
    if p2 & Parameter.noAnswerData == Parameter.noAnswerData {
      response = Array(response.suffix(2))
    }
    return response
  }

  private mutating func processBySelection(_ apdu: [UInt8]) -> [UInt8]? {
    switch selection {
    case .applet(let index): applets[index].process(apdu)
    case .masterFile, .none: masterFile?.process(apdu)
    }
  }

  private var selectedApplet: (any VirtualApplet)? {
    switch selection {
    case .applet(let index): applets[index]
    case .masterFile, .none: masterFile
    }
  }

  private mutating func deselectCurrent() {
    switch selection {
    case .applet(let index): applets[index].deselect()
    case .masterFile, .none: masterFile?.deselect()
    }
  }

  private mutating func reset() {
    deselectCurrent()
    selection = .none
    waitingData = []
    chainedCommand = nil
  }

  // MARK: Answers longer than expected

  private mutating func fit(_ response: [UInt8], to command: CommandAPDU) -> [UInt8] {
    let data = Array(response.dropLast(2))
    guard !data.isEmpty else { return response }
    let isSuccess = Array(response.suffix(2)) == StatusWord.success.bytes
    if isSuccess, quirks.contains(.answersByGetResponse), !command.data.isEmpty {
      waitingData = data
      return StatusWord.moreData(data.count).bytes
    }
    if isSuccess, quirks.contains(.insistsOnExactLength), command.data.isEmpty,
      command.expectedLength > 0, !command.expectsMaximum, command.expectedLength != data.count
    {
      return StatusWord.wrongExpectedLength(data.count).bytes
    }
    guard command.expectedLength > 0, data.count > command.expectedLength else { return response }
    waitingData = Array(data.dropFirst(command.expectedLength))
    return Array(data.prefix(command.expectedLength))
      + StatusWord.moreData(waitingData.count).bytes
  }

  private mutating func getResponse(_ command: CommandAPDU) -> [UInt8] {
    guard command.p1 == 0, command.p2 == 0 else { return StatusWord.incorrectParameters.bytes }
    guard !waitingData.isEmpty else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
    let count = command.expectedLength > 0 ? command.expectedLength : 256
    let part = Array(waitingData.prefix(count))
    waitingData = Array(waitingData.dropFirst(count))
    return part + (waitingData.isEmpty ? .success : StatusWord.moreData(waitingData.count)).bytes
  }
}
