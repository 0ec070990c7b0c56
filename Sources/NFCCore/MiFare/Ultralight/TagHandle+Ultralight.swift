/// The authentication of a program with an Ultralight or NTAG tag. Descriptions never show it.
enum UltralightAuthentication: Hashable, Sendable {
  case password([UInt8])
  case tripleDES([UInt8])
  case channel(UltralightChannelReference)

  func run(_ link: TagLink) throws {
    switch self {
    case .password(let bytes): _ = try UltralightProcedure.authenticate(password: bytes, link)
    case .tripleDES(let key): try UltralightCAuthentication.run(key: key, link)
    case .channel(let reference): try reference.channel.prove(link)
    }
  }

  /// What protects later commands; `nil` for a proof that leaves them as they are.
  var channel: (any UltralightChannel)? {
    if case .channel(let reference) = self { reference.channel } else { nil }
  }
}

extension UltralightAuthentication: CustomStringConvertible, CustomReflectable {
  var description: String { "a secret" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension TagHandle {
  /// Returns the chip of an Ultralight or NTAG tag, which is asked for once.
  func type2Chip(_ link: TagLink) throws -> Type2Chip? { try identification(link).chip }

  /// Returns what an Ultralight or NTAG tag has answered about its chip, which is asked for once.
  func identification(_ link: TagLink) throws -> UltralightIdentification {
    if let known = knowledge.withLock({ $0.identification }) { return known }
    let identification = try UltralightIdentification(asking: link)
    knowledge.withLock { $0.learn(identification) }
    return identification
  }

  /// Repeats the program's authentication with a tag that was woken. A secret that no longer opens
  /// it is forgotten.
  func reauthenticate(_ link: TagLink) throws {
    guard let authentication = knowledge.withLock({ $0.authentication }) else { return }
    do {
      try authentication.run(link)
    } catch let error as NFCError where error.group == .refusal {
      knowledge.withLock { $0.authentication = nil }
      // Otherwise a program would rely on protection that no longer exists.
      guard authentication.channel == nil else { throw error }
      try link.selectPlainly()
    }
  }
}

extension TagKnowledge {
  mutating func learn(_ identification: UltralightIdentification) {
    self.identification = identification
    product = .some(identification.chip?.product)
    version = .some(identification.version)
  }

  /// Updates the facts with a mapping's knowledge of the chip; the mapping has left the tag in
  /// sector 0.
  mutating func learn(_ mapping: Type2Mapping) {
    if let identification = mapping.identification { learn(identification) }
    isSectorUnknown = false
  }

  /// The tag was selected again: its sector and content are unknown.
  mutating func wasSelected() {
    authentication?.channel?.end()
    mapping = nil
    isSectorUnknown = false
  }

  /// A command of the program is about to change the selection, or the secret itself.
  mutating func willSend(_ command: [UInt8]) {
    if command.first == UltralightCommand.sectorSelect.encoded.first { isSectorUnknown = true }
    guard let page = UltralightCommand.pageWritten(by: command), mayHoldSecret(page) else { return }
    authentication = nil
  }

  private func mayHoldSecret(_ page: Int) -> Bool {
    guard let pages = identification?.chip?.pages else { return page > 15 }
    switch pages.use(ofPage: page) {
    case .user, .locks, .identifierAndLocks, .oneTime, .counter: return false
    default: return true
    }
  }
}
