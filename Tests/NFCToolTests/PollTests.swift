import Foundation
import Synchronization
import Testing
import VirtualNFC

@testable import SwiftNFCTool

@Suite struct PollTests {
  /// One search finds sixteen tags of a technology. That there may be more is said once.
  @Test(arguments: [["poll"], ["write", "text", "a", "--each"]], [16, 18])
  func moreTagsThanOneSearchFinds(_ command: [String], _ count: Int) async throws {
    let tags = Array(repeating: ["--virtual", "ntag213"], count: count).flatMap(\.self)
    let result = try await Tool.run(command + ["--timeout", "0"] + tags)
    let remarks = result.errorLines.filter {
      $0 == "nfc: 16 tags were found, and there may be more: one search finds no more"
    }
    #expect(remarks.count == 1, "\(result.errors)")
  }

  @Test func fewerTagsThanOneSearchFinds() async throws {
    let tags = Array(repeating: ["--virtual", "ntag213"], count: 15).flatMap(\.self)
    let result = try await Tool.run(["poll", "--timeout", "0"] + tags)
    #expect(result.lines.count == 15)
    #expect(!result.errors.contains("there may be more"), "\(result.errors)")
  }

  /// Returns a line with its time set to zero. Only the time differs between two runs.
  private static func timeless(_ line: String) -> String {
    line.replacing(/"time":\d+\.\d{3},"date":"[-0-9T:.]{23}Z"/, with: #""time":0"#)
  }

  @Test(arguments: [
    (
      "ntag216",
      #"{"event":"arrived","time":0,"tag":{"type":"miFare","protocol":"iso14443a","uid":"04A78B62C21B90","family":"ultralight","product":"NTAG216","atqa":"0044","sak":"00"}}"#
    ),
    (
      "classic-4k",
      #"{"event":"arrived","time":0,"tag":{"type":"miFare","protocol":"iso14443a","uid":"9F38B25C","family":"classic","product":"MIFARE Classic 4K","atqa":"0002","sak":"18"}}"#
    ),
    (
      "desfire",
      #"{"event":"arrived","time":0,"tag":{"type":"miFare","protocol":"iso14443a","uid":"04396B62D43C80","family":"desfire","product":"MIFARE DESFire EV1","atqa":"0344","sak":"20","ats":"7577810280","historicalBytes":"80"}}"#
    ),
    (
      "tmoney",
      #"{"event":"arrived","time":0,"tag":{"type":"iso7816","protocol":"iso14443a","uid":"1C7D35A2","atqa":"0004","sak":"20","ats":"78807002"}}"#
    ),
    (
      "type4b",
      #"{"event":"arrived","time":0,"tag":{"type":"iso7816","protocol":"iso14443b","uid":"503C9A17","pupi":"503C9A17","applicationData":"00E2AF11","protocolInfo":"808175"}}"#
    ),
    (
      "suica",
      #"{"event":"arrived","time":0,"tag":{"type":"feliCa","protocol":"felica","uid":"01010612B41C7D2A","product":"FeliCa Standard","idm":"01010612B41C7D2A","pmm":"100B4B428485D0FF","systemCode":"0003"}}"#
    ),
    (
      "icode-slix2",
      #"{"event":"arrived","time":0,"tag":{"type":"iso15693","protocol":"iso15693","uid":"E00401082AD28E83","product":"ICODE SLIX2","icManufacturerCode":"04","icSerialNumber":"01082AD28E83","dsfid":"00","afi":"00","blockSize":4,"blockCount":80}}"#
    ),
    (
      "st25dv",
      #"{"event":"arrived","time":0,"tag":{"type":"iso15693","protocol":"iso15693","uid":"E00226006B5D14C7","product":"ST25DV64K","icManufacturerCode":"02","icSerialNumber":"26006B5D14C7","dsfid":"00","afi":"00","blockSize":4,"blockCount":2048}}"#
    ),
    (
      "topaz512",
      #"{"event":"arrived","time":0,"tag":{"type":"other","protocol":"jewel","uid":"471B9D02","product":"Topaz 512"}}"#
    ),
  ])
  func printsATag(_ name: String, _ line: String) async throws {
    let result = try await Tool.run("poll", "--once", "--json", "--virtual", name)
    #expect(result.lines.map(Self.timeless) == [line])
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  /// These chips are distinguished by the tag's memory, not by the beginning of the UID.
  @Test(arguments: [
    ("st25dv", "ST25DV64K"), ("st25dv16k", "ST25DV16K"), ("st25dv04k", "ST25DV04K"),
    ("st25tv", "ST25TV02K"),
  ])
  func namesAChipByItsMemory(_ name: String, _ product: String) async throws {
    let result = try await Tool.run("poll", "--once", "--virtual", name)
    #expect(result.output.hasSuffix("  iso15693  \(product)\n"))
  }

  @Test func printsTextForPeople() async throws {
    let result = try await Tool.run("--virtual", "ntag215", "poll", "--once")
    #expect(result.output.contains(/^\d+\.\d{3}  arrived  04DB0BDA993C80  iso14443a  NTAG215\n$/))
    #expect(result.status == 0)
  }

  @Test func tagsTogetherInTheFieldEachHaveTheirLine() async throws {
    let names = ["ntag215", "ntag216", "suica", "topaz96"]
    let result = try await Tool.run(
      names.flatMap { ["--virtual", $0] } + ["poll", "--count", "4", "--json"])
    for uid in ["04DB0BDA993C80", "04A78B62C21B90", "01010612B41C7D2A", "8A5C032E"] {
      #expect(result.lines.count { $0.contains(#""uid":"\#(uid)""#) } == 1)
    }
    #expect(result.lines.count == 4)
    #expect(result.status == 0)
  }

  /// Two tags of the same chip can be present, like two stickers of a roll.
  @Test(arguments: [
    ["ntag213", "ntag213"], ["ntag213", "NTAG_213", "blank-ntag213"], ["classic-1k", "classic-1k"],
    ["felica-lite-s", "felica-lite-s"], ["icode-slix2", "icode-slix2"],
  ])
  func tagsOfOneKindHaveUIDsOfTheirOwn(_ names: [String]) async throws {
    let result = try await Tool.run(
      names.flatMap { ["--virtual", $0] }
        + ["poll", "--count", "\(names.count)", "--timeout", "5", "--json"])
    #expect(result.status == 0)
    #expect(
      Set(result.lines.compactMap { $0.firstMatch(of: /"uid":"[0-9A-F]+"/)?.output }).count
        == names.count)
  }

  /// A chip that cannot have another UID is refused.
  @Test(arguments: VirtualTag.names)
  func everyTagTwiceIsTwoTagsOrRefused(_ name: String) throws {
    for name in [name, "blank-\(name)"] where (try? VirtualTag.named(name)) != nil {
      do {
        let tags = try VirtualTags([name, name, name]).tags
        #expect(Set(tags.map(\.identifier)).count == 3)
        #expect(Set(tags.map(\.name)).count == 1)
      } catch let failure as Failure {
        #expect(failure.status == .usage)
      }
    }
  }

  @Test func aTagThatCannotHaveAnotherUIDIsThereOnce() async throws {
    let result = try await Tool.run(
      "poll", "--once", "--virtual", "barcode", "--virtual", "barcode")
    #expect(result.status == 64)
    #expect(result.errors.contains("two virtual tags have the UID"))
  }

  @Test func theDemoShowsEveryProtocolAndEnds() async throws {
    let result = try await Tool.run("--virtual", "demo", "poll", "--json")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let protocols = [
      "iso14443a", "iso14443b", "felica", "jewel", "iso14443bPrime", "iso14443b2sr",
      "iso14443b2ct", "barcode", "iclass", "iso15693",
    ]
    for name in protocols {
      #expect(result.lines.contains { $0.contains(#""protocol":"\#(name)""#) }, "\(name)")
    }
    // The tags are shown one after the other. Each arrives, and leaves before the next one.
    let events = result.lines.map { $0.contains(#""event":"arrived""#) }
    #expect(events == (0..<events.count).map { $0.isMultiple(of: 2) })
    #expect(events.count == 26)
    #expect(
      result.lines.dropFirst().first.map(Self.timeless)
        == #"{"event":"left","time":0,"tag":{"type":"miFare","protocol":"iso14443a","uid":"04A78B62C21B90"}}"#
    )
  }

  @Test func theDemoSkipsWhatIsNotPolled() async throws {
    let result = try await Tool.run(
      "poll", "--virtual", "demo", "--protocols", "iso18092", "--json")
    #expect(result.lines.count == 2)
    #expect(result.status == 0)
    let vicinity = try await Tool.run(
      "poll", "--virtual", "demo", "--protocols", "iso15693", "--json")
    #expect(vicinity.lines.count == 2)
    #expect(vicinity.output.contains(#""uid":"E00401082AD28E83""#))
  }

  /// Every tag of the demo is shown to a command that waits for it, whichever of the two readers finds it.
  @Test(arguments: [
    "04396B62D43C80", "6F21D40A", "01010612B41C7D2A", "E00401082AD28E83", "D0020C1F5A88136E",
  ])
  func theDemoShowsEachTag(_ uid: String) async throws {
    let result = try await Tool.run("info", "--json", "--uid", uid, "--virtual", "demo")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains(#""uid":"\#(uid)""#))
  }

  @Test func theDemoContinuesToWhatACommandNeeds() async throws {
    let result = try await Tool.run("iso15693", "read", "0", "--virtual", "demo")
    #expect(result.output == "0  E1402701\n")
    #expect(result.status == 0)
  }

  /// Two readers each find the tags that they support.
  @Test func tagsOfBothReadersArePolled() async throws {
    let both = ["--virtual", "ntag215", "--virtual", "st25dv", "poll", "--json"]
    let result = try await Tool.run(both + ["--count", "2"])
    #expect(result.lines.contains { $0.contains("NTAG215") })
    #expect(result.lines.contains { $0.contains("ST25DV64K") }, "\(result.output)\(result.errors)")
    #expect(result.lines.count == 2)
    let one = try await Tool.run(both + ["--once", "--protocols", "iso15693"])
    #expect(one.lines.count == 1)
    #expect(one.output.contains("ST25DV64K"))
    let none = try await Tool.run(both + ["--timeout", "0.3", "--protocols", "iso18092"])
    #expect(none.status == 66)
  }

  /// A line that is being printed, as long as its tag is being asked for its product.
  private final class UnfinishedLine: Sendable {
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let ended = AsyncStream.makeStream(of: Void.self)
    private let state = Mutex(false)

    var isPrinted: Bool { state.withLock { $0 } }

    func print() async {
      begun.continuation.finish()
      for await _ in ended.stream {}
      state.withLock { $0 = true }
    }

    func hasBegun() async { for await _ in begun.stream {} }
    func end() { ended.continuation.finish() }
  }

  /// The reader that prints the last line ends the polling of the other one, which may be asking its tag for the
  /// product meanwhile. Tags that are there together arrive in any order.
  @Test(arguments: [1, 2]) func theLastLineWaitsForTheOthers(_ limit: Int) async throws {
    let arrivals = Arrivals(upTo: limit)
    let line = UnfinishedLine()
    let first = Task { try await arrivals.report { await line.print() } }
    await line.hasBegun()
    let last = Task {
      let goesOn = try await arrivals.report { #expect(limit == 2) }
      return goesOn || !line.isPrinted
    }
    try await Task.sleep(for: .milliseconds(50))
    line.end()
    let (isFirstGoingOn, isLastEarly) = (try await first.value, try await last.value)
    #expect(!isFirstGoingOn)
    #expect(!isLastEarly)
    #expect(arrivals.count == limit)
  }

  /// The end of `--timeout` does not cut a line short either, and is not kept by one that cannot be printed.
  @Test func theEndOfTheTimeWaitsForALine() async throws {
    let arrivals = Arrivals(upTo: nil)
    let line = UnfinishedLine()
    let isGoingOn = try await arrivals.report {}
    #expect(isGoingOn)
    let failing = Task {
      try await arrivals.report {
        await line.print()
        throw CancellationError()
      }
    }
    await line.hasBegun()
    let closing = Task {
      await arrivals.close()
      return line.isPrinted
    }
    try await Task.sleep(for: .milliseconds(50))
    line.end()
    let isClosedAfterLine = await closing.value
    #expect(isClosedAfterLine)
    await #expect(throws: CancellationError.self) { _ = try await failing.value }
    let isOpen = try await arrivals.report { Issue.record("a line after the end") }
    #expect(!isOpen)
    #expect(arrivals.count == 2)
  }

  /// A PN532 does not support ISO 15693.
  @Test func aProtocolThatNoReaderSupportsIsLeftOut() async throws {
    let some = try await Tool.run(
      "poll", "--once", "--protocols", "iso14443,iso15693,iso18092", "--virtual", "ntag216")
    #expect(some.status == 0)
    #expect(some.lines.count == 1)
    #expect(some.output.contains("NTAG216"))
    #expect(some.errorLines.count == 1)
    #expect(some.errors.contains("ISO 15693"))
    let none = try await Tool.run("poll", "--once", "--protocols", "iso15693", "--virtual", "suica")
    #expect(none.status == 69)
    #expect(none.output == "")
    #expect(none.errorLines.count == 1)
    #expect(none.errors.contains("ISO 15693"))
  }

  @Test func timeoutIsSuccessIfATagCame() async throws {
    let found = try await Tool.run("--virtual", "suica", "poll", "--timeout", "0.3")
    #expect(found.lines.count == 1)
    #expect(found.status == 0)
    let missed = try await Tool.run(
      "--virtual", "suica", "poll", "--timeout", "0.3", "--protocols", "iso14443")
    #expect(missed.output == "")
    #expect(missed.errorLines.count == 1)
    #expect(missed.errors.hasPrefix("nfc: "))
    #expect(missed.status == 66)
  }

  /// As every other command, `poll` finds a tag that is there, however often it is run.
  @Test(arguments: 1...8) func timeoutZeroLooksOnce(_ run: Int) async throws {
    let found = try await Tool.run(
      "poll", "--once", "--timeout", "0", "--virtual", "ntag213", "--virtual", "icode-slix2")
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.lines.count == 1)
    #expect(found.errors == "")
  }

  /// A time that is too short for one round is enough for one look.
  @Test(arguments: ["0.001", "0.01", "0.03"])
  func aShortTimeoutLooksOnce(_ timeout: String) async throws {
    let found = try await Tool.run(
      "poll", "--once", "--timeout", timeout, "--virtual", "suica", "--virtual", "icode-slix2")
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.lines.count == 1)
    let none = try await Tool.run(
      "poll", "--timeout", timeout, "--virtual", "suica", "--protocols", "iso14443")
    #expect(none.status == 66)
  }

  @Test func timeoutZeroReportsWhatIsThere() async throws {
    let both = ["poll", "--timeout", "0", "--virtual", "ntag213", "--virtual", "icode-slix2"]
    let all = try await Tool.run(both)
    #expect(all.status == 0)
    #expect(all.lines.count == 2)
    let one = try await Tool.run(both + ["--uid", "E00401082AD28E83"])
    #expect(one.lines.count == 1)
    #expect(one.output.contains("ICODE SLIX2"))
    let none = try await Tool.run(both + ["--uid", "0102030405060708"])
    #expect(none.status == 66)
    #expect(none.output == "")
    #expect(none.errorLines.count == 1)
    #expect(none.errors.contains("E00401082AD28E83"))
  }

  /// `--protocols` accepts the names that `poll` prints and those of the standards, in upper or lower case.
  @Test(
    arguments: [
      ("felica", "suica", 0), ("FeliCa", "suica", 0), ("iso14443a", "ntag213", 0),
      ("ISO14443-A", "ntag213", 0), ("iso14443b,jewel", "topaz96", 0), ("iso18092", "suica", 0),
      ("iso14443", "suica", 66), ("iso14443b", "ntag213", 66), ("iso15693", "icode-slix2", 0),
    ] as [(String, String, Int32)])
  func protocolsAreNamedAsPollPrintsThem(
    _ protocols: String, _ tag: String, _ status: Int32
  ) async throws {
    let result = try await Tool.run(
      "poll", "--once", "--timeout", "1.5", "--protocols", protocols, "--virtual", tag)
    #expect(result.status == status)
  }

  @Test func aTagOfAnotherUIDIsNamed() async throws {
    let result = try await Tool.run(
      "poll", "--uid", "04", "--timeout", "0.8", "--virtual", "ntag213")
    #expect(result.status == 66)
    #expect(result.output == "")
    #expect(result.errors.contains("no tag with the UID 04 came within 0.8 s, only 04E10CDA993C80"))
  }

  @Test func uidPicksATag() async throws {
    let result = try await Tool.run(
      "--uid", "04:a7:8b:62:c2:1b:90", "poll", "--once", "--virtual", "ntag215", "--virtual",
      "ntag216")
    #expect(result.lines.count == 1)
    #expect(result.output.contains("04A78B62C21B90"))
  }
}
