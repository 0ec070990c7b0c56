import NFC

extension Session {
  /// What each reader is to poll for, together all that is asked for.
  ///
  /// What no reader has is left to the first, which says so.
  func shares(of polling: PollingOptions) -> [(reader: Reader, polling: PollingOptions)] {
    guard readers.count > 1, polling != .all else { return readers.map { ($0, polling) } }
    let named = [PollingOptions.iso14443, .iso15693, .iso18092, .other].filter(polling.contains)
    func has(_ reader: Reader, _ option: PollingOptions) -> Bool {
      option.technologies.contains { reader.capabilities.technologies.contains($0) }
    }
    return readers.enumerated().compactMap { index, reader in
      let share = named.filter { option in
        has(reader, option) || index == 0 && !readers.contains { has($0, option) }
      }
      return share.isEmpty ? nil : (reader, PollingOptions(share))
    }
  }
}
