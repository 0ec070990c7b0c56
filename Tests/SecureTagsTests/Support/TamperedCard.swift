import VirtualNFC

/// A card whose answers are changed on the way to the reader, with right check bytes: only the card's own
/// MAC reveals the change.
struct TamperedCard<Chip: VirtualChip>: VirtualChip {
  typealias Change = AnswerChange

  var chip: Chip
  private let form: AnswerForm
  /// The number of answers since a change was set.
  private(set) var count = 0
  /// Whether an answer has been changed.
  private(set) var hasChanged = false
  /// Is called before an answer is sent, with its number since a change was set.
  var watcher: (@Sendable (Int) -> Void)?
  private var plan: (change: Change, index: Int)?
  private var last: AnswerForm.Content?

  init(_ chip: Chip, _ form: AnswerForm) {
    self.chip = chip
    self.form = form
  }

  /// - Parameter statusSize: the number of bytes at the end of an answer that are not data: the status
  ///   word of a wrapped command.
  init(_ chip: Chip, statusSize: Int) { self.init(chip, .blocks(statusSize: statusSize)) }

  /// Sets the change of an answer, counted from now.
  mutating func set(_ change: Change?, at index: Int) {
    plan = change.map { ($0, index) }
    (count, hasChanged, watcher) = (0, false, nil)
  }

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard let answer = chip.receive(frame) else { return nil }
    guard let content = form.content(of: answer, to: frame) else { return answer }
    defer {
      last = content
      count += 1
    }
    watcher?(count)
    guard let plan, plan.index == count else { return answer }
    let tampered = form.changed(content, plan.change, last: last)
    hasChanged = tampered != content
    return hasChanged ? form.frame(tampered, inPlaceOf: answer) : answer
  }

  // MARK: The rest is the chip's

  var name: String { chip.name }
  var identifier: [UInt8] { chip.identifier }
  var modulation: RadioFrame.Modulation { chip.modulation }
  var irreversibleState: IrreversibleState { chip.irreversibleState }
  var isHidden: Bool { chip.isHidden }
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
