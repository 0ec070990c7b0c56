extension SignatureRecord {
  /// Returns the bytes that a signature of these records is made of.
  ///
  /// In version 1, they are the types, identifiers and payloads (Signature RTD 1.0, 3.4). In version 2.0, they are the
  /// whole records as they are in the message, with their lengths and flags: the last one is followed by the signature,
  /// so that its ME flag is 0 (ndeflib, docs/records/signature.rst).
  ///
  /// - Parameters:
  ///   - records: the records from the last signature to this one.
  ///   - beginsMessage: whether the first of them is the first of the message; without effect in version 1.
  public static func coveredBytes(
    of records: some Collection<NDEFRecord>, version: Version, beginsMessage: Bool
  ) -> [UInt8] {
    guard version != .one else { return records.flatMap { $0.type + $0.identifier + $0.payload } }
    var bytes: [UInt8] = []
    var flags: RecordFlags = beginsMessage ? .messageBegin : []
    for record in records {
      record.append(to: &bytes, flags: flags)
      flags = []
    }
    return bytes
  }
}
