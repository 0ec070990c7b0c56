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
      (names + files(beginning)).filter { $0.hasPrefix(beginning) }
    }
  }

  /// Returns the paths in the folder to which the beginning of a path refers. A folder ends with a slash.
  private static func files(_ beginning: String) -> [String] {
    let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
    return (files ?? []).filter { !$0.hasPrefix(".") }.sorted()
      .map { folder + $0 + (access("\(folder)\($0)/.", F_OK) == 0 ? "/" : "") }
  }
}
