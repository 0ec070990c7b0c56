import Foundation
import SwiftNFCCore

@testable import TravelDocuments

/// The signed documents of nobody that Fixtures/make-documents.py has made.
enum Fixtures {
  private static let all: [String: [UInt8]] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Fixtures/documents.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let pairs = text.split(separator: "\n").compactMap { line -> (String, [UInt8])? in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let bytes = [UInt8](hexadecimal: parts[1]) else { return nil }
      return (String(parts[0]), bytes)
    }
    return Dictionary(pairs) { first, _ in first }
  }()

  struct Missing: Error {
    let name: String
  }

  static subscript(name: String) -> [UInt8] {
    get throws {
      guard let bytes = all[name] else { throw Missing(name: name) }
      return bytes
    }
  }

  static var names: [String] { all.keys.sorted() }

  /// Returns a store that trusts these authorities.
  static func store(_ names: String...) throws -> TrustStore {
    var store = TrustStore()
    for name in names { try store.add(self[name], name: name) }
    return store
  }

  /// Returns what was read of a document with this EF.SOD.
  static func content(
    _ object: String,
    groups: [Int: String] = [1: "dg1", 2: "dg2", 12: "dg12", 14: "dg14", 15: "dg15"],
    change: (inout ReadingState) -> Void = { _ in }
  ) throws -> DocumentContent {
    var state = ReadingState()
    func keep(_ file: DocumentFile, _ bytes: [UInt8]) {
      state.files[file] = PartialFile(bytes: bytes, total: bytes.count)
    }
    keep(.securityObject, try self[object])
    for (number, name) in groups {
      guard let group = DataGroup(number) else { continue }
      keep(.group(group), try self[name])
    }
    state.cardAccess = .found(try self["cardaccess"])
    state.access = .basic
    change(&state)
    return DocumentContent(state)
  }
}
