import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// The tags that a command line names with `--virtual`, on a virtual reader of the test's own process.
/// Irreversible changes by the command are visible here, which they are not in the command's process.
///
/// Only commands that change tags and tags that a PN532 can find are hosted, and no tags of files, about which a command
/// knows more than their chips answer. All other command lines are not changed.
struct HostedTags {
  /// The command line with the reader instead of its tags.
  let arguments: [String]
  private let virtual: VirtualReader
  private let watch: FieldWatch

  private static let commands: Set = [
    "write", "erase", "format", "lock", "protect", "unprotect", "restore", "copy", "mifare",
    "felica",
    "desfire", "plus", "sun", "apdu",
  ]
  private static let option = "--virtual"

  /// Returns `nil` for a command line that is not changed.
  init?(of arguments: [String], _ sourceLocation: SourceLocation) throws {
    guard let command = arguments.first, Self.commands.contains(command) else { return nil }
    var names: [String] = []
    var rest: [String] = []
    var words = arguments[...]
    while let word = words.popFirst() {
      if word == Self.option, let name = words.popFirst() {
        names.append(name)
      } else {
        rest.append(word)
      }
    }
    guard !names.isEmpty, !names.contains(where: File.exists), let tags = try? VirtualTags(names),
      !tags.showsDemo,
      tags.tags.allSatisfy({ $0.modulation != .iso15693 }),
      // Tags that are shown one after the other are not in the field together.
      tags.tags.count == 1 || !arguments.contains("--each")
    else { return nil }
    let field = VirtualField()
    for tag in tags.tags { field.place(tag) }
    watch = FieldWatch(field, sourceLocation)
    virtual = try VirtualReader(field)
    self.arguments = rest + ["--reader", virtual.connectionString]
  }

  func close() { virtual.close() }
}
