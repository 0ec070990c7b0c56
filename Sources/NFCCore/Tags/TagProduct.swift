/// A chip product, with the name that its maker uses.
public struct TagProduct: Hashable, Sendable, CustomStringConvertible {
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
  /// The chip, for code that decides by it; `nil` if none does.
  package let chip: ChipID?

  package init(
    name: String, maker: String, chip: ChipID?, memorySize: Int? = nil, typeNumber: String? = nil
  ) {
    self.name = name
    self.chip = chip
    self.maker = maker
    self.memorySize = memorySize
    self.typeNumber = typeNumber
  }

  public var description: String { name }
}
