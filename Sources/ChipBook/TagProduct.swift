/// A chip product, with the name that its maker uses.
public struct TagProduct: Hashable, Sendable, CustomStringConvertible {
  /// The chip. Code that depends on the chip asks the chip's record, and never the name.
  let id: ChipID
  /// The maker's name for it, for instance `NTAG216`.
  public let name: String
  /// The maker, for instance `NXP`.
  public let maker: String
  /// The size of all memory that commands can address, in bytes; `nil` if that depends on the
  /// configuration.
  public let memorySize: Int?
  /// The maker's type number, which distinguishes chips with the same name; `nil` if the name is
  /// sufficient.
  public let typeNumber: String?

  init(
    _ id: ChipID, name: String, maker: String, memorySize: Int? = nil, typeNumber: String? = nil
  ) {
    self.id = id
    self.name = name
    self.maker = maker
    self.memorySize = memorySize
    self.typeNumber = typeNumber
  }

  public var description: String { name }
}

extension TagProduct {
  /// The keys that sign the UIDs of such chips.
  package var signatureKeys: SignatureKeys {
    Type2Chip(self)?.signature.signatureKeys ?? ISO15693Chip(self)?.signature.keys
      ?? CardChip(self)?.signatureKeys ?? .none
  }
}
