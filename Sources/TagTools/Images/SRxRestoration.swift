import NFC
import TagImages

/// Restores an image to a chip of ST's families SRx and ST25TB.
///
/// Blocks 0 to 4 have bits that can only be cleared, and blocks 5 and 6 are counters that can only be decreased (SRIX4K
/// data sheet, 4; SRI512 data sheet, 4): they are not written.
struct SRxRestoration: MemoryRestoration {
  private struct Block {
    let number: Int
    let data: [UInt8]
    let old: [UInt8]?
    let omission: RestoredPart.Omission?
  }

  private let memory: SRxMemory
  private let blocks: [Block]
  /// The system block to write, if it has new locks.
  private var system: (before: [UInt8], after: [UInt8])?
  private var lockOmission: RestoredPart.Omission?
  private let register: SRxChip.LockRegister?

  /// - Parameters:
  ///   - now: the current content of the tag.
  ///   - locksPermanently: whether the lock bits of the image are written, too.
  /// - Throws: `NFCError` `malformedContent` for an image of another size.
  init(
    _ tag: OtherTag, _ image: TagImage, now: TagImage, locksPermanently: Bool
  ) async throws {
    guard image.memory.bytes.count == now.memory.bytes.count else {
      throw NFCError(
        .malformedContent,
        "it has \(image.memory.bytes.count) bytes, and the tag has \(now.memory.bytes.count)")
    }
    memory = SRxMemory(tag)
    let register = SRxChip(try await DetectedTag.other(tag).product())?.lockRegister
    self.register = register
    let new = image.memory.regrouped(unitSize: SRxMemory.blockSize)
    blocks = (0..<now.memory.unitCount).compactMap { number in
      let range = now.memory.range(ofUnit: number)
      guard let data = new.known(range), now.memory.known(range) != data else { return nil }
      let isLocked = register?.locks(number, now.systemBlock ?? []) ?? false
      return Block(
        number: number, data: data, old: now.memory.known(range),
        omission: Self.obstacle(to: number, isLocked: isLocked))
    }
    guard let before = now.systemBlock, let wanted = image.systemBlock else { return }
    // For a chip that is not known, only a difference can be reported.
    let after = (register ?? .narrow).adding(wanted, to: before)
    guard after != before else { return }
    if !locksPermanently {
      lockOmission = RestoredPart.Omission(.notRequested(.locks))
    } else if register == nil {
      lockOmission = RestoredPart.Omission(
        text: "which bits lock this chip is not known", isFailure: true, isNotRequested: false)
    } else {
      system = (before, after)
    }
  }

  private static func obstacle(to block: Int, isLocked: Bool) -> RestoredPart.Omission? {
    if SRxChip.oneTimeBlocks.contains(block) {
      return RestoredPart.Omission(
        text: "bits that can only be cleared are never written", isFailure: false,
        isNotRequested: true)
    }
    if SRxChip.counterBlocks.contains(block) {
      return RestoredPart.Omission(
        text: "a counter is never written", isFailure: false, isNotRequested: true)
    }
    return isLocked
      ? RestoredPart.Omission(text: "it is locked", isFailure: true, isNotRequested: false) : nil
  }

  // MARK: MemoryRestoration

  var effects: [IrreversibleEffect] { system == nil ? [] : [.locksMemory] }

  var changeSteps: [ChangePlan.Step] {
    var steps = blocks.filter { $0.omission == nil }.map { block in
      ChangePlan.Step.write(.block(block.number), block.old, block.data)
    }
    if let system {
      steps.append(.write(.block(Int(SRxMemory.systemBlock)), system.before, system.after))
    }
    return steps
  }

  var plan: [RestoredPart] {
    blocks.map { block in
      RestoredPart(
        kind: "block", number: block.number, written: block.omission == nil ? [block.number] : [],
        omissions: block.omission.map { [$0] } ?? [])
    } + systemPart
  }

  private var systemPart: [RestoredPart] {
    guard system != nil || lockOmission != nil else { return [] }
    let number = Int(SRxMemory.systemBlock)
    return [
      RestoredPart(
        kind: "block", number: number, written: system == nil ? [] : [number],
        omissions: lockOmission.map { [$0] } ?? [])
    ]
  }

  func plan(from now: TagImage, to image: TagImage) -> [RestoredPart] {
    plan.map { part in
      var part = part
      guard !part.written.isEmpty else { return part }
      if part.number == Int(SRxMemory.systemBlock), let system {
        part.setChange(from: system.before, to: system.after, isReplaced: true)
      } else if let block = blocks.first(where: { $0.number == part.number }) {
        let old = now.memory.known(now.memory.range(ofUnit: block.number))
        part.setChange(from: old, to: block.data, isReplaced: true)
      }
      return part
    }
  }

  func run() async throws -> [RestoredPart] {
    let writable = blocks.filter { $0.omission == nil }
    guard !writable.isEmpty || system != nil else { return plan }
    try await memory.prepareForWriting()
    var refusals: [Int: String] = [:]
    for block in writable {
      do {
        try await memory.write(block.data, block: UInt8(clamping: block.number))
      } catch let error as NFCError where error.code == .readOnly {
        refusals[block.number] = error.description
      }
    }
    if let reason = try await lock(after: refusals) {
      refusals[Int(SRxMemory.systemBlock)] = reason
    }
    return plan.map { part in
      guard let text = refusals[part.number] else { return part }
      return RestoredPart(
        kind: "block", number: part.number, written: [],
        omissions: [
          RestoredPart.Omission(text: text, isFailure: true, isNotRequested: false)
        ])
    }
  }

  /// Writes the lock bits after all other blocks: a lock makes permanent what is in a block.
  ///
  /// - Parameter refusals: the blocks that were not written.
  /// - Returns: the reason why the bits were not written, or `nil`.
  private func lock(after refusals: [Int: String]) async throws -> String? {
    guard let system, let register else { return nil }
    let other = blocks.first { block in
      (block.omission != nil || refusals[block.number] != nil)
        && register.locks(block.number, system.after)
        && !register.locks(block.number, system.before)
    }
    if let other { return "block \(other.number) would be locked with another content" }
    do {
      try await memory.write(system.after, block: SRxMemory.systemBlock)
      return nil
    } catch let error as NFCError where error.code == .readOnly {
      return error.description
    }
  }
}
