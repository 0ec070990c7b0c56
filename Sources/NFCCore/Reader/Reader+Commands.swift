/// Connects to a tag, and sends its commands.
extension Reader {
  func isAvailable(_ handle: TagHandle) -> Bool {
    isOpen && handle.epoch == epoch
  }

  /// Connects to a tag, which then receives the commands.
  func connect(_ handle: TagHandle, _ operation: Operation) throws {
    try checkEpoch(handle)
    if connected === handle, !needsSelect { return }
    connected = nil
    try driver.select(handle.target)
    connected = handle
    needsSelect = false
    handle.state.withLock { $0 = .connected }
    // Another tag was connected in between: what was selected on this one is lost.
    handle.knowledge.withLock {
      $0.wasSelected()
      $0.authentication = nil
    }
  }

  /// Asks the connected tag whether it is still present. If not, it is lost.
  func isPresent(_ handle: TagHandle) throws -> Bool {
    guard handle.epoch == epoch, handle.state.withLock({ $0 != .lost }) else { return false }
    guard connected === handle else {
      throw NFCError(.tagNotConnected, "only the tag that the reader is connected to can be used")
    }
    do {
      if needsSelect { try wake(handle) }
      if try driver.isPresent(handle.target) { return true }
      // It may only have been missed, or have fallen asleep.
      if !handle.target.losesStateOnSelect {
        try wake(handle)
        return true
      }
      markTagLost(handle)
      return false
    } catch let error as NFCError {
      switch error.code {
      case .tagConnectionLost:
        markTagLost(handle)
        return false
      case .readerUnavailable: throw readerLost(causedBy: error)
      default: throw error
      }
    }
  }

  private func checkEpoch(_ handle: TagHandle) throws {
    guard handle.epoch == epoch else {
      throw NFCError(
        .tagConnectionLost, "the tag was found before polling started again; it must be found again"
      )
    }
  }

  /// Runs a procedure with a tag; if it fails, finds out the state of the tag.
  func command<Result>(
    _ handle: TagHandle, _ operation: Operation, _ body: (TagLink) throws -> Result
  ) throws -> Result {
    try checkEpoch(handle)
    guard connected === handle else {
      switch handle.state.withLock({ $0 }) {
      case .found:
        throw NFCError(.tagNotConnected, "connect to the tag before sending it a command")
      case .connected:
        throw NFCError(.tagNotConnected, "the reader has since connected to another tag")
      case .lost: throw NFCError(.tagConnectionLost, "the tag has left the field")
      }
    }
    let wasAsleep = needsSelect
    if wasAsleep { try wake(handle) }
    let link = TagLink(
      driver: driver, target: handle.target, operation: operation,
      presumedVersion: presumedVersions.withLock { $0[handle.target.identifier] })
    let isEnded = handle.knowledge.withLock { $0.authentication?.channel?.isEnded ?? false }
    do {
      if wasAsleep || isEnded { try handle.reauthenticate(link) }
      let channel = handle.knowledge.withLock { $0.authentication?.channel }
      return try body(link.reauthenticating(handle.reauthenticate).protected(by: channel))
    } catch is CancellationError {
      // The tag's reaction to the broken command is unknown: wake it again.
      requireSelection(handle)
      throw CancellationError()
    } catch let error as NFCError {
      switch error.code {
      case .tagRefused, .notAuthenticated, .authenticationFailed, .readOnly:
        needsSelect = needsSelect || handle.target.stopsRespondingAfterRefusal
      case .tagResponseError:
        if operation.isCancelled {
          requireSelection(handle)
        } else {
          // Its answer makes no sense, perhaps in the middle of a command.
          if handle.target.losesStateOnSelect { driver.tagHoldsState(true) }
          try checkPresence(handle, error)
        }
      case .tagConnectionLost:
        markTagLost(handle)
      case .readerUnavailable:
        throw readerLost(causedBy: error)
      default: break
      }
      throw error
    }
  }

  /// After an exchange without a good answer: is the tag still there, and the reader?
  private func checkPresence(_ handle: TagHandle, _ error: NFCError) throws {
    if handle.target.losesStateOnSelect, error.hasAnswer {
      // The card has answered, and its answer makes no sense: its state is unchanged, unless it has
      // left since.
      guard try hasStayed(handle) else {
        markTagLost(handle)
        throw lost("the tag has left the field", error)
      }
      return
    }
    do {
      try wake(handle)
    } catch let failure as NFCError where failure.code == .tagConnectionLost {
      throw lost("the tag has left the field", error)
    }
    guard handle.target.losesStateOnSelect else { return }
    markTagLost(handle)
    throw lost("the card has stopped answering; connect to it again to start over", error)
  }

  /// Returns the error for a tag that was lost, with what `error` reports about an unfinished change.
  private func lost(_ reason: String, _ error: NFCError) -> NFCError {
    var lost = NFCError(.tagConnectionLost, reason, cause: error.cause)
    lost.recovery = error.recovery
    return lost
  }

  /// Returns whether a card is still present, with a command that loses no state. A card that does
  /// not answer it properly has lost what was selected in it.
  private func hasStayed(_ handle: TagHandle) throws -> Bool {
    do {
      return try driver.isPresent(handle.target)
    } catch let error as NFCError {
      switch error.code {
      case .tagConnectionLost, .tagResponseError, .tagRefused: return false
      case .readerUnavailable: throw readerLost(causedBy: error)
      default: throw error
      }
    }
  }

  /// Wakes the connected tag; if that fails, finds out the state of tag and reader.
  private func wake(_ handle: TagHandle) throws {
    do {
      try driver.select(handle.target)
      needsSelect = false
      // It may have been away since, and has lost what was selected on it.
      handle.knowledge.withLock { $0.wasSelected() }
    } catch let error as NFCError where error.code == .tagConnectionLost {
      markTagLost(handle)
      throw error
    } catch let error as NFCError where error.code == .readerUnavailable {
      throw readerLost(causedBy: error)
    }
  }

  private func requireSelection(_ handle: TagHandle) {
    if handle.target.losesStateOnSelect {
      driver.commandWasInterrupted()
      markTagLost(handle)
    } else {
      needsSelect = true
    }
  }

  private func markTagLost(_ handle: TagHandle) {
    connected = nil
    handle.state.withLock { $0 = .lost }
  }
}
