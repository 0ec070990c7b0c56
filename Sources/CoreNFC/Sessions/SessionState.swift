/// The state of a session: a value without a reader, a queue or a clock.
struct SessionState: Sendable {
  enum Phase: Sendable {
    case ready
    case active
    /// The reader is being released; after that, the delegate is informed of this reason.
    case ending(NFCReaderError)
    case ended
  }

  private(set) var phase = Phase.ready
  /// The tags that were reported since polling was last started.
  private(set) var tags: [TagObject] = []
  private(set) var connected: TagObject?
  /// The tags that a command has found gone.
  private var lost: Set<ObjectIdentifier> = []

  var isActive: Bool {
    if case .active = phase { true } else { false }
  }

  /// A session begins once; says whether this was the time.
  mutating func begin() -> Bool {
    guard case .ready = phase else { return false }
    phase = .active
    return true
  }

  /// Of several reasons to end the first counts; says whether this was it.
  mutating func end(_ reason: NFCReaderError) -> Bool {
    switch phase {
    case .ready, .active:
      phase = .ending(reason)
      return true
    case .ending, .ended: return false
    }
  }

  /// Prepares to report the end; `nil` if it was already reported, or the session has not ended.
  mutating func finish() -> NFCReaderError? {
    guard case .ending(let reason) = phase else { return nil }
    phase = .ended
    tags = []
    connected = nil
    return reason
  }

  mutating func found(_ tags: [TagObject]) {
    self.tags = tags
    connected = nil
    lost = []
  }

  /// Returns whether polling has to be restarted: no tag is reported while polling continues.
  ///
  /// - Parameter always: whether polling changes, and therefore is restarted while it continues.
  mutating func restart(always: Bool) -> Bool {
    guard isActive, always || !tags.isEmpty else { return false }
    found([])
    return true
  }

  /// Says whether commands go to the tag from now on: not to one that was found before polling was restarted.
  mutating func connect(_ tag: TagObject) -> Bool {
    guard isReachable(tag) else { return false }
    connected = tag
    return true
  }

  /// The reader is about to select another tag; whether that succeeds or not, this one receives no command any more.
  mutating func disconnect() { connected = nil }

  mutating func lose(_ tag: TagObject) {
    lost.insert(tag.id)
    if connected === tag { connected = nil }
  }

  /// Returns whether a tag was found since polling last started, and no command has found it gone.
  func isReachable(_ tag: TagObject) -> Bool {
    isActive && !lost.contains(tag.id) && tags.contains { $0 === tag }
  }

  /// Returns whether commands go to a tag.
  func isConnected(_ tag: TagObject) -> Bool { connected === tag && isReachable(tag) }
}
