import SwiftNFCCore

/// The technologies that one reader of a group polls.
package struct ReaderShare: Sendable {
  package let reader: Reader
  /// The technologies, at least one, in the order in which they were requested.
  package let technologies: [TagTechnology]

  /// Distributes technologies among readers.
  ///
  /// A reader polls everything that it supports. A supplementary reader, whose cards other programs
  /// use too, polls only what none of the others supports, so that a smart card which another
  /// program works with receives no other commands.
  static func shares(
    of technologies: [TagTechnology], among members: [Readers.Member]
  ) -> [ReaderShare] {
    members.compactMap { member in
      let share = share(of: technologies, for: member, among: members)
      return share.isEmpty ? nil : ReaderShare(reader: member.reader, technologies: share)
    }
  }

  /// Returns the technologies that one reader polls; see ``shares(of:among:)``.
  static func share(
    of technologies: [TagTechnology], for member: Readers.Member, among members: [Readers.Member]
  ) -> [TagTechnology] {
    technologies.filter { technology in
      member.reader.capabilities.technologies.contains(technology)
        && !(member.isSupplement
          && members.contains {
            !$0.isSupplement && $0.reader.capabilities.technologies.contains(technology)
          })
    }
  }
}
