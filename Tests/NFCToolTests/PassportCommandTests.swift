import Foundation
import Testing

@testable import SwiftNFCTool

/// `nfc passport` on the virtual document.
@Suite struct PassportCommandTests {
  private static let zone = """
    P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
    L898902C<3UTO6908061F9406236ZE184226B<<<<<14
    """
  private static let fields = [
    "--document", "L898902C", "--birth", "690806", "--expiry", "940623",
  ]
  /// No trust list of whoever runs the tests.
  private static let environment = ["XDG_CONFIG_HOME": "/nonexistent", "HOME": "/nonexistent"]

  private func read(
    _ arguments: [String], environment: [String: String] = [:], tag: String = "emrtd"
  ) async throws -> Tool.Result {
    try await Tool.run(
      ["passport", "read"] + arguments + ["--virtual", tag],
      environment: Self.environment.merging(environment) { $1 })
  }

  private func json(_ result: Tool.Result) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(object as? [String: Any])
  }

  @Test func everyWayToGiveTheZone() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "zone")
      try Self.zone.write(to: file, atomically: true, encoding: .utf8)
      for result in [
        try await read(["--json", "--mrz", file.path]), try await read(["--json"] + Self.fields),
        try await read(["--json"], environment: ["NFC_MRZ": Self.zone]),
        try await Tool.shell(
          "\"$NFC\" passport read --json --mrz - --virtual emrtd < '\(file.path)'",
          environment: Self.environment),
      ] {
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors == "")
        let object = try json(result)
        #expect(object["uid"] as? String == "085FC31A")
        #expect(
          object["access"] as? [String: String] == [
            "protocol": "PACE", "mapping": "GM", "cipher": "AES-128", "curve": "brainpoolP256r1",
            "password": "mrz",
          ])
        #expect(object["groups"] as? [Int] == [1, 2])
        let zone = try #require(object["zone"] as? [String: Any])
        #expect(zone["surname"] as? String == "ERIKSSON")
        #expect(zone["lines"] as? [String] == Self.zone.split(separator: "\n").map(String.init))
        let face = try #require(object["face"] as? [String: Any])
        #expect(face["format"] as? String == "jpeg")
        #expect(face["width"] as? Int == 48 && face["height"] as? Int == 64)
        #expect(
          object["verdict"] as? [String: String] == [
            "data": "notChecked", "issuer": "notChecked", "chip": "noProof",
          ])
        #expect((object["changedGroups"] as? [Int])?.isEmpty == true)
      }
    }
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var environment: [String: String] = [:]
    var tag = "emrtd"
    let status: Int32
    let text: String
    var testDescription: String { arguments.joined(separator: " ") + text }
  }

  static let wrong = [
    Wrong(arguments: [], status: 64, text: "--mrz, or --can"),
    Wrong(arguments: ["--groups", "1,3"] + fields, status: 64, text: "never read"),
    Wrong(arguments: ["--groups", "4"] + fields, status: 64, text: "never read"),
    Wrong(arguments: ["--groups", "17"] + fields, status: 64, text: "17"),
    Wrong(arguments: ["--can", "12A456"], status: 64, text: "digits"),
    Wrong(arguments: ["--can", "123456"] + fields, status: 64, text: "Give one of"),
    Wrong(arguments: ["--document", "L898902C"], status: 64, text: "belong together"),
    Wrong(
      arguments: [], environment: ["NFC_MRZ": zone.replacing("690806", with: "69O806")], status: 64,
      text: "line 2, character 16"),
    Wrong(
      arguments: [], environment: ["NFC_MRZ": zone.replacing("690806", with: "690807")], status: 64,
      text: "line 2, character 20"),
    Wrong(arguments: [], environment: ["NFC_MRZ": "P<UTO"], status: 64, text: "two lines of 44"),
    Wrong(arguments: ["--mrz", "/nonexistent/zone"], status: 66, text: "zone"),
    Wrong(arguments: ["--trust", "/nonexistent/list"] + fields, status: 66, text: "list"),
    Wrong(arguments: ["--trust", "/proc/self/status"] + fields, status: 65, text: "trust list"),
    Wrong(arguments: ["--face", "face.png"] + fields, status: 64, text: ".jp2"),
    Wrong(
      arguments: ["--face", "/nonexistent/face.jp2"] + fields, status: 64, text: "nothing was saved"
    ),
    Wrong(arguments: ["--output", "/proc"] + fields, status: 64, text: "not empty"),
    // Before the document is asked for anything.
    Wrong(
      arguments: ["--output", "/dev/null/a/b", "--can", "000000"], status: 66,
      text: "Not a directory"),
    Wrong(arguments: ["--can", "123456"], status: 77, text: "card access number"),
    Wrong(
      arguments: ["--document", "L898902D", "--birth", "690806", "--expiry", "940623"], status: 77,
      text: "tried once"),
    Wrong(arguments: ["--verify"] + fields, status: 77, text: "not trusted"),
    Wrong(arguments: fields, tag: "type4", status: 66, text: "not a travel document"),
    Wrong(arguments: fields, tag: "ntag215", status: 66, text: "not a travel document"),
  ]

  @Test(arguments: wrong)
  func whatFails(_ row: Wrong) async throws {
    let result = try await read(
      row.arguments + ["--timeout", "1"], environment: row.environment, tag: row.tag)
    #expect(result.status == row.status, "\(result.errors)")
    #expect(result.errors.contains(row.text), "\(result.errors)")
    #expect(result.errors.hasPrefix("nfc: "))
    if row.status != 64 { #expect(result.errorLines.count == 1) }
    // With --verify, the document has been read.
    if !row.arguments.contains("--verify") { #expect(result.output == "") }
    for secret in ["ERIKSSON", "898902", "690806", "940623"] {
      #expect(!result.errors.contains(secret), "\(result.errors)")
    }
  }

  @Test func filesAreOfTheirOwnerOnly() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let (folder, face) = (
        directory.appending(path: "files"), directory.appending(path: "face.jpg")
      )
      let result = try await read(["--output", folder.path, "--face", face.path] + Self.fields)
      #expect(result.status == 0, "\(result.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(names == ["DG1", "DG2", "EF.COM", "EF.SOD"])
      for file in names.map({ folder.appending(path: $0) }) + [face] {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
      #expect(try Data(contentsOf: face).starts(with: [0xFF, 0xD8, 0xFF]))
      // Never into a folder that has something.
      let again = try await read(["--output", folder.path] + Self.fields)
      #expect(again.status == 64)
    }
  }

  @Test func informationWithoutAPassword() async throws {
    let result = try await Tool.run("passport", "info", "--virtual", "emrtd", "--json")
    #expect(result.status == 0)
    let access = try #require(try json(result)["access"] as? [[String: String]])
    #expect(access.map { $0["protocol"] } == ["PACE", "BAC"])
    let text = try await Tool.run("passport", "info", "--virtual", "emrtd")
    #expect(text.output.contains("PACE-GM AES-128 brainpoolP256r1"))
    for output in [result.output, text.output] { #expect(!output.contains("ERIKSSON")) }
    let other = try await Tool.run("passport", "info", "--virtual", "type4")
    #expect(other.status == 66)
  }

  /// The holder's data and what the keys are derived from, in every form in which they could be written.
  @Test func nothingOfTheHolderIsKept() async throws {
    let texts = ["ERIKSSON", "ANNA", "MARIA", "L898902C", "690806", "940623", "ZE184226B"]
    let hexadecimal = texts.map { $0.utf8.map { String(format: "%02X", $0) }.joined() }
    // A part of the face, and the hash of which the keys are made.
    let others = ["4A464946", "239AB9CB282DAF66"]
    try await TemporaryDirectory.with { directory async throws in
      for (index, arguments) in [
        Self.fields, ["--document", "L898902C", "--birth", "690807", "--expiry", "940623"],
      ].enumerated() {
        let (record, capture) = (
          directory.appending(path: "record\(index)"), directory.appending(path: "pcap\(index)")
        )
        let result = try await read(
          arguments + ["--verbose", "--record", record.path, "--pcap", capture.path])
        #expect(result.status == (index == 0 ? 0 : 77))
        let recorded = try String(contentsOf: record, encoding: .utf8)
        let captured = Array(try Data(contentsOf: capture))
        for secret in texts + hexadecimal + others {
          #expect(!recorded.uppercased().contains(secret), "\(secret)")
          #expect(!result.errors.uppercased().contains(secret), "\(secret)")
        }
        for text in texts { #expect(captured.ranges(of: Array(text.utf8)).isEmpty, "\(text)") }
        // Nothing that is protected is in it either: no block of a cryptogram, no MAC.
        #expect(!recorded.contains("9701DF8E08"))
        #expect(recorded.contains("0CB0") == (index == 0))
        let replayed = try await Tool.run(
          ["passport", "read", "--replay", record.path] + arguments, environment: Self.environment)
        #expect(replayed.status == 65)
        #expect(replayed.errors.contains("--with-secrets"))
      }
    }
  }

  @Test func aRecordingWithSecretsCanBePlayedBack() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let record = directory.appending(path: "record")
      let result = try await read(
        ["--json", "--record", record.path, "--with-secrets"] + Self.fields)
      let replayed = try await Tool.run(
        ["passport", "read", "--json", "--replay", record.path] + Self.fields,
        environment: Self.environment)
      #expect(replayed.status == 0, "\(replayed.errors)")
      #expect(replayed.output == result.output)
    }
  }

  /// Types each line of the zone after its prompt, and prints what the terminal shows.
  private static let typist = """
    import os, pty, sys
    lines = sys.argv[2:]
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], ["nfc", "passport", "read", "--virtual", "emrtd", "--json"])
    shown = b""
    while True:
        try:
            part = os.read(fd, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
        if lines and (b"zone: " in shown if len(lines) == 2 else b"Line 2: " in shown):
            os.write(fd, lines.pop(0).encode() + b"\\n")
    sys.stdout.buffer.write(shown)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """

  /// The zone is asked for at a terminal, and not shown.
  @Test func theZoneIsAskedForWithoutEcho() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let script = directory.appending(path: "typist.py")
      try Self.typist.write(to: script, atomically: true, encoding: .utf8)
      let lines = Self.zone.split(separator: "\n").map { "'\($0)'" }.joined(separator: " ")
      let result = try await Tool.shell(
        "python3 '\(script.path)' \"$NFC\" \(lines)",
        environment: Self.environment.merging(["TERM": "xterm"]) { $1 })
      #expect(result.status == 0, "\(result.output) \(result.errors)")
      // Once in the result, not as it was typed.
      let start = try #require(result.output.range(of: "{\"uid\""))
      #expect(!result.output[..<start.lowerBound].contains("ERIKSSON"))
      #expect(!result.output[..<start.lowerBound].contains("898902"))
    }
  }
}
