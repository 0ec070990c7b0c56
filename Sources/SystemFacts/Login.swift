#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// As whom the program runs.
package struct Login: Sendable {
  package let userID: uid_t
  /// The groups of this login. A group that the user has joined since it began is not among them.
  package let groupIDs: [gid_t]
  /// The errno with which reading and writing a path is refused; `nil` if it is not.
  package let refusal: @Sendable (String) -> Int32?

  package init(
    userID: uid_t, groupIDs: [gid_t], refusal: @escaping @Sendable (String) -> Int32?
  ) {
    self.userID = userID
    self.groupIDs = groupIDs
    self.refusal = refusal
  }

  package static var own: Login {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return Login(
      userID: getuid(), groupIDs: groups.prefix(max(0, Int(count))) + [getgid()],
      refusal: { access($0, R_OK | W_OK) == 0 ? nil : errno })
  }
}

/// Names of users and groups, as `/etc/passwd` and `/etc/group` have them.
package struct Accounts {
  package struct Group: Hashable {
    package let name: String
    package let id: gid_t
    package let members: [String]
  }

  package let groups: [Group]
  private let users: [uid_t: String]

  package init(_ files: SystemFiles) {
    groups = Self.entries(files, "/etc/group").compactMap { fields in
      guard fields.count >= 4, let id = gid_t(fields[2]) else { return nil }
      return Group(
        name: fields[0], id: id, members: fields[3].split(separator: ",").map(\.trimmed))
    }
    users = Dictionary(
      Self.entries(files, "/etc/passwd").compactMap { fields in
        guard fields.count >= 3, let id = uid_t(fields[2]) else { return nil }
        return (id, fields[0])
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func entries(_ files: SystemFiles, _ path: String) -> [[String]] {
    (files.text(path) ?? "").split(whereSeparator: \.isNewline).map { line in
      line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
  }

  package func group(_ id: gid_t) -> Group? { groups.first { $0.id == id } }
  package func group(named name: String) -> Group? { groups.first { $0.name == name } }
  package func user(_ id: uid_t) -> String? { users[id] }
}
