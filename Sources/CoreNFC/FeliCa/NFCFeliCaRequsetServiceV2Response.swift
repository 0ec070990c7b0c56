import Foundation

/// The key versions of nodes. The misspelled name is Apple's.
public struct NFCFeliCaRequsetServiceV2Response {
  /// Status flag 1: 0 if the card has accepted the command.
  public var statusFlag1: Int
  /// Status flag 2: the reason for a refusal.
  public var statusFlag2: Int
  /// Has no meaning if ``statusFlag1`` is not 0.
  public var encryptionIdentifier: NFCFeliCaEncryptionId
  /// The versions of AES keys; `nil` if there are none.
  public var nodeKeyVersionListAES: [Data]?
  /// The versions of DES keys; `nil` if there are none.
  public var nodeKeyVersionListDES: [Data]?

  /// Creates an answer.
  public init(
    statusFlag1: Int, statusFlag2: Int, encryptionIdentifier: NFCFeliCaEncryptionId,
    nodeKeyVersionListAES: [Data]?, nodeKeyVersionListDES: [Data]?
  ) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
    self.encryptionIdentifier = encryptionIdentifier
    self.nodeKeyVersionListAES = nodeKeyVersionListAES
    self.nodeKeyVersionListDES = nodeKeyVersionListDES
  }
}
