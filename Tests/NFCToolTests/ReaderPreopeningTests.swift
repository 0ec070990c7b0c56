import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCTool

@Suite struct ReaderPreopeningTests {
  @Test(arguments: [
    ("--reader a:b poll --once", "a:b"),
    ("poll --reader=a:b --json", "a:b"),
    ("mifare send 3004 --reader a:b", "a:b"),
    ("--reader a:b felica read --service 090F 0-9", "a:b"),
    ("apdu 00A40400 --aid D2760000850101 --json", "e:f"),
    ("read --raw poll", "e:f"),
    ("--timeout 3 read", "e:f"),
    ("--uid poll read", "e:f"),
    // These lines name no reader or several readers, or do not open the reader at once.
    ("info --reader a:b --reader c:d --uid 04", nil),
    ("mifare", nil),
    ("mifare restore card.mfd", nil),
    ("felica write --service 0009 0 00", nil),
    ("poll --virtual demo", nil),
    ("readers", nil),
    ("write uri poll", nil),
    ("--reader a:b", nil),
    ("poll --help", nil),
    ("help poll", nil),
    // The log has to be set up before libnfc is first used.
    ("poll --verbose", nil),
    ("poll --pcap a.pcap", nil),
    ("read --replay=a.jsonl", nil),
    ("poll -- --reader a:b", nil),
    // The parser reports an error before the reader has received anything.
    ("poll --nonsense", "e:f"),
    ("", nil),
  ])
  func namesTheReader(_ line: String, _ name: String?) {
    let arguments = line.split(separator: " ").map(String.init)
    #expect(ReaderPreopening.name(in: arguments, environment: "e:f") == name)
  }

  @Test func withoutAnyReaderThereIsNone() {
    #expect(ReaderPreopening.name(in: ["poll"], environment: nil) == nil)
  }

  /// The reader is not changed, even if it takes long to detect the error.
  @Test(arguments: [["--count", "0"], ["--protocols", "nonsense"], ["--timeout", "soon"]])
  func aWrongLineDoesNotAffectTheReader(_ wrong: [String]) async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    let result = try await Tool.run(["--reader", virtual.connectionString, "poll"] + wrong)
    #expect(result.status == 64)
    #expect(!field.isPowered)
    #expect(try await Reader.open(virtual.connectionString).connectionString.isEmpty == false)
  }
}
