extension ISO15693Tag {
  /// Plans locking blocks, one after the other: see ``lockBlock(_:)``. No exchange.
  ///
  /// Performing the plan has to accept ``IrreversibleEffect/locksMemory``.
  public func lockPlan(_ blocks: Range<Int>) -> ChangePlan {
    ChangePlan(
      for: self, blocks.map { .action("permanently read-only", at: .block($0)) },
      effects: blocks.isEmpty ? [] : [.locksMemory],
      recovery: "the block may already be locked: request the lock again",
      performing: {
        for block in blocks { try await self.lockBlock(block) }
      })
  }
}
