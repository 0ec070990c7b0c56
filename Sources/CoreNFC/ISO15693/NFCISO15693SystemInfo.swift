import Foundation
import NFC

/// The information that a tag reports about itself (ISO/IEC 15693-3, 10.4.12).
public struct NFCISO15693SystemInfo {
  /// The UID in the order of the answer: least significant byte first, the reverse of
  /// ``NFCISO15693Tag/identifier``.
  public var uniqueIdentifier: Data
  /// The DSFID; -1 if the tag does not report it.
  public var dataStorageFormatIdentifier: Int
  /// The AFI; -1 if the tag does not report it.
  public var applicationFamilyIdentifier: Int
  /// The size of a block in bytes, 1 to 32; -1 if the tag does not report it.
  public var blockSize: Int
  /// The number of blocks; -1 if the tag does not report it.
  public var totalBlocks: Int
  /// The IC reference; -1 if the tag does not report it.
  public var icReference: Int

  /// Creates the information from its parts; -1 stands for a missing number.
  public init(
    uniqueIdentifier: Data, dataStorageFormatIdentifier: Int, applicationFamilyIdentifier: Int,
    blockSize: Int, totalBlocks: Int, icReference: Int
  ) {
    self.uniqueIdentifier = uniqueIdentifier
    self.dataStorageFormatIdentifier = dataStorageFormatIdentifier
    self.applicationFamilyIdentifier = applicationFamilyIdentifier
    self.blockSize = blockSize
    self.totalBlocks = totalBlocks
    self.icReference = icReference
  }
}

extension NFCISO15693SystemInfo {
  private static let absent = -1

  init(_ native: ISO15693SystemInformation) {
    self.init(
      uniqueIdentifier: Data(native.uid.reversed()),
      dataStorageFormatIdentifier: native.dsfid.map { Int($0) } ?? Self.absent,
      applicationFamilyIdentifier: native.afi.map { Int($0) } ?? Self.absent,
      blockSize: native.blockSize ?? Self.absent, totalBlocks: native.blockCount ?? Self.absent,
      icReference: native.icReference.map { Int($0) } ?? Self.absent)
  }
}
