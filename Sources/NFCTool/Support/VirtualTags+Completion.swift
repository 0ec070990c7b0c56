import ArgumentParser
import Foundation

extension VirtualTags {
  /// What a shell offers where a tag is expected: the names of chips, and files.
  static var completion: CompletionKind {
    .custom { _, _, beginning in
      (names + files(beginning)).filter { $0.hasPrefix(beginning) }
    }
  }

  /// Returns the paths in the folder to which the beginning of a path refers. A folder ends with a slash.
  private static func files(_ beginning: String) -> [String] {
    let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
    let files = try? FileManager.default.contentsOfDirectory(
      at: URL(filePath: folder.isEmpty ? "." : folder), includingPropertiesForKeys: nil,
      options: .skipsHiddenFiles)
    return (files ?? []).map { folder + $0.lastPathComponent + ($0.hasDirectoryPath ? "/" : "") }
      .sorted()
  }
}
