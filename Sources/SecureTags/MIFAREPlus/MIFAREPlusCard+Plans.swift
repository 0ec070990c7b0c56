import SwiftNFCCore

extension MIFAREPlusCard {
  /// Plans the personalization of a card in security level 0: the keys that are written, and whether the card leaves the
  /// level afterwards; see ``personalize(_:_:)`` and ``commitPersonalization()``. No exchange.
  ///
  /// Leaving the level has to accept ``IrreversibleEffect/leavesSecurityLevel``.
  public func personalizationPlan(
    _ keys: [(address: MIFAREPlusKeyAddress, key: SecretKey)], leavesLevelZero: Bool
  ) -> ChangePlan {
    var steps = keys.map { address, _ in ChangePlan.Step.secret(Self.place(address), "a new one") }
    if leavesLevelZero {
      steps.append(
        ChangePlan.Step(nil, "security level", before: .words("0"), after: .words("1 or 3")))
    }
    return ChangePlan(
      for: self, steps, effects: leavesLevelZero ? [.leavesSecurityLevel] : [],
      recovery: "request it again, which writes the keys again",
      performing: {
        for (address, key) in keys { try await self.personalize(address, key) }
        if leavesLevelZero { try await self.commitPersonalization() }
      })
  }

  /// Plans ``changeKey(_:to:)`` and a proof that the card has the new key. No exchange; the old key is the one that
  /// has opened the sector, or belongs to whoever has the card's master key.
  public func keyChangePlan(_ address: MIFAREPlusKeyAddress, to new: SecretKey) -> ChangePlan {
    ChangePlan(
      for: self, [.secret(Self.place(address), "a new one")],
      recovery:
        "the card may already have the new key: authenticate with it, and then with the old one",
      performing: {
        try await self.changeKey(address, to: new)
        try await self.authenticate(address, new)
      })
  }

  private static func place(_ address: MIFAREPlusKeyAddress) -> ChangePlan.Place {
    ChangePlan.Place.named(.key, "\(address)")
  }
}
