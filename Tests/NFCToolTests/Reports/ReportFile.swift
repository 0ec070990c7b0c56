import Foundation

/// An input that was made after a report about another program.
enum ReportFile {
  static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files/\(name)").path
  }
}
