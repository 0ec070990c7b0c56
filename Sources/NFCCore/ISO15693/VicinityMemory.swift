/// What is known of an ISO 15693 tag.
struct VicinityMemory: FamilyMemory {
  fileprivate var vicinity: ISO15693Knowledge?
}

extension TagKnowledge {
  /// The way in which the tag accepts its commands.
  var vicinity: ISO15693Knowledge? {
    get { self[VicinityMemory.self].vicinity }
    set { self[VicinityMemory.self].vicinity = newValue }
  }
}
