extension NFCError {
  /// Refuses a change unless all its effects were accepted by name.
  ///
  /// - Parameters:
  ///   - planned: the irreversible effects of the change.
  ///   - accepted: the effects that the program accepts.
  /// - Throws: ``NFCError/Code/invalidParameter`` with the effects that were not accepted.
  package static func checkAccepted<Effect: Hashable & CustomStringConvertible>(
    _ planned: some Sequence<Effect>, by accepted: Set<Effect>
  ) throws {
    let others = planned.filter { !accepted.contains($0) }
    guard others.isEmpty else {
      throw NFCError(
        .invalidParameter,
        "this cannot be undone and was not requested: "
          + others.map(\.description).joined(separator: ", "))
    }
  }
}
