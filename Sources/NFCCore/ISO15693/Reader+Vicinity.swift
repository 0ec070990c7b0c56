extension Reader {
  /// Returns a connected ISO 15693 tag by its UID, without a search; `nil` if none answers. Tags found before
  /// are out of reach from now on.
  ///
  /// A tag in privacy mode (ICODE), or one that was told to stay quiet, answers no search, but commands that
  /// are addressed to it. The reader must send frames as they are: one of PC/SC with transparent sessions.
  /// Such a reader begins a session only when its own search has found a tag, so that a second ISO 15693
  /// tag has to be there. Not tried on hardware.
  ///
  /// - Parameter uid: 8 bytes, most significant first.
  /// - Throws: ``NFCError/Code/unsupported`` for a reader without ISO 15693;
  ///   ``NFCError/Code/invalidParameter`` for another number of bytes; `readerLost`.
  public func vicinityTag(uid: [UInt8]) async throws -> (any ISO15693Tag)? {
    guard capabilities.technologies.contains(.iso15693) else {
      throw NFCError(.unsupported, "\(name) cannot poll \(TagTechnology.iso15693.rawValue)")
    }
    guard uid.count == ISO15693Request.uidLength else {
      throw NFCError(
        .invalidParameter, "a UID has \(ISO15693Request.uidLength) bytes, not \(uid.count)")
    }
    let found = try await perform { reader, operation in
      try reader.resetField()
      reader.fieldState = .used
      return try reader.detect(.iso15693(ISO15693Target(uid: uid)), operation)
    }
    guard case .iso15693(let tag) = found else { return nil }
    do {
      try await tag.connect()
      return tag
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return nil
    }
  }
}
