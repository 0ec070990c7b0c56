import VirtualNFC

/// A card whose answers are changed on the way to the reader, with right check bytes of ISO/IEC 14443-4:
/// only the card's own MAC reveals the change.
struct TamperedCard<Chip: VirtualChip>: VirtualChip {
  enum Change: Hashable, Sendable, CaseIterable {
    /// The previous command's answer replaces this one.
    case replayed
    /// The last byte, which is part of the MAC, is changed.
    case codeChanged
    /// The last byte is missing.
    case cut
    /// There is one additional byte.
    case longer
    /// A refusal, which no MAC protects, replaces the answer.
    case refused
    /// A status of success without data and MAC replaces the answer.
    case bare
  }

  var chip: Chip
  /// The number of bytes at the end of an answer that are not data: the status word of a wrapped command.
  let statusSize: Int
  /// The number of answers since a change was set.
  private(set) var count = 0
  /// Whether an answer has been changed.
  private(set) var hasChanged = false
  /// Is called before an answer is sent, with its number since a change was set.
  var watcher: (@Sendable (Int) -> Void)?
  private var plan: (change: Change, index: Int)?
  private var last: [UInt8] = []

  private static var blockMask: UInt8 { 0xE2 }
  private static var informationBlock: UInt8 { 0x02 }
  private static var cidFollows: UInt8 { 0x08 }

  init(_ chip: Chip, statusSize: Int) {
    self.chip = chip
    self.statusSize = statusSize
  }

  /// Sets the change of an answer, counted from now.
  mutating func set(_ change: Change?, at index: Int) {
    plan = change.map { ($0, index) }
    (count, hasChanged, watcher) = (0, false, nil)
  }

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard let answer = chip.receive(frame) else { return nil }
    guard let request = frame.checkedPayload?.first, Self.isInformation(request),
      let block = answer.checkedPayload, let control = block.first, Self.isInformation(control)
    else { return answer }
    let prologue = control & Self.cidFollows == 0 ? 1 : 2
    let information = Array(block.dropFirst(prologue))
    defer {
      last = information
      count += 1
    }
    watcher?(count)
    guard let plan, plan.index == count else { return answer }
    let tampered = changed(information, plan.change)
    hasChanged = tampered != information
    var result = RadioFrame.typeA(block.prefix(prologue) + tampered)
    result.bitRate = answer.bitRate
    return result
  }

  private func changed(_ information: [UInt8], _ change: Change) -> [UInt8] {
    let data = Array(information.dropLast(statusSize))
    let status = information.suffix(statusSize)
    switch change {
    case .replayed: return last
    case .codeChanged: return data.dropLast() + data.suffix(1).map { $0 ^ 1 } + status
    case .cut: return data.dropLast() + status
    case .longer: return data + [0] + status
    case .refused: return statusSize == 0 ? Self.refusal : Self.wrappedRefusal
    case .bare: return statusSize == 0 ? Self.success : Self.wrappedSuccess
    }
  }

  /// The statuses of a MIFARE Plus, and those of a DESFire in a wrapped answer: a missing key, and
  /// success.
  private static var refusal: [UInt8] { [0x06] }
  private static var success: [UInt8] { [0x90] }
  private static var wrappedRefusal: [UInt8] { [0x91, 0xAE] }
  private static var wrappedSuccess: [UInt8] { [0x91, 0x00] }

  /// An I-block (ISO/IEC 14443-4, 7.1.1.1).
  private static func isInformation(_ control: UInt8) -> Bool {
    control & blockMask == informationBlock
  }

  // MARK: The rest is the chip's

  var name: String { chip.name }
  var identifier: [UInt8] { chip.identifier }
  var modulation: RadioFrame.Modulation { chip.modulation }
  var irreversibleState: IrreversibleState { chip.irreversibleState }
  var memory: [UInt8] {
    get { chip.memory }
    set { chip.memory = newValue }
  }
  mutating func powerOn() { chip.powerOn() }
  mutating func powerOff() { chip.powerOff() }
  mutating func carrierHasLasted(_ time: Duration) { chip.carrierHasLasted(time) }
  func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration {
    chip.responseTime(to: request, answer)
  }
}
