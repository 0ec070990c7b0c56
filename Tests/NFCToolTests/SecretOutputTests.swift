import Foundation
import SecureTags
import Testing
import VirtualNFC

/// Tests that a command never outputs a key or a password, whatever it shows or records. This applies to its
/// output, libnfc's log, recordings, captures and traces.
@Suite struct SecretOutputTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let tag: String
    let lines: [String]
    /// Whether each line uses a new reader that finds the tag.
    var isVicinity = false
    /// Further secrets, which the command derives.
    var derived: [String] = []
    var testDescription: String { tag }
  }

  private static let key = "1AB2C3D4E5F60718293A4B5C6D7E8F90"
  private static let other = "A1B2C3D4E5F60718293A4B5C6D7E8F91"
  private static let half = "5DA3917CE2468BAF"
  /// The key of one card, which is derived from a master key (NXP AN10922).
  private static func diversified(
    _ algorithm: KeyDiversification.Algorithm, _ master: String, _ input: String
  ) -> String {
    let (master, input) = (
      [UInt8](hexadecimal: master) ?? [], [UInt8](hexadecimal: input) ?? []
    )
    let key = try? KeyDiversification.key(SecretKey(master), algorithm, input: input)
    return key?.withUnsafeBytes { Array($0).hexadecimal } ?? ""
  }

  private static let longMaster = key + half
  private static let ownAES = diversified(.aes128, key, "04782E21801D803042F54E585020416275")
  private static let ownDES = diversified(.twoKeyTripleDES, key, "04782E21801D803042F54E58502041")
  private static let ownThree = diversified(
    .threeKeyTripleDES, longMaster, "04782E21801D803042F54E5850")
  /// The keys of the virtual NTAG 424 DNA, from its UID and the bytes of --diversify.
  private static let ownOfTag = ["3042F5", "3042F6"].map {
    diversified(.aes128, key, "0463474AA26A80" + $0)
  }
  private static let zero = "00000000000000000000000000000000"
  private static let factory = "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"

  static let rows = [
    Row(
      tag: "blank-desfire-ev2",
      lines: [
        "desfire create-app F00001 --keys 2 --crypto aes",
        "desfire create-file --app F00001 --file 1 --size 4 --communication full",
        "desfire change-key 0 --app F00001 --new-key \(key) --key 0:\(zero)",
        "desfire write --app F00001 --file 1 11 --key 0:\(key)",
        "desfire read --app F00001 --file 1 --key 0:\(other)",
        "desfire change-key 0 --crypto aes --new-key \(other) --key 0:0000000000000000",
      ]),
    Row(
      tag: "blank-desfire",
      lines: [
        "desfire create-app F00002 --keys 2 --crypto des",
        "desfire change-key 1 --app F00002 --new-key \(half) --key 0:0000000000000000 --key 1:0000000000000000",
        "desfire change-key 0 --app F00002 --new-key \(key) --key 0:0000000000000000",
        "desfire create-app F00003 --keys 1 --crypto 3k3des",
        "desfire change-key 0 --app F00003 --new-key \(key)\(half) --key 0:\(zero)0000000000000000",
      ]),
    Row(
      tag: "ntag424",
      lines: [
        "desfire change-key 1 --app 000001 --new-key \(key) --key 0:\(zero) --key 1:\(zero)",
        "desfire change-key 2 --app 000001 --new-key \(other) --key 0:\(zero) --key 2:\(zero)",
      ]),
    Row(
      tag: "blank-desfire-ev3",
      lines: [
        "desfire create-app F00001 --keys 2 --crypto aes",
        "desfire change-key 0 --app F00001 --new-key \(ownAES) --key 0:\(zero)",
        "desfire change-key 1 --app F00001 --new-key \(ownAES) --key 0:\(ownAES) --key 1:\(zero)",
        "desfire create-app F00002 --keys 1 --crypto des",
        "desfire change-key 0 --app F00002 --new-key \(ownDES) --key 0:0000000000000000",
        "desfire create-app F00003 --keys 1 --crypto 3k3des",
        "desfire change-key 0 --app F00003 --new-key \(ownThree) --key 0:\(zero)0000000000000000",
        // Of another card.
        "desfire change-key 0 --app F00001 --new-key \(key) --key 0:\(ownOfTag[1])",
      ], derived: [ownAES, ownDES, ownThree, ownOfTag[1]]),
    Row(
      tag: "ntag424",
      lines: [
        "sun setup https://a.example/?p={picc}&c={mac} --new-key 0:\(key) --new-key 1:\(key) --diversify 3042F5 --verify",
        "sun setup https://b.example/?p={picc}&c={mac} --key 0:\(key) --key 1:\(key) --diversify 3042F5 --json",
        "sun setup https://c.example/?p={picc}&c={mac} --key 0:\(key) --diversify 3042F6",
      ], derived: ownOfTag),
    Row(
      tag: "mifare-plus",
      lines: [
        "plus change-key 1B --new-key \(key) --key 1A:\(factory)",
        "plus read 4 --key 1B:\(key)", "plus read 4 --key 1B:\(other)",
      ]),
    Row(
      tag: "blank-mifare-plus",
      lines: ["plus personalize --key master:\(key) --key configuration:\(other)"]),
    Row(
      tag: "ultralight-aes",
      lines: [
        "protect --password \(key) --read", "write text a --password \(key)",
        "read --password \(other)", "dump {file}.bin --password \(key)",
      ]),
    Row(
      tag: "ultralight-c",
      lines: [
        "protect --password \(key)", "write text a --password \(key)",
        "unprotect --password \(key)",
      ]),
    Row(
      tag: "ntag215",
      lines: [
        "protect --password 5DA3917C --read", "info --memory --password 5DA3917C",
        "read --password 5DA3917C", "unprotect --password 5DA3917C",
      ]),
    Row(
      tag: "st25ta",
      lines: [
        "protect --password \(key) --current-password \(zero)", "write text a --password \(key)",
        "write text a --password \(other)",
      ]),
    Row(
      tag: "classic-1k",
      lines: ["mifare read 1 --key 5DA3917CE246", "info --key 5DA3917CE246"]),
    Row(
      tag: "icode-slix2",
      lines: ["protect --password 5DA3917C", "read --password 5DA3917C"], isVicinity: true),
    Row(
      tag: "st25dv", lines: ["protect --password \(half)", "read --password \(half)"],
      isVicinity: true),
    Row(
      tag: "st25tv02kc", lines: ["protect --password \(half)", "read --password \(half)"],
      isVicinity: true),
    Row(
      tag: "ntag5-link",
      lines: [
        "protect --password 5DA3917C", "read --password 5DA3917C", "iso15693 secrets keys",
        "iso15693 hide-passwords --permanently --password 5DA3917C",
      ], isVicinity: true),
  ]

  /// Returns the parts of secrets that a file may contain: the complete secret, its pages, and each half with
  /// its bytes reversed, as an Ultralight stores them.
  private static func traces(in line: String, _ derived: [String]) throws -> Set<String> {
    let secrets =
      [key, other, half, "5DA3917C", "5DA3917CE246"].filter(line.contains) + derived
    var traces: Set<String> = []
    for secret in secrets {
      let bytes = try #require([UInt8](hexadecimal: secret))
      for ordered in [bytes, bytes.reversed()] {
        for start in stride(from: 0, through: bytes.count - 4, by: 4) {
          traces.insert(ordered[start..<start + 4].map { String(format: "%02X", $0) }.joined())
        }
      }
    }
    return traces
  }

  @Test(.asking(.configurationLock, .lockBits), arguments: rows)
  func showNoSecret(_ row: Row) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let trace = directory.appending(path: "trace")
      let virtual =
        row.isVicinity ? nil : try RunningTool(["virtual", row.tag, "--trace", trace.path])
      let reader = try await virtual?.waitForLines(1).first
      var traces: Set<String> = []
      var texts: [(place: String, text: String)] = []
      for (index, line) in row.lines.enumerated() {
        traces.formUnion(try Self.traces(in: line, row.derived))
        let (record, capture) = (
          directory.appending(path: "record\(index)"), directory.appending(path: "pcap\(index)")
        )
        var words = line.replacing("{file}", with: directory.appending(path: "dump").path)
          .split(separator: " ").map(String.init)
        words += ["--verbose", "--record", record.path, "--pcap", capture.path]
        words += reader.map { ["--reader", $0] } ?? ["--virtual", row.tag]
        let result = try await Tool.run(words)
        #expect([0, 77].contains(result.status), "\(line): \(result.errors.suffix(300))")
        texts.append(("output of \(line)", result.output))
        texts.append(("log of \(line)", result.errors))
        texts.append(("recording of \(line)", try String(contentsOf: record, encoding: .utf8)))
        let captured = try Data(contentsOf: capture).map { String(format: "%02X", $0) }.joined()
        #expect(captured.count > 500, "\(line)")
        texts.append(("capture of \(line)", captured))
      }
      if let virtual {
        virtual.interrupt()
        _ = try await virtual.end()
        texts.append(("trace", try String(contentsOf: trace, encoding: .utf8)))
      }
      #expect(!traces.isEmpty)
      for (place, text) in texts {
        let digits = text.uppercased().filter { !$0.isWhitespace && $0 != ":" }
        for trace in traces where digits.contains(trace) {
          Issue.record("\(trace) is in the \(place)")
        }
      }
    }
  }

  /// A key that is given where a file of keys is expected is not shown as the name of a file.
  @Test(arguments: [
    "desfire read --app 000001 --file 1 --keys \(key) --virtual desfire",
    "desfire read --app 000001 --file 1 --keys 0:\(key) --virtual desfire",
    "plus read 4 --keys 1A:\(key) --virtual mifare-plus",
    "mifare read 1 --keys 5DA3917CE246 --virtual classic-1k",
    "read --password-file 5DA3917C --virtual ntag215",
    "desfire change-key 0 --app 000001 --new-key-file \(key) --virtual desfire",
  ])
  func aKeyInPlaceOfAFile(_ line: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == 66, "\(result.errors)")
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("a key itself"), "\(result.errors)")
    for secret in [Self.key, "5DA3917C"] { #expect(!result.errors.contains(secret)) }
  }
}
