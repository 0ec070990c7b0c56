import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension VirtualTags {
  /// What a shell offers where a tag is expected: the names of chips, and files.
  static var completion: CompletionKind {
    .custom { _, _, beginning in
      let files = files(beginning).filter { $0.hasPrefix(beginning) }
      return names.filter { $0.hasPrefix(beginning) }.map { described($0, "virtual tag") }
        + files.map { described($0, "file") }
    }
  }

  /// Returns a candidate with its own description in fish, which shows the option's help beside each one that has none.
  static func described(_ candidate: String, _ description: String) -> String {
    CompletionShell.requesting == .fish ? "\(candidate)\t\(description)" : candidate
  }

  /// Returns the paths in the folder to which the beginning of a path refers. A folder ends with a slash.
  private static func files(_ beginning: String) -> [String] {
    let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
    return (files ?? []).filter { !$0.hasPrefix(".") }.sorted()
      .map { folder + $0 + (access("\(folder)\($0)/.", F_OK) == 0 ? "/" : "") }
  }
}
