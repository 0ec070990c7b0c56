import SwiftNFCCore

/// The common part of all Type 2 chips of NXP: pages of four bytes, a type A activation, lock bits, and
/// the commands READ, WRITE and COMPATIBILITY_WRITE.
///
/// After every refusal the chip returns to IDLE or HALT and responds only to REQA or WUPA.
protocol Type2Chip: VirtualChip {
  var activation: TypeAActivation { get set }
  /// All pages, including secrets.
  var pages: [UInt8] { get set }
  /// The page of a COMPATIBILITY_WRITE whose data is in the next frame.
  var awaitedPage: Int? { get set }
  /// What a chip that was made from an image answers in place of its model; `nil` for one that was not.
  var facts: Type2Facts? { get set }
  /// Whether ``facts`` answer a command before it is executed.
  var reportsBeforeExecution: Bool { get }

  var lockMap: LockMap { get }
  /// The memory whose lock bits are in effect: the current one if lock bits take effect immediately.
  var lockBitsInForce: [UInt8] { get }
  /// The first page that READ refuses; before it, READ rolls over to page 0.
  var readEnd: Int { get }
  /// The content of the pages as a reader receives it.
  var readableImage: [UInt8] { get }
  /// The irreversible state in addition to lock bits and page 3: frozen settings, counters.
  var frozenSettings: IrreversibleState { get }
  /// The number of bytes at the beginning that identify the chip: the UID with its check bytes.
  var identityLength: Int { get }

  func acceptsWrite(to page: Int) -> Bool
  mutating func program(_ data: [UInt8], page: Int) -> Type2Answer
  /// Called before a READ is answered.
  mutating func willRead()
  mutating func execute(_ command: [UInt8]) -> Type2Answer
  /// Called when the card leaves IDLE or HALT, which is when some settings take effect.
  mutating func activateSettings()
  /// Called when the card is no longer selected; discards the state of the selection.
  mutating func endSession()
}

extension Type2Chip {
  public var identifier: [UInt8] { activation.uid }
  public var modulation: RadioFrame.Modulation { .typeA }
  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? { exchange(frame) }

  /// All pages, including secrets. Setting them does not change the UID and its check bytes.
  public var memory: [UInt8] {
    get { pages }
    set { load(newValue) }
  }

  public var irreversibleState: IrreversibleState {
    var state = frozenSettings
    for (page, masks) in lockMap.allBits {
      let offset = page * Type2Memory.pageSize
      state.add(
        .lockBits, place: page,
        bytes: zip(pages[offset..<(offset + Type2Memory.pageSize)], masks).map { $0 & $1 })
    }
    let oneTime = Type2Memory.oneTimePage * Type2Memory.pageSize
    state.add(
      .oneTimeBits, place: Type2Memory.oneTimePage,
      bytes: pages[oneTime..<(oneTime + Type2Memory.pageSize)])
    return state
  }

  public mutating func powerOn() {
    activation.powerOn()
    activateSettings()
  }

  public mutating func powerOff() {
    activation.powerOff()
    awaitedPage = nil
    endSession()
  }

  /// Returns the activation with the ATQA and SAK of all these chips: a double-size UID, no ISO/IEC
  /// 14443-4.
  static func activation(uid: [UInt8]) -> TypeAActivation {
    precondition(uid.count == 7, "a Type 2 chip's UID has 7 bytes")
    return TypeAActivation(uid: uid, atqa: [0x44, 0x00], sak: 0x00)
  }

  var identityLength: Int { Type2Memory.identityLength }
  var lockBitsInForce: [UInt8] { pages }
  var readableImage: [UInt8] { pages }
  var pageCount: Int { pages.count / Type2Memory.pageSize }
  var readEnd: Int { pageCount }
  var frozenSettings: IrreversibleState { IrreversibleState() }
  var reportsBeforeExecution: Bool { true }
  mutating func willRead() {}
  mutating func activateSettings() {}
  mutating func endSession() {}

  func acceptsWrite(to page: Int) -> Bool {
    (Type2Memory.staticLockPage..<pageCount).contains(page)
      && !lockMap.isLocked(page, inForce: lockBitsInForce)
  }

  mutating func program(_ data: [UInt8], page: Int) -> Type2Answer {
    store(data, page: page)
    return .acknowledge
  }

  // MARK: Frames

