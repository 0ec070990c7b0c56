/// A chip, by the name that its maker gives it.
public struct TagProduct: Hashable, Sendable, CustomStringConvertible {
  /// As the maker writes it, for instance `NTAG216`.
  public let name: String
  /// For instance `NXP`.
  public let maker: String
  /// All memory that commands can address, in bytes; `nil` if that differs by configuration.
  public let memorySize: Int?
  /// The maker's type number, which distinguishes chips of one name; `nil` where the name is enough.
  public let typeNumber: String?

  package init(
    name: String, maker: String, memorySize: Int? = nil, typeNumber: String? = nil
  ) {
    self.name = name
    self.maker = maker
    self.memorySize = memorySize
    self.typeNumber = typeNumber
  }

  public var description: String { name }
}
