import SwiftNFCSeededRandom
import ReaderThread

@testable import SwiftNFCCore
@testable import VirtualNFC

/// What the model does not allow, and how it came about.
struct ModelProblem: Error, CustomStringConvertible {
  let description: String
}

/// A random sequence of everything that can be done with a tag, against a simple model of what its memory may be.
///
/// A read gives what was written last, or nothing, or what was there before, after a tear. What was not asked for by
/// name is not made final. A lock that has succeeded leaves nothing to write. What stands beside the message stays,
/// and what is refused has changed nothing: after a refusal at any exchange the old message is there, and after a
/// damaged answer the old one, none or the new one. What may have been made final is said. A broken tag can be written
/// again. The same seed gives the same run.
struct ModelRun {
  enum Operation: String, CaseIterable {
    case status, read, readAgain, write, writeAgain, writeMore, erase, format, formatWiping, lock,
      lockLess
    case leave, come, forget, wired, raw, sector, broken, changeKey, protect, restore
  }

  private let subject: ModelSubject
  private let seed: UInt64
  let tag: VirtualTag
  let hand = AirDriver.Hand()
  private let reader: Reader
  private(set) var found: DetectedTag
  private(set) var ndef: any NDEFTag
  var random: SplitMix64
  /// What a read may give; `nil` for a tag that is not formatted, is broken, or of which nothing is known.
  private var messages: Set<[UInt8]>?
  private var isBroken = false
  /// A lock has been begun, or completed.
  private var mayBeLocked: Bool
  private var looksBeside = true
  private(set) var done: [String] = []
  /// The key of an Ultralight C, as far as this run has changed it.
  var key = Array("IEMKAERB!NACUOYF".utf8)

  private struct NoTag: Error {}

  init(_ subject: ModelSubject, seed: UInt64, executor: ReaderThread) async throws {
    self.subject = subject
    self.seed = seed
    tag = subject.make()
    random = SplitMix64(seed: seed &* 0x9E37 &+ 1)
    reader = Reader(driver: AirDriver(tag, hand), executor: executor)
    found = try await Self.find(reader, subject.technology)
    guard let ndef = found.ndef else { throw NoTag() }
    self.ndef = ndef
    let memory = tag.memory
    // Made so, and not by us.
    let isType2 = found.miFareTag?.ultralight != nil
    mayBeLocked =
      isType2
      && (memory[15] & 0x0F != 0 || memory[10] != 0 || tag.name == "ntag216" && memory[0x388] != 0)
    messages = try? [await ndef.readNDEFBytes() ?? []]
    try await connect()
  }

  private static func find(_ reader: Reader, _ technology: TagTechnology) async throws
    -> DetectedTag
  {
    let round = try await reader.perform { reader, work in
      try reader.findFirst(of: [technology], work) { _ in true }
    }
    guard let tag = round.tag else { throw NoTag() }
    return tag
  }

  /// The tag comes back, or is found again: nothing is known of it.
  mutating func connect() async throws {
    hand.plan(nil)
    hand.isGone = false
    found = try await Self.find(reader, subject.technology)
    guard let ndef = found.ndef else { throw NoTag() }
    self.ndef = ndef
  }

  func problem(_ text: String) -> ModelProblem {
    ModelProblem(
      description: "\(subject), seed \(seed): \(text), after \(done.joined(separator: ", "))")
  }

  // MARK: Steps

  mutating func step() async throws {
    guard let operation = Operation.allCases.randomElement(using: &random) else { return }
    let before = tag.memory
    tag.allowedChanges = []
    tag.forgetIrreversibleChanges()
    done.append(operation.rawValue)
    switch operation {
    case .status, .read, .readAgain, .write, .writeAgain, .writeMore, .erase, .format,
      .formatWiping, .lock:
      // Most sequences would be over soon otherwise.
      if operation == .lock, !random.happens(1, of: 3) { return }
      try await ndefStep(operation, before)
    case .lockLess, .forget: ndef.discardCachedContent()
    case .leave: try await leave(before)
    case .come: try await connect()
    case .wired: changeByWire()
    case .raw: try await changeByCommand()
    case .sector: _ = try? await found.miFareTag?.ultralight?.selectSector(1)
    case .broken: try await breakTLVs()
    case .changeKey: try await changeKey(before)
    case .protect: try await protect()
    case .restore: try await restore()
    }
    try checkMemory(from: before, operation)
  }

