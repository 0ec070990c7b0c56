import SwiftNFCCore

/// The common part of the ICODE SLIX family: passwords, article surveillance, privacy and destruction.
protocol ICODEChip: VicinityChip {
  var security: ICODESecurity { get set }
}

extension ICODEChip {
  /// Whether no search finds the chip: it hides, or it was destroyed.
  public var isHidden: Bool { security.isPrivate || security.isDestroyed }

  func receives(_ request: VicinityRequest) -> Bool { security.receives(request) }

  func afiRefusal() -> VicinityErrorCode? {
    security.isAFIProtected && !security.open.contains(.eas) ? .unknown : nil
  }

  var frozenSettings: IrreversibleState { security.frozenSettings }

  mutating func endSession() { security.endSession() }
}

/// An ICODE that supports inventory read commands.
protocol ICODEInventoryChip: ICODEChip {
  /// Whether the chip supports the extended options of inventory read commands.
  static var hasExtendedInventory: Bool { get }
  /// Whether the chip enters the quiet state at each power-on.
  var isPersistentlyQuiet: Bool { get set }
}

extension ICODEInventoryChip {
  /// Executes INVENTORY READ and FAST INVENTORY READ. A label that cannot execute all of the request is
  /// silent. It is not confirmed that a block protected by a password makes it silent, too.
  mutating func executeInventory(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityInventory? {
    guard code == ICODECommand.inventoryRead || code == ICODECommand.fastInventoryRead,
      let request = ICODEInventoryRead(parameters, flags),
      request.options == nil || Self.hasExtendedInventory
    else { return nil }
    let options = request.options ?? []
    if options.contains(.surveillance), !security.isEASSet { return nil }
    var payload = request.answeredUID(core.uid)
    for number in request.blocks ?? 0..<0 {
      guard let block = core.block(number), readRefusal(number) == nil else { return nil }
      payload += block
    }
    var inventory = VicinityInventory(
      afi: request.afi, mask: request.mask, payload: payload, isForThis: core.state != .quiet,
      isFast: code == ICODECommand.fastInventoryRead)
    if options.isSuperset(of: [.quiet, .persistentQuiet]) {
      inventory.isForThis = isPersistentlyQuiet && core.state == .quiet
    } else if !options.isDisjoint(with: [.quiet, .persistentQuiet]) {
      inventory.stateAfterwards = .quiet
      let isMeant =
        inventory.isForThis && request.mask.matches(core.uidNumber)
        && core.answers(toAFI: request.afi, hasAFI: profile.hasAFI)
      if isMeant, options.contains(.persistentQuiet) { isPersistentlyQuiet = true }
    }
    return inventory
  }
}
