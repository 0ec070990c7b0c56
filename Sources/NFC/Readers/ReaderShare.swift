import NFCCore

/// What one reader of a group looks for.
package struct ReaderShare: Sendable {
  package let reader: Reader
  /// At least one, in the order in which they were asked for.
  package let technologies: [TagTechnology]

  /// Shares technologies out.
  ///
  /// A reader looks for everything that it has. One that is a supplement, because other programs use its cards
  /// too, looks only for what none of the others has: nothing else is asked of a smart card that another
  /// program works with.
  static func shares(
    of technologies: [TagTechnology], among members: [Readers.Member]
  ) -> [ReaderShare] {
    members.compactMap { member in
      let share = technologies.filter { technology in
        member.reader.capabilities.technologies.contains(technology)
          && !(member.isSupplement
            && members.contains {
              !$0.isSupplement && $0.reader.capabilities.technologies.contains(technology)
            })
      }
      return share.isEmpty ? nil : ReaderShare(reader: member.reader, technologies: share)
    }
  }
}
