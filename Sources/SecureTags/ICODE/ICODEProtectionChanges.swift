import SwiftNFCCore

/// The steps between a protection and another.
struct ICODEProtectionChanges {
  typealias Step = PlannedStep<VicinityCommands>

  /// The steps after which no block requires a password.
  var opening: [Step] = []
  /// The steps after which the blocks require what they are to.
  var closing: [Step] = []
  /// The steps after which that can never be changed again.
  var locking: [Step] = []
  /// The first locked blocks that would have to change; `nil` if none would.
  private var locked: String?

  init(_ before: ICODEMemoryProtection, _ protection: ICODEProtection?) {
    switch before {
    case .parts(let information): addParts(information, protection)
    case .pages(let pages): for page in pages { add(page, protection) }
    }
  }

  private mutating func addParts(
    _ information: ICODEInformation, _ protection: ICODEProtection?
  ) {
    let open = ICODEInformation.Division.open
    if information.isProtectionLocked { locked = "this tag" }
    if !information.division.isOpen {
      opening.append(Self.divide(from: information.division, to: open))
    }
    guard let protection else { return }
    closing.append(Self.divide(from: open, to: protection.division))
    locking.append(
      Step(.action("the protection is locked")) {
        // The number of either part is accepted: the pointer is the high part's.
        _ = try $0.send(
          ICODECommandCode.lockPageProtection, [UInt8(clamping: protection.firstBlock)])
      })
  }

  private mutating func add(_ page: ICODEPage, _ protection: ICODEProtection?) {
    let isIncluded = protection.map { page.blocks.lowerBound >= $0.firstBlock } ?? false
    let after = isIncluded ? protection?.part : nil
    guard !page.isProtectionLocked else {
      // An earlier run may have locked it, and not yet the next page.
      if page.passwords != after ?? .open {
        locked = locked ?? "blocks \(page.blocks.lowerBound) to \(page.blocks.upperBound - 1)"
      }
      return
    }
    if page.passwords != .open {
      opening.append(Self.protect(page, from: page.passwords, to: .open))
    }
    guard let after else { return }
    closing.append(Self.protect(page, from: .open, to: after))
    locking.append(
      Step(.action("the protection is locked", at: .page(page.number))) {
        _ = try $0.send(ICODECommandCode.lockPageProtection, [UInt8(clamping: page.number)])
      })
  }

  /// PROTECT PAGE of a SLIX2, which divides the memory.
  private static func divide(
    from before: ICODEInformation.Division, to after: ICODEInformation.Division
  ) -> Step {
    Step(
      ChangePlan.Step(
        nil, "password protection", before: .words("\(before)"), after: .words("\(after)"))
    ) { _ = try $0.send(ICODECommandCode.protectPage, after.parameters) }
  }

  /// PROTECT PAGE of a SLIX-S or SLI-S, for one page.
  private static func protect(
    _ page: ICODEPage, from before: ICODEInformation.Part, to after: ICODEInformation.Part
  ) -> Step {
    Step(
      ChangePlan.Step(
        .page(page.number), "password protection", before: .words("\(before)"),
        after: .words("\(after)"))
    ) { _ = try $0.send(ICODECommandCode.protectPage, ICODEPage.parameters(page.number, after)) }
  }

  /// Throws ``NFCError/Code/readOnly`` if the protection of a block that would have to change is locked.
  func checkLocks() throws {
    guard let locked else { return }
    throw NFCError(.readOnly, "the protection of \(locked) cannot be changed any more")
  }
}

extension ISO15693Chip.ICODE.Memory {
  /// Throws ``NFCError/Code/invalidParameter`` for a block at which protection cannot begin.
  func check(firstBlock: Int) throws {
    switch self {
    case .parts(let lastBlock):
      guard !(0...lastBlock).contains(firstBlock) else { return }
      throw NFCError(
        .invalidParameter, "protection begins at block 0 to \(lastBlock), not \(firstBlock)")
    case .pages(let count):
      let last = (count - 1) * ICODEPage.blockCount
      guard !(0...last).contains(firstBlock) || firstBlock % ICODEPage.blockCount != 0 else {
        return
      }
      throw NFCError(
        .invalidParameter,
        "protection begins with a page, at block 0, 4, 8 and so on to \(last), not \(firstBlock)")
    }
  }
}
