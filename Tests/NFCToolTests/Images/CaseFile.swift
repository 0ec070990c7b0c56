import Testing
import Foundation
import TestSupport

/// A small file of another program, made for these tests: each shows one way in which real ones were misread.
enum CaseFile {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Files")

  static func path(_ name: String) -> String { folder.appending(path: name).path }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  /// Runs `nfc` with a case file in place of each name that begins with `@`.
  static func run(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(arguments.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 })
  }
}
