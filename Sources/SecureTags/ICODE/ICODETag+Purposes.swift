import SwiftNFCCore

/// Privacy mode and the end of a chip with AES keys: the purposes of a mutual authentication of NTAG 5 link and boost
/// (data sheet NTP53x2 rev. 3.3, table 164 and 8.7).
///
/// In privacy mode, every such chip shows the UID E004000000000000, answers nothing but what ends the mode, and is
/// found by that UID. It is not confirmed that it is addressed by it. The purpose that shows the chip only until the
/// field is off is not used: a search, which would find it, turns the field off.
extension ICODETag {
  /// Turns privacy mode on: two exchanges. Keep the key; the chip no longer shows its UID.
  ///
  /// Once begun, it is completed even if the task is cancelled.
  ///
  /// - Parameters:
  ///   - number: the number of an active key with ``NTAG5Privileges/privacy``.
  ///   - key: 16 bytes.
  /// - Throws: as ``authenticate(withKey:_:)``: nothing has changed then; ``NFCError/Code/tagRefused`` also for a key
  ///   without the privilege. An error with a ``NFCError/recovery`` leaves open whether the mode is on.
  public func enablePrivacy(withKey number: Int, _ key: SecretKey) async throws {
    try await authenticate(
      .enablePrivacy, number, key,
      recovery: "the tag may already be in privacy mode: search for it again")
  }

  /// Ends privacy mode permanently, for a tag that was found in it (``isInPrivacyMode``): two exchanges. Search again
  /// afterwards, for the tag shows its own UID. The data sheet does not say whether the mode can be turned on again.
  ///
  /// - Throws: as ``enablePrivacy(withKey:_:)``.
  public func leavePrivacyPermanently(withKey number: Int, _ key: SecretKey) async throws {
    try await authenticate(
      .leavePrivacy, number, key,
      recovery: "the tag may already have left privacy mode: search for it again")
  }

  /// Destroys the chip, which never answers again, neither here nor on its wired side. **Cannot be undone.** Two
  /// exchanges.
  ///
  /// Once begun, it is completed even if the task is cancelled.
  ///
  /// - Parameters:
  ///   - number: the number of an active key with ``NTAG5Privileges/destroy``.
  ///   - key: 16 bytes.
  /// - Throws: as ``authenticate(withKey:_:)``: nothing has changed then; ``NFCError/Code/tagRefused`` also for a key
  ///   without the privilege. An error with a ``NFCError/recovery`` leaves open whether the tag is destroyed.
  public func destroyPermanently(withKey number: Int, _ key: SecretKey) async throws {
    try await authenticate(
      .destroy, number, key,
      recovery: "the tag may already be destroyed: if it still answers, request it again")
  }

  private func authenticate(
    _ purpose: ICODEMutualProof.Purpose, _ number: Int, _ key: SecretKey, recovery: String
  ) async throws {
    guard features.hasConfiguration || isInPrivacyMode else {
      throw NFCError(
        .unsupported, "no public document says whether \(product.name) has this feature of its keys"
      )
    }
    let number = try checkedNumber(number, of: key)
    try await run { commands in
      let proof = try Self.begin(number, key, commands)
      try commands.link.uninterrupted(recovery: recovery) {
        try Self.finish(proof, key, for: purpose, commands)
      }
    }
  }
}
