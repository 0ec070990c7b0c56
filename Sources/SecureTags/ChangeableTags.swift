import SwiftNFCCore

extension UltralightAESTag: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}

extension ICODETag: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}

extension ST25Tag: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}

extension ST25TATag: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}

extension MIFAREPlusLevelOneCard: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}

extension MIFAREPlusCard: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}

extension DESFireCard: ChangeableTag {
  public var identifier: [UInt8] { tag.identifier }
  public var reader: Reader { tag.reader }
}