  private func checkMemory(from before: [UInt8], _ operation: Operation) throws {
    guard tag.unexpectedChanges.isEmpty else {
      throw problem("\(tag.unexpectedChanges) without being asked for")
    }
    let after = tag.memory
    for range in subject.untouchable where after[range] != before[range] {
      throw problem("bytes \(range) have changed")
    }
    guard looksBeside, !subject.beside.isEmpty, operation != .formatWiping, operation != .format
    else { return }
    if !withoutGaps(after).contains(subject.beside) {
      throw problem("what stood beside the message has gone")
    }
  }

  /// The memory without what TLVs go around: sector trailers, and the system's blocks of a Topaz.
  private func withoutGaps(_ memory: [UInt8]) -> [UInt8] {
    switch tag.name {
    case "topaz512": Array(memory[..<104] + memory[128...])
    case let name where name.hasPrefix("classic"):
      memory.enumerated().filter { $0.offset / 16 % 4 != 3 }.map(\.element)
    default: memory
    }
  }

  /// The message of a length and a seed; never twice the same in a run, as far as that matters.
  private mutating func newMessage(upTo capacity: Int) -> [UInt8] {
    let length = Int.random(in: 0...max(0, min(capacity, 300)), using: &random)
    let first = UInt8.random(in: 1...250, using: &random)
    // The first record of a message has the flag Message Begin.
    return (0..<length).map { $0 == 0 ? 0xD1 : UInt8(truncatingIfNeeded: $0 &* 7) &+ first | 1 }
  }

  private mutating func event() -> AirDriver.Event? {
    // Most changes are short; every page of a long one is reached, too.
    let moment = Int.random(in: 0..<(random.happens(1, of: 4) ? 90 : 14), using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return .tear(moment)
    case 2: return .cancel(moment, isSent: Bool.random(using: &random))
    case 3, 4, 5: return refusal(moment)
    default: return nil
    }
  }

