extension FeliCaLiteGeneration {
  /// By the IC type in PMm; `nil` for other cards.
  init?(pmm: [UInt8]) {
    guard let generation = FeliCaChip(pmm: pmm)?.liteGeneration else { return nil }
    self = generation
  }
}
