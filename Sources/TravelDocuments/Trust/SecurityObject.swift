import SwiftNFCCore

/// EF.SOD: the hashes of the data groups, signed by the issuer (Doc 9303-10, 4.6.2).
struct SecurityObject: Sendable {
  let signedData: SignedData
  let digest: DigestAlgorithm
  /// The hashes by the numbers of the data groups, 3 and 4 among them.
  let hashes: [Int: [UInt8]]

  /// Decodes the file.
  init(_ file: [UInt8]) throws(DataObjectError) {
    let whole = try BERObject(file)
    guard whole.tag == 0x77 else { throw DataObjectError("EF.SOD has another tag", at: 0) }
    signedData = try SignedData(whole.content)
    let fields = try BERObject(signedData.content).children()
    guard fields.count >= 3, let digest = SignatureAlgorithm.digest(fields[1]) else {
      throw DataObjectError("the list of hashes is malformed", at: 0)
    }
    self.digest = digest
    var hashes: [Int: [UInt8]] = [:]
    for entry in try fields[2].children() {
      let parts = try entry.children()
      guard parts.count == 2, let number = parts[0].smallInteger, let hash = parts[1].octets else {
        throw DataObjectError("the list of hashes is malformed", at: 0)
      }
      hashes[number] = hash
    }
    self.hashes = hashes
  }

  /// Returns whether a data group, as it was read, is the one that is signed.
  func matches(_ group: Int, _ file: [UInt8]) -> Bool { hashes[group] == digest(file) }
}
