extension NFCError {
  /// Refuses a change whose effects were not all asked for by name.
  ///
  /// - Parameters:
  ///   - planned: what of the change cannot be undone.
  ///   - accepted: what of it the program wants.
  /// - Throws: ``NFCError/Code/invalidParameter`` with those that it has not named.
  package static func checkAccepted<Effect: Hashable & CustomStringConvertible>(
    _ planned: some Sequence<Effect>, by accepted: Set<Effect>
  ) throws {
    let others = planned.filter { !accepted.contains($0) }
    guard others.isEmpty else {
      throw NFCError(
        .invalidParameter,
        "this cannot be undone and was not asked for: "
          + others.map(\.description).joined(separator: ", "))
    }
  }
}
