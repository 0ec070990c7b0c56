import Foundation

/// What a card answers to polling.
public struct NFCFeliCaPollingResponse {
  /// PMm, eight bytes.
  public var manufactureParameter: Data
  /// What the request code has asked for; `nil` if the card has not told.
  public var requestData: Data?

  public init(manufactureParameter: Data, requestData: Data?) {
    self.manufactureParameter = manufactureParameter
    self.requestData = requestData
  }
}

/// The status flags of an answer; both are 0 unless the card has refused.
public struct NFCFeliCaStatusFlag {
  public var statusFlag1: Int
  public var statusFlag2: Int

  public init(statusFlag1: Int, statusFlag2: Int) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
  }
}

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

/// The version of a card's operating system: three digits in two bytes, the least significant byte first.
public struct NFCFeliCaRequestSpecificationVersionResponse {
  public var statusFlag1: Int
  public var statusFlag2: Int
  public var basicVersion: Data?
  /// Two bytes for each option, DES first.
  public var optionVersion: Data?

  public init(statusFlag1: Int, statusFlag2: Int, basicVersion: Data?, optionVersion: Data?) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
    self.basicVersion = basicVersion
    self.optionVersion = optionVersion
  }
}
