import Foundation
import TestSupport
import Testing

/// A program brings modules of its own along, named as Apple's: SwiftPM puts them into the path in which our
/// module looks for its imports.
@Suite struct ForeignModuleTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/CoreNFC").standardizedFileURL

  /// Which modules can be imported must decide nothing that we declare.
  @Test func noDeclarationDependsOnAModule() throws {
    let files = try #require(
      FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      count += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!text.contains("canImport"), "\(file.lastPathComponent)")
    }
    #expect(count > 50)
  }

  /// The stand-ins for UIKit's classes beside a module `UIKit`, as a program has it that keeps its imports.
  @Test func compilesTogetherWithAModuleUIKit() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "foreign-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let module = directory.appending(path: "UIKit.swift")
    try "open class UIViewController { public init() {} }\n".write(
      to: module, atomically: true, encoding: .utf8)
    let made = try await Self.compile([
      "-emit-module", "-module-name", "UIKit", "-emit-module-path",
      directory.appending(path: "UIKit.swiftmodule").path, module.path,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let scenes = Self.sources.appending(path: "Services/NFCWindowSceneDelegate.swift")
    let checked = try await Self.compile(["-typecheck", "-I", directory.path, scenes.path])
    #expect(checked.status == 0, "\(checked.errors)")
  }

  private static func compile(_ arguments: [String]) async throws -> FinishedProgram {
    try await FinishedProgram.run(
      ("/usr/bin/env", ["swiftc", "-swift-version", "6"] + arguments), within: .seconds(120))
  }
}
