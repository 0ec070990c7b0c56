/// What is known of a MIFARE Classic card.
struct ClassicMemory: FamilyMemory {
  fileprivate var classicKeys: ClassicNDEFKeys = ClassicNDEFKeys()
}

extension TagKnowledge {
  /// The keys of the program for the message.
  var classicKeys: ClassicNDEFKeys {
    get { self[ClassicMemory.self].classicKeys }
    set { self[ClassicMemory.self].classicKeys = newValue }
  }
}