  /// A refusal, or a damaged answer.
  mutating func refusal(_ moment: Int) -> AirDriver.Event {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: .damage(moment, UInt8.random(in: 1...15, using: &random))
    case 3: .half(moment)
    default:
      .refuse(
        moment, [0, 0, 1, 3, 4, 5, 6, 7, 9].randomElement(using: &random) ?? 0,
        isLasting: Bool.random(using: &random))
    }
  }

  private enum Outcome: Sendable {
    case status(NDEFStatus)
    case message([UInt8])
    case done
  }

  private mutating func ndefStep(_ operation: Operation, _ before: [UInt8]) async throws {
    let ndef = ndef
    var new: [UInt8] = []
    var capacity: Int?
    if [.write, .writeAgain, .writeMore].contains(operation) {
      capacity = try? await ndef.queryNDEFStatus().capacity
      new = newMessage(upTo: capacity ?? 24)
    }
    let message = new
    tag.allowedChanges =
      switch operation {
      case .lock: subject.lockKinds
      case .format, .formatWiping: [.oneTimeBits]
      default: []
      }
    let event = event()
    hand.plan(event)
    if let event { done.append("(\(event))") }
    // A task of its own, which may be cancelled.
    let result = await Task {
      switch operation {
      case .status: return Outcome.status(try await ndef.queryNDEFStatus())
      case .read, .readAgain: return .message(try await ndef.readNDEFBytes() ?? [])
      case .format: try await ndef.formatNDEF(wipe: false)
      case .formatWiping: try await ndef.formatNDEF(wipe: true)
      case .lock: try await ndef.makeReadOnly()
      default: try await ndef.writeNDEFBytes(message, verify: false)
      }
      return .done
    }.result
    let isDisturbed = hand.hasHappened
    hand.plan(nil)
    switch result {
    case .success(let outcome): try await succeeded(operation, outcome, message, isDisturbed)
    case .failure(let error):
      try await failed(operation, error, message, event, isDisturbed, before)
    }
    if isDisturbed { try await connect() }
  }

  private mutating func succeeded(
    _ operation: Operation, _ outcome: Outcome, _ message: [UInt8], _ isDisturbed: Bool
  ) async throws {
    switch (operation, outcome) {
    case (_, .status(let status)):
      // A tag that refuses a question has said that it has no message.
      if messages != nil, !isDisturbed, status.access == .notSupported {
        throw problem("the tag is not NDEF")
      }
    case (_, .message(let bytes)):
      if let messages, !messages.contains(bytes) {
        throw problem("\(bytes.count) bytes were read that nobody has written")
      }
      messages = [bytes]
    case (.lock, _):
      mayBeLocked = true
      try await proveLocked()
    case (.format, _) where isDisturbed && messages != nil && !isBroken:
      // What was refused is the question for the message, which a format that is completed does not erase.
      try await connect()
      let found = try await ndef.readNDEFBytes() ?? []
      guard found.isEmpty || messages?.contains(found) == true else {
        throw problem("\(found.count) bytes are there after a format that nobody has written")
      }
      messages = [found]
    case (.format, _), (.formatWiping, _):
      isBroken = false
      looksBeside = operation == .format && looksBeside
      messages = [[]]
      try await proveMessage([])
    default:
      isBroken = false
      messages = [message]
      try await proveMessage(message)
    }
  }

  private mutating func failed(
    _ operation: Operation, _ error: any Error, _ message: [UInt8], _ event: AirDriver.Event?,
    _ isDisturbed: Bool, _ before: [UInt8]
  ) async throws {
    defer {
      switch operation {
      case .write, .writeAgain, .writeMore, .erase:
        messages = messages?.union([[], message])
      case .format, .formatWiping:
        messages = messages?.union([[]])
        if isDisturbed, operation == .formatWiping { looksBeside = false }
      case .lock:
        // The rights of a DESFire's files are not in its memory.
        let hasChanged = tag.memory != before || !tag.irreversibleChanges.isEmpty
        if isDisturbed, hasChanged || hand.isGone { mayBeLocked = true }
      default: break
      }
    }
    guard let failure = error as? NFCError else {
      if case .cancel? = event, isDisturbed { return }
      throw problem("\(operation.rawValue) was cancelled by nobody: \(error)")
    }
    if hand.isGone {
      // One that leaves in its last exchange, which is the second half of a SECTOR SELECT and answered by silence, has
      // said before that it is read-only.
      let isLockedOne = failure.code == .readOnly && mayBeLocked
      guard failure.code == .tagConnectionLost || isLockedOne else {
        throw problem("the tag was torn away, and \(operation.rawValue) has thrown \(failure)")
      }
      return
    }
    if isDisturbed {
      let isHalfLocked = operation == .lock && messages != nil && tag.memory != before
      if !tag.irreversibleChanges.isEmpty || isHalfLocked, failure.recovery == nil {
        throw problem(
          "\(operation.rawValue) has made \(tag.irreversibleChanges), and says nothing: \(failure)")
      }
      return try await refused(operation, failure, message, event)
    }
    if tag.memory != before {
      throw problem("\(operation.rawValue) was refused and has changed the tag: \(failure)")
    }
    switch operation {
    case .status, .read, .readAgain:
      if messages != nil { throw problem("the message cannot be read: \(failure)") }
    case .lock:
      if messages != nil, subject.canBeLocked { throw problem("no lock: \(failure)") }
    default:
      let isOpen = !mayBeLocked && (messages != nil || isBroken)
      if isOpen { throw problem("\(operation.rawValue) was refused: \(failure)") }
    }
  }

  /// A change was refused, or an answer was damaged.
  private mutating func refused(
    _ operation: Operation, _ failure: NFCError, _ message: [UInt8], _ event: AirDriver.Event?
  ) async throws {
    guard let known = messages, !isBroken else { return }
    let isWrite = [.write, .writeAgain, .writeMore, .erase, .format, .formatWiping].contains(
      operation)
    var allowed = known
    switch event {
    case .damage?, .half?: if isWrite { allowed.formUnion([[], message]) }
    // What was written before could not be taken back, because the tag refuses that, too.
    case .refuse? where isWrite && failure.reason.contains("could not be taken back"):
      allowed.insert([])
    default: break
    }
    try await connect()
    let found: [UInt8]
    do {
      found = try await ndef.readNDEFBytes() ?? []
    } catch let error as NFCError {
      throw problem("after \(failure), the message cannot be read: \(error)")
    }
    guard allowed.contains(found) else {
      throw problem("after \(failure), \(found.count) bytes are there: \(found.hexadecimal)")
    }
    if !known.contains(found), failure.recovery == nil {
      throw problem("the message has gone, and nothing says so: \(failure)")
    }
    messages = [found]
    try await connect()
  }

  // MARK: Proofs, by somebody who knows nothing of the tag

  private mutating func proveMessage(_ message: [UInt8]) async throws {
    guard random.happens(1, of: 2) else { return }
    try await connect()
    do {
      let read = try await ndef.readNDEFBytes() ?? []
      if read != message { throw problem("\(message.count) bytes were written, others are there") }
    } catch let error as NFCError {
      throw problem("what was written cannot be read: \(error)")
    }
  }

  /// After a lock nothing of the message's memory can be written, by no command.
  private mutating func proveLocked() async throws {
    try await connect()
    guard try await ndef.queryNDEFStatus().access == .readOnly else {
      throw problem("the tag was locked and says that it can be written")
    }
    let before = tag.memory
    for _ in 0..<8 {
      guard let address = lockedAddress() else { return }
      _ = try? await write([before[address] ^ 0x5A], at: address)
      guard tag.memory == before else {
        throw problem("byte \(address) was written after a lock that succeeded")
      }
      try await connect()
    }
  }

  // MARK: What others do

  private mutating func leave(_ before: [UInt8]) async throws {
    hand.isGone = true
    for call in 0..<3 {
      do {
        switch call {
        case 0: _ = try await ndef.queryNDEFStatus()
        case 1: _ = try await ndef.readNDEFBytes()
        default: try await ndef.writeNDEFBytes(messages?.first ?? [], verify: false)
        }
        throw problem("the tag has left, and call \(call) has succeeded")
      } catch let error as NFCError where error.code == .tagConnectionLost {
        continue
      } catch let error as NFCError {
        throw problem("the tag has left, and call \(call) has thrown \(error)")
      }
    }
    try await connect()
  }

  /// Where in the memory the message that is known to be there stands, as one run of bytes.
  private func place(of message: [UInt8]) -> Int? {
    let memory = tag.memory
    guard message.count >= 8, memory.count > message.count else { return nil }
    let places = (0...(memory.count - message.count)).filter {
      memory[$0] == message[0] && memory[$0..<$0 + message.count].elementsEqual(message)
    }
    return places.count == 1 ? places[0] : nil
  }

  /// A byte of the message, and the message with another value there.
  private mutating func change() -> (address: Int, value: UInt8, message: [UInt8])? {
    guard let messages, messages.count == 1, var message = messages.first,
      let start = place(of: message)
    else { return nil }
    let index = Int.random(in: message.indices, using: &random)
    message[index] ^= UInt8.random(in: 1...255, using: &random)
    return (start + index, message[index], message)
  }

  /// The host on the other side changes a byte of the message while the tag is connected.
  private mutating func changeByWire() {
    guard subject.hasWiredSide, !mayBeLocked, let change = change() else { return }
    tag.memory[change.address] = change.value
    messages = [change.message]
  }

  /// The program changes a byte of the message by a command of its own.
  private mutating func changeByCommand() async throws {
    guard !mayBeLocked, let change = change() else { return }
    let before = tag.memory
    do {
      guard try await write([change.value], at: change.address) else { return }
    } catch let error as NFCError {
      throw problem("a raw command was refused: \(error)")
    }
    guard tag.memory != before else { return }
    messages = [change.message]
  }

  /// Somebody else has left TLVs that break off.
  private mutating func breakTLVs() async throws {
    guard let area = subject.area, messages != nil, !mayBeLocked else { return }
    tag.memory.replaceSubrange(area..<area + 4, with: [0xFD, 0xFF, 0xFF, 0xFE])
    try await connect()
    do {
      _ = try await ndef.readNDEFBytes()
      // The tag does not look there.
      return try await learn()
    } catch is NFCError {
      // As it should be.
    }
    messages = nil
    isBroken = true
    looksBeside = false
    try await connect()
  }

  /// Takes in what is on the tag after something that the model does not follow.
  mutating func learn() async throws {
    try await connect()
    messages = try? [await ndef.readNDEFBytes() ?? []]
    isBroken = false
    looksBeside = false
    try await connect()
  }
}

extension SplitMix64 {
  mutating func happens(_ times: Int, of all: Int) -> Bool {
    Int.random(in: 0..<all, using: &self) < times
  }
}
