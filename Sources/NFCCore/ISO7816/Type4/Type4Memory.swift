/// What is known of a smart card.
struct Type4Memory: FamilyMemory {
  fileprivate var readBinaryLimit: Int?
  fileprivate var filePasswords: Type4Passwords?
}

extension TagKnowledge {
  /// The number of bytes that the card returns for one READ BINARY, if it has refused more.
  var readBinaryLimit: Int? {
    get { self[Type4Memory.self].readBinaryLimit }
    set { self[Type4Memory.self].readBinaryLimit = newValue }
  }

  /// The passwords of the program for the NDEF file.
  var filePasswords: Type4Passwords? {
    get { self[Type4Memory.self].filePasswords }
    set { self[Type4Memory.self].filePasswords = newValue }
  }
}
