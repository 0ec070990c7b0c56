import NFC

extension Session {
  /// What each reader is to poll for, together all that is asked for.
  ///
  /// Beside a reader of libnfc, PC/SC's are for ISO 15693 alone: nothing else is asked of a smart card
  /// that some other program works with. What no reader has is left to the first, which says so.
  func shares(of polling: PollingOptions) -> [(reader: Reader, polling: PollingOptions)] {
    guard readers.count > 1 else { return [(reader, polling)] }
    return readers.enumerated().compactMap { index, reader in
      let isSupplement = reader.isPCSC && !self.reader.isPCSC
      let wanted = isSupplement ? polling.intersection(.iso15693) : polling
      // All of what a reader has is no error where it has not all.
      guard wanted != .all else { return (reader, wanted) }
      let share = wanted.members.filter { option in
        reader.has(option) || index == 0 && !readers.contains { $0.has(option) }
      }
      return share.isEmpty ? nil : (reader, PollingOptions(share))
    }
  }

  /// Looks once for tags, with all readers. One that is lost or in use does not keep the others from it.
  func tagsInField() async throws -> [DetectedTag] {
    var tags: [DetectedTag] = []
    var problems: [NFCError] = []
    let shares = shares(of: .all)
    for (reader, polling) in shares {
      do {
        tags += try await reader.tagsInField(polling: polling)
      } catch let error as NFCError where error.isOfReader {
        problems.append(error)
      }
    }
    if problems.count == shares.count, let problem = problems.first { throw problem }
    // The tag that is waited for may be the one that cannot be asked.
    if tags.isEmpty, let problem = problems.first(where: \.isOfCardInUse) { throw problem }
    return tags
  }
}

extension NFCError {
  /// The reader is lost or cannot be used now, whatever the others do.
  var isOfReader: Bool { code == .readerUnavailable || code == .readerLost }
}

extension PollingOptions {
  fileprivate var members: [PollingOptions] {
    [.iso14443, .iso15693, .iso18092, .other].filter(contains)
  }
}

extension Reader {
  fileprivate nonisolated var isPCSC: Bool { connectionString.hasPrefix(Self.pcscScheme) }

  fileprivate nonisolated func has(_ option: PollingOptions) -> Bool {
    option.technologies.contains { capabilities.technologies.contains($0) }
  }
}
