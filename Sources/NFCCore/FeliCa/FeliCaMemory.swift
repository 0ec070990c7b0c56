/// What is known of a FeliCa card.
struct FeliCaMemory: FamilyMemory {
  fileprivate var feliCaLimits: FeliCaBlockLimits?
}

extension TagKnowledge {
  /// The number of blocks that the card accepts in one command, as far as is known.
  var feliCaLimits: FeliCaBlockLimits? {
    get { self[FeliCaMemory.self].feliCaLimits }
    set { self[FeliCaMemory.self].feliCaLimits = newValue }
  }
}
