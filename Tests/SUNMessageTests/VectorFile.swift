import Foundation
@testable import SUNMessage

/// Published test vectors, one per line, fields with colons between them.
enum VectorFile {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Vectors")

  static func lines(_ name: String) throws -> [[String]] {
    let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

/// Of a literal in a test; what is not hexadecimal makes nothing that a test could accept.
func hex(_ text: String) -> [UInt8] {
  HexadecimalText.bytes(Array(text.filter { $0 != " " }.utf8)[...]) ?? []
}

func key(_ text: String) throws -> SUNKey {
  struct NoKey: Error {}
  guard let key = SUNKey(hex(text)) else { throw NoKey() }
  return key
}
