extension NDEFMessage: Codable {
  private enum CodingKeys: String, CodingKey {
    case records
  }

  /// Writes `{"records":[…]}`, each record as ``NDEFRecord/encode(to:)`` does.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(records, forKey: .records)
  }

  /// Reads `{"records":[…]}`; other keys are ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(records: try container.decode([NDEFRecord].self, forKey: .records))
  }
}
