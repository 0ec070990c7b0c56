/// What is known of an Ultralight or NTAG tag.
struct UltralightMemory: FamilyMemory {
  fileprivate var identification: UltralightIdentification?
  fileprivate var authentication: UltralightAuthentication?
  fileprivate var isSectorUnknown: Bool = false
}

extension TagKnowledge {
  /// What the tag has answered about its chip; `nil` if it has not been asked.
  var identification: UltralightIdentification? {
    get { self[UltralightMemory.self].identification }
    set { self[UltralightMemory.self].identification = newValue }
  }

  /// The program's authentication, which is repeated when the tag was woken.
  var authentication: UltralightAuthentication? {
    get { self[UltralightMemory.self].authentication }
    set { self[UltralightMemory.self].authentication = newValue }
  }

  /// Whether the program may have selected another sector of an NTAG I²C than 0.
  var isSectorUnknown: Bool {
    get { self[UltralightMemory.self].isSectorUnknown }
    set { self[UltralightMemory.self].isSectorUnknown = newValue }
  }
}
