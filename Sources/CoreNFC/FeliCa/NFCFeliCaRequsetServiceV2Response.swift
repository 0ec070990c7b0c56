import Foundation

/// The keys of nodes; the name is Apple's.
public struct NFCFeliCaRequsetServiceV2Response {
  public var statusFlag1: Int
  public var statusFlag2: Int
  /// Says nothing if ``statusFlag1`` is not 0.
  public var encryptionIdentifier: NFCFeliCaEncryptionId
  /// `nil` rather than empty.
  public var nodeKeyVersionListAES: [Data]?
  /// `nil` rather than empty.
  public var nodeKeyVersionListDES: [Data]?

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
