extension Type2Chip {
  /// The pages that hold or accept passwords or keys; those of every chip for one whose pages are not known.
  package var secretPages: Set<Int> {
    pages == nil ? Self.secretPagesOfAll : ownSecretPages
  }

  /// The pages that hold or accept passwords or keys of any chip.
  package static let secretPagesOfAll = all.reduce(into: Set<Int>()) {
    $0.formUnion($1.ownSecretPages)
  }

  /// The same of the chips that do not support GET_VERSION.
  package static let secretPagesWithoutVersion = all.filter(\.versions.isEmpty)
    .reduce(into: Set<Int>()) { $0.formUnion($1.ownSecretPages) }

  private var ownSecretPages: Set<Int> {
    let mapped = (pages?.areas ?? []).filter { [.secret, .key].contains($0.use) }.map(\.pages)
    return (mapped + otherSecrets).reduce(into: []) { $0.formUnion($1) }
  }

  /// The positions of password and acknowledge, or of keys, in the memory; none for a chip whose pages are not known.
  package var secretBytes: [Range<Int>] {
    let size = Type2PageMap.pageSize
    switch access {
    case .none: return []
    case .password(let settings):
      let password = settings.secrets.lowerBound * size
      return [password..<password + size, password + size..<password + size + Self.acknowledgeSize]
    case .tripleDES(let settings):
      return [settings.keyPages.lowerBound * size..<settings.keyPages.upperBound * size]
    case .aes:
      return (pages?.areas ?? []).filter { $0.use == .secret }
        .map { $0.pages.lowerBound * size..<($0.pages.upperBound + 1) * size }
    }
  }

  private static let acknowledgeSize = 2

  /// A value of AUTH0 with which no page requires the password or key (data sheets, AUTH0): after the last page, and FF
  /// for a password.
  package var firstProtectedPageForNone: UInt8 {
    if case .password = access { 0xFF } else { UInt8(clamping: pages?.end ?? 0xFF) }
  }

  /// A secret that opens protected pages.
  package enum SecretKind: Hashable, Sendable {
    case password, tripleDES, aes
  }

  /// The secret that opens protected pages; `nil` for a chip without one, or with settings that are not known.
  package var secretKind: SecretKind? {
    switch access {
    case .none, .aes(nil): nil
    case .password: .password
    case .tripleDES: .tripleDES
    case .aes: .aes
    }
  }
}