  mutating func exchange(_ frame: RadioFrame) -> RadioFrame? {
    let wasWaiting = activation.state == .idle || activation.state == .halt
    let answer: RadioFrame?
    switch activation.receive(frame) {
    case .handled(let handled):
      if wasWaiting, handled != nil { activateSettings() }
      answer = handled
    case .command(let command):
      answer = reply(respond(to: command))
    case .other(let frame) where frame.bitsInLastByte == 8:
      answer = reply(.refusal(.checkError))
    case .other:
      activation.stopResponding()
      answer = nil
    }
    if !activation.isActive {
      awaitedPage = nil
      endSession()
    }
    return answer
  }

  private mutating func respond(to command: [UInt8]) -> Type2Answer {
    activation.expectsData = false
    guard let page = awaitedPage else {
      if reportsBeforeExecution, let answer = report(on: command) { return answer }
      return execute(command)
    }
    awaitedPage = nil
    guard command.count == Type2Command.compatibilityDataSize
    else { return .refusal(.invalidArgument) }
    return program(Array(command.prefix(Type2Memory.pageSize)), page: page)
  }

  private mutating func reply(_ answer: Type2Answer) -> RadioFrame? {
    switch answer {
    case .data(let bytes): return .typeA(bytes)
    case .acknowledge: return .typeA(bare: [0x0A], bitsInLastByte: 4)
    case .silence: return nil
    case .refusal(let reason):
      activation.stopResponding()
      return .typeA(bare: [reason.rawValue], bitsInLastByte: 4)
    }
  }

  // MARK: Commands

  /// Executes READ, WRITE and COMPATIBILITY_WRITE; refuses everything else, and a wrong length.
  mutating func executeBasic(_ command: [UInt8]) -> Type2Answer {
    switch (command.first, command.count) {
    case (Type2Command.read, 2):
      let end = min(readEnd, facts?.readablePageCount ?? readEnd)
      let start = Int(command[1])
      guard start < end else { return .refusal(.invalidArgument) }
      willRead()
      let image = readableImage
      return .data(
        (start..<(start + 4)).flatMap { page in
          let offset = page % end * Type2Memory.pageSize
          return image[offset..<(offset + Type2Memory.pageSize)]
        })
    case (Type2Command.write, 2 + Type2Memory.pageSize):
      let page = Int(command[1])
      guard acceptsWrite(to: page) else { return .refusal(.invalidArgument) }
      return program(Array(command[2...]), page: page)
    case (Type2Command.compatibilityWrite, 2):
      let page = Int(command[1])
      guard acceptsWrite(to: page) else { return .refusal(.invalidArgument) }
      awaitedPage = page
      activation.expectsData = true
      return .acknowledge
    default:
      return .refusal(.invalidArgument)
    }
  }

  /// Executes FAST_READ of whole pages below ``readEnd``; it does not roll over.
  mutating func fastRead(_ command: [UInt8]) -> Type2Answer {
    guard command.count == 3, command[1] <= command[2],
      Int(command[2]) < min(readEnd, facts?.readablePageCount ?? readEnd)
    else { return .refusal(.invalidArgument) }
    willRead()
    let range =
      (Int(command[1]) * Type2Memory.pageSize)..<((Int(command[2]) + 1) * Type2Memory.pageSize)
    return .data(Array(readableImage[range]))
  }

  // MARK: Memory

  /// Changes a page as a real chip does: bits of lock bytes and of page 3 can only be set.
  mutating func store(_ data: [UInt8], page: Int) {
    let offset = page * Type2Memory.pageSize
    guard data.count == Type2Memory.pageSize, offset >= 0,
      offset + Type2Memory.pageSize <= pages.count
    else { return }
    let isLockPage = lockMap.allBits[page] != nil
    let settable = isLockPage ? lockMap.settableBits(page: page, inForce: lockBitsInForce) : []
    for index in 0..<Type2Memory.pageSize {
      if isLockPage {
        pages[offset + index] |= data[index] & settable[index]
      } else if page == Type2Memory.oneTimePage {
        pages[offset + index] |= data[index]
      } else {
        pages[offset + index] = data[index]
      }
    }
  }

  /// Sets ``VirtualChip/memory``. The UID does not change, because the chip answers with it.
  mutating func load(_ dump: [UInt8]) {
    let end = min(dump.count, pages.count)
    guard identityLength < end else { return }
    pages.replaceSubrange(identityLength..<end, with: dump[identityLength..<end])
  }
}
