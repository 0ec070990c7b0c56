import Foundation
import TestSupport
import Testing

/// What a package meets that depends on this one by URL: it runs none of our scripts, and has the packages of the
/// system that the README names.
@Suite(.serialized) struct PackageClientTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardizedFileURL

  private static func inTemporaryDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
  }

  private static func run(
    _ arguments: String..., in directory: URL = root
  ) async throws -> FinishedProgram {
    // SwiftPM inside a test is another SwiftPM's child.
    let environment = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("SWIFTPM_") && !$0.key.hasPrefix("SWIFT_TESTING")
    }
    return try await RunningProgram(
      "/usr/bin/env", arguments, environment: environment, directory: directory
    ).end(within: .seconds(600))
  }

  // MARK: Packages of the system

  /// What only the programs beside `nfc` link, which a package that depends on a library does not build.
  private static let ofPrograms = ["CDBus", "CMosquitto"]

  /// A header that is not installed is named with the package that has it, and so does the README.
  @Test func missingHeadersAreNamed() async throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let script = try String(
      contentsOf: Self.root.appending(path: "Scripts/install-dependencies"), encoding: .utf8)
    let modules = Self.root.appending(path: "Modules")
    let names = try FileManager.default.contentsOfDirectory(atPath: modules.path).sorted()
    #expect(names.count >= 4)
    try await Self.inTemporaryDirectory { directory in
      for name in names {
        let header = modules.appending(path: "\(name)/\(name).h").path
        let missing = try await Self.run(
          "clang", "-nostdinc", "-fsyntax-only", "-x", "c", header, in: directory)
        let advice = missing.text.components(separatedBy: "sudo apt-get install ")
        let package = String(advice.dropFirst().first?.prefix { $0 != "\"" } ?? "")
        #expect(
          missing.status != 0 && missing.text.contains("is missing"), "\(missing.text)")
        let place = Self.ofPrograms.contains(name) ? script : readme
        #expect(package.hasPrefix("lib") && place.contains(package), "\(name): \(package)")
      }
    }
  }

  // MARK: By URL

  /// A clone, and a package beside it that has modules of our names. All of it is planned, so that a name that
  /// clashes is found; what is small is built and run.
  @Test func aPackageWithModulesOfOurNamesBuilds() async throws {
    try await Self.inTemporaryDirectory { directory in
      let clone = directory.appending(path: "swift-nfc")
      try FileManager.default.createDirectory(at: clone, withIntermediateDirectories: true)
      for name in ["Package.swift", "Sources", "Modules", "Tests"] {
        try FileManager.default.copyItem(
          at: Self.root.appending(path: name), to: clone.appending(path: name))
      }
      let commit = try await Self.run(
        "sh", "-c",
        "git init -q && git add -A && git -c user.name=a -c user.email=a@b.example commit -qm all "
          + "&& git rev-parse HEAD", in: clone)
      try #require(commit.status == 0, "\(commit.text)")
      let revision = commit.text.trimmingCharacters(in: .whitespacesAndNewlines)
      let client = directory.appending(path: "client")
      try Self.write(Self.client(clone.path, revision), to: client)

      let plan = try await Self.run("swift", "build", "--print-manifest-job-graph", in: client)
      #expect(
        plan.status == 0 && !plan.text.contains("conflicting name"),
        "\(plan.text.suffix(2000))")
      // A compiler takes both processors from the tests beside it that watch the time.
      let build = try await Self.run("nice", "-n", "19", "swift", "run", "messages", in: client)
      #expect(build.status == 0, "\(build.text.suffix(4000))")
      #expect(build.output.hasSuffix("theirs 16\n"), "\(build.text.suffix(400))")
      // Without the trait of the programs, what only they use is not fetched.
      let checkouts = client.appending(path: ".build/checkouts").path
      #expect(try FileManager.default.contentsOfDirectory(atPath: checkouts) == ["swift-nfc"])
    }
  }

  /// The line of the README, and the same for messages alone.
  private static func client(_ path: String, _ revision: String) -> [String: String] {
    let aliases = "[\"NDEF\": \"NFCMessages\", \"NFC\": \"NFCReaders\"]"
    return [
      "Package.swift": """
      // swift-tools-version: 6.1
      import PackageDescription

      let package = Package(
        name: "client",
        dependencies: [.package(url: "file://\(path)", revision: "\(revision)", traits: [])],
        targets: [
          .target(name: "NDEF"), .target(name: "NFC"),
          .executableTarget(
            name: "messages",
            dependencies: [
              "NDEF",
              .product(
                name: "NDEF", package: "swift-nfc", moduleAliases: ["NDEF": "NFCMessages"]),
            ]),
          .executableTarget(
            name: "sessions",
            dependencies: [
              "NDEF", "NFC",
              .product(name: "CoreNFC", package: "swift-nfc", moduleAliases: \(aliases)),
            ]),
        ])
      """,
      "Sources/NDEF/File.swift": "public let name = \"theirs\"\n",
      "Sources/NFC/File.swift": "public let other = \"theirs\"\n",
      "Sources/messages/main.swift": """
      import NDEF
      import NFCMessages
      print(name, NDEFMessage(.uri("https://example.org")).encoded().count)

      """,
      "Sources/sessions/main.swift": """
      import CoreNFC
      import NFC
      print(other, NFCNDEFReaderSession.readingAvailable)

      """,
    ]
  }

  private static func write(_ files: [String: String], to directory: URL) throws {
    for (name, text) in files {
      let file = directory.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  // MARK: Names

  /// SwiftPM knows one target of a name in all packages together. A package beside this one has a module for each of our
  /// folders: what we call so has another name, unless it is a library's own module. Only the graph is loaded.
  @Test func noNameIsTakenFromOthers() async throws {
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    let libraries = Set(
      manifest.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) } + ["AppleCoreNFC"])
    let names = try ["Sources", "Modules", "Tests"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(
        atPath: Self.root.appending(path: folder).path)
    }.filter { !libraries.contains($0) && !$0.hasPrefix(".") }
    #expect(names.count > 30 && names.contains("NFCReader") && names.contains("JSONText"))
    try await Self.expectGraph(names, [#".product(name: "CoreNFC", package: "swift-nfc")"#])
  }

  /// The modules of libraries have aliases: those of Core NFC as the README shows, others with their own product.
  @Test func modulesOfLibrariesHaveAliases() async throws {
    try await Self.expectGraph(
      ["NDEF", "NFC", "ReaderThread", "TagImages", "Recordings"],
      [
        #".product(name: "CoreNFC", package: "swift-nfc", moduleAliases: ["NDEF": "NFCMessages", "#
          + #""NFC": "NFCReaders", "ReaderThread": "NFCThreads"])"#,
        #".product(name: "TagImages", package: "swift-nfc", moduleAliases: ["TagImages": "NFCImages"])"#,
        #".product(name: "Recordings", package: "swift-nfc", moduleAliases: ["Recordings": "NFCRecordings"])"#,
      ])
  }

  /// Expects that a package with these modules and products can be planned.
  private static func expectGraph(_ modules: [String], _ products: [String]) async throws {
    try await inTemporaryDirectory { directory in
      let link = directory.appending(path: "swift-nfc")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: root)
      let targets = modules.map { ".target(name: \"\($0)\")" }.joined(separator: ", ")
      let uses = (modules.map { "\"\($0)\"" } + products).joined(separator: ", ")
      var files = [
        "Package.swift": """
        // swift-tools-version: 6.1
        import PackageDescription

        let package = Package(
          name: "client",
          dependencies: [.package(path: "\(link.path)")],
          targets: [\(targets), .executableTarget(name: "App", dependencies: [\(uses)])])
        """,
        "Sources/App/main.swift": "",
      ]
      for module in modules { files["Sources/\(module)/File.swift"] = "" }
      let client = directory.appending(path: "client")
      try write(files, to: client)
      let graph = try await run("swift", "package", "show-dependencies", in: client)
      #expect(
        graph.status == 0 && !graph.text.contains("conflicting name"), "\(graph.text.suffix(2000))")
    }
  }

  /// The test and the README say the same.
  @Test func theReadmeHasTheLine() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("moduleAliases: [\"NDEF\": \"NFCMessages\", \"NFC\": \"NFCReaders\"]"))
  }
}
