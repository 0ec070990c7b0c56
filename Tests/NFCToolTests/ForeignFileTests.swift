import Foundation
import TestSupport
import Testing

@testable import SwiftNFCTool

/// Tests of files that belong to another user. Only the administrator can make one.
@Suite(.enabled(if: geteuid() == 0)) struct ForeignFileTests {
  /// Whoever owns a file can read what is written to it, and may have put it there for this purpose.
  @Test func aFileOfAnotherUserGetsNoSecrets() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let path = "/tmp/nfc-\(UUID().uuidString)"
      try Data("theirs".utf8).write(to: URL(filePath: path))
      defer { unlink(path) }
      try #require(chmod(path, 0o666) == 0)
      let nobody: uid_t = 65534
      try #require(seteuid(nobody) == 0)
      let error = #expect(throws: Failure.self) { try File.write([1], to: path) }
      #expect(error?.status == .notAllowed)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "theirs")
      try File.write(Array("public".utf8), to: path, isPublic: true)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "public")
      // A file of one's own that others could read.
      let own = path + "-own"
      try File.write([], to: own, isPublic: true)
      defer { unlink(own) }
      try #require(chmod(own, 0o644) == 0)
      try File.write([1], to: own)
      let mode = try FileManager.default.attributesOfItem(atPath: own)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      try #require(seteuid(0) == 0)
    }
  }
}
