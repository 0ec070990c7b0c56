import SwiftNFCCore
import Testing

@testable import SwiftNFCPCSC

/// The APDUs that each maker's readers get for a request, byte by byte, and what is made of their
/// answers.
@Suite struct VicinityDialectTests {
  /// A reader that has an answer for some APDUs, and knows no others.
  private final class Recorder {
    private let answers: [[UInt8]: [UInt8]]
    private(set) var commands: [[UInt8]] = []

    init(_ answers: [String: String]) throws {
      self.answers = try Dictionary(
        uniqueKeysWithValues: answers.map {
          (
            try #require([UInt8](hexadecimal: $0.key)), try #require([UInt8](hexadecimal: $0.value))
          )
        })
    }

    func transmit(_ command: [UInt8]) -> [UInt8] {
      commands.append(command)
      return answers[command] ?? [0x6D, 0x00]
    }
  }

  enum Kind: CaseIterable {
    case acs, identiv, springCardFrames, springCard, omnikey, number, numberInP1, numberInP2
    case byteOffset

    fileprivate func dialect() -> any VicinityDialect {
      let uid = VicinityDialectTests.uid
      func storageCard(_ addressing: StorageCardBlocks.Addressing) -> StorageCardBlocks {
        StorageCardBlocks(uid: uid, addressing: addressing, blockSize: nil)
      }
      return switch self {
      case .acs: MakerPassThrough.acs(uid: uid)
      case .identiv: MakerPassThrough.identiv(uid: uid)
      case .springCardFrames: SpringCardEncapsulation(uid: uid)
      case .springCard: SpringCardCommands(uid: uid)
      case .omnikey: OmnikeyCommands(uid: uid, blockSize: 4)
      case .number: storageCard(.number)
      case .numberInP1: storageCard(.numberInP1)
      case .numberInP2: storageCard(.numberInP2)
      case .byteOffset: storageCard(.byteOffset)
      }
    }
  }

  fileprivate static let uid: [UInt8] = [0xE0, 0x04, 0x01, 0x08, 0x11, 0x22, 0x33, 0x44]
  private static let onAir = "4433221108 0104E0"

  struct Case: Sendable, CustomTestStringConvertible {
    let kind: Kind
    let request: String
    /// Each APDU and its answer.
    let apdus: [(String, String)]
    /// The tag's answer with its flags; `nil` for a refusal.
    let answer: String?
    let refusal: ExchangeOutcome?

    init(_ kind: Kind, _ request: String, _ apdus: [(String, String)], _ answer: String) {
      (self.kind, self.request, self.apdus, self.answer) = (kind, request, apdus, answer)
      refusal = nil
    }

    init(
      _ kind: Kind, _ request: String, _ apdus: [(String, String)], refusal: ExchangeOutcome
    ) {
      (self.kind, self.request, self.apdus, self.refusal) = (kind, request, apdus, refusal)
      answer = nil
    }

    func outcome() throws -> ExchangeOutcome {
      if let refusal { return refusal }
      return .answer(try VicinityDialectTests.bytes(try #require(answer)))
    }

    var testDescription: String { "\(kind) \(request)" }
  }

  static let cases: [Case] = [
    // Requests with and without the UID, which the reader puts.
    Case(
      .acs, "022B", [("FFFB0000012B", "0F44332211080104E000001B03019000")],
      "000F44332211080104E000001B0301"),
    Case(.acs, "222044332211080104E005", [("FFFB0000022005", "112233449000")], "0011223344"),
    Case(.acs, "02210511223344", [("FFFB0000062105 11223344", "9000")], "00"),
    Case(.acs, "02B204", [("FFFB000002B204", "12349000")], "001234"),
    Case(.identiv, "0220FF", [("FFFC00000220FF00", "6A82")], refusal: .refused(0x6A82)),
    Case(.identiv, "022205", [("FFFC000002220500", "6982")], refusal: .refused(0x6982)),
    // Frames as they are, refusals and all.
    Case(.springCardFrames, "022005", [("FFFE040003022005 00", "00112233449000")], "0011223344"),
    Case(
      .springCardFrames, "422044332211080104E005",
      [("FFFE04000B422044332211080104E00500", "01109000")], "0110"),
    // Numbers of two bytes, most significant first.
    Case(.springCard, "022005", [("FFF62000010500", "112233449000")], "0011223344"),
    Case(.springCard, "022B", [("FFF62B0000", "00443322110801 04E09000")], "0000443322110801 04E0"),
    Case(.springCard, "02302C01", [("FFF6300002012C00", "112233449000")], "0011223344"),
    Case(
      .springCard, "02322C01", [("FFFBFD0002451500", "9000"), ("FFF6320002012C", "9000")], "00"),
    Case(.springCard, "0228", [("FFFBFD0002451500", "6D00"), ("FFF6280000", "9000")], "00"),
    // The option flag is a mode of the reader's.
    Case(
      .springCard, "42210511223344",
      [
        ("FFFBFD0002453F00", "9000"), ("FFF62100050511223344", "9000"),
        ("FFFBFD0002451500", "9000"),
      ], "00"),
    // The reader does not report why a change has failed: it may have been made.
    Case(.acs, "02210511223344", [("FFFB0000062105 11223344", "6300")], refusal: .noAnswer),
    Case(.acs, "022005", [("FFFB0000022005", "6300")], refusal: .refused(0x6300)),
    // SpringCard's own errors.
    Case(.springCard, "022005", [("FFF62000010500", "6F01")], refusal: .noAnswer),
    Case(.springCard, "022005", [("FFF62000010500", "6F02")], refusal: .broken),
    // A count is the number of blocks, or one less: block 0 and a count of one show which.
    Case(
      .springCard, "02230403",
      [
        ("FFF62000010000", "112233449000"), ("FFF6230002000100", "112233449000"),
        ("FFF6230002040400", "0102030405060708090A0B0C0D0E0F109000"),
      ], "000102030405060708090A0B0C0D0E0F10"),
    Case(
      .springCard, "02230401",
      [
        ("FFF62000010000", "112233449000"), ("FFF6230002000100", "11223344556677889000"),
        ("FFF6230002040100", "01020304050607089000"),
      ], "000102030405060708"),
    Case(.omnikey, "022005", [("FFB0000504", "112233449000")], "0011223344"),
    Case(
      .omnikey, "02302C01", [("FFB0012C04", "6C08"), ("FFB0012C08", "11223344556677889000")],
      "001122334455667788"),
    Case(.omnikey, "02210511223344", [("FFD600050411223344", "9000")], "00"),
    Case(.omnikey, "022205", [("FF30000205 0100000005", "9000")], "00"),
    Case(.omnikey, "02322C01", [("FF30000205 010000012C", "9000")], "00"),
    Case(.omnikey, "0227A5", [("FF30000104 010200A5", "9000")], "00"),
    Case(.omnikey, "0228", [("FF30000203 010200", "9000")], "00"),
    Case(.omnikey, "0229A5", [("FF30000104 010300A5", "9000")], "00"),
    Case(.omnikey, "022A", [("FF30000203 010300", "6982")], refusal: .refused(0x6982)),
    Case(
      .omnikey, "022C0501",
      [("FF30000305 0100000005 01", "019000"), ("FF30000305 0100000006 01", "009000")], "000100"),
    Case(
      .omnikey, "022B",
      [
        ("FF30020000", "A59000"), ("FF30030000", "6A81"), ("FF30040000", "4F039000"),
        ("FF30050000", "019000"),
      ], "000E44332211080104E0A54F0301"),
    Case(
      .omnikey, "022B",
      [
        ("FF30020000", "6A81"), ("FF30030000", "6A81"), ("FF30040000", "6A81"),
        ("FF30050000", "6A81"),
      ], refusal: .unknown(0x6A81)),
    Case(.number, "022005", [("FFB0000504", "112233449000")], "0011223344"),
    Case(.number, "02302C01", [("FFB0012C04", "112233449000")], "0011223344"),
    Case(.number, "02210511223344", [("FFD600050411223344", "9000")], "00"),
    Case(.numberInP1, "022005", [("FFB0050004", "112233449000")], "0011223344"),
    Case(.numberInP1, "02210511223344", [("FFD605000411223344", "9000")], "00"),
    Case(.numberInP2, "022005", [("FFB0000504", "112233449000")], "0011223344"),
    Case(.byteOffset, "022005", [("FFB0001404", "112233449000")], "0011223344"),
    Case(.byteOffset, "0220FF", [("FFB003FC04", "11226282")], refusal: .refused(0x6282)),
    Case(.byteOffset, "02210511223344", [("FFD600140411223344", "9000")], "00"),
  ]

  fileprivate static func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text.filter { $0 != " " }))
  }

  @Test(arguments: cases)
  func carries(_ example: Case) throws {
    let reader = try Recorder(
      Dictionary(
        uniqueKeysWithValues: example.apdus.map {
          ($0.0.filter { $0 != " " }, $0.1.filter { $0 != " " })
        }))
    var dialect = example.kind.dialect()
    let outcome = try dialect.carry(try Self.bytes(example.request), by: reader.transmit)
    #expect(reader.commands == (try example.apdus.map { try Self.bytes($0.0) }))
    #expect(outcome == (try example.outcome()))
  }

  /// Nothing is sent that would mean something else, or be for another tag.
  @Test(arguments: impossible)
  func hasNoWayFor(_ request: String, _ kinds: [Kind]) throws {
    for kind in kinds {
      let reader = try Recorder([:])
      var dialect = kind.dialect()
      #expect(try dialect.carry(try Self.bytes(request), by: reader.transmit) == nil, "\(kind)")
      #expect(reader.commands.isEmpty, "\(kind)")
    }
  }

  private static let withoutFrames = Kind.allCases.filter { $0 != .springCardFrames }

  private static let impossible: [(String, [Kind])] = [
    ("222044332211080104E105", withoutFrames), ("260100", withoutFrames),
    ("0A200500", withoutFrames), ("0220", withoutFrames), ("422005", withoutFrames),
    ("42220544", [.acs, .identiv, .omnikey, .number]),
    ("0222", [.number, .numberInP1, .byteOffset]), ("022205", [.number, .numberInP1, .byteOffset]),
    ("02230003", [.omnikey, .number]), ("02A104", [.springCard, .omnikey, .number]),
    ("02300001", [.numberInP1, .numberInP2]), ("0230FF7F", [.byteOffset]),
  ]

  /// A reader that has no modes sends no write without the option flag that the tag waits for.
  @Test func doesNotWriteWithoutTheRequiredFlag() throws {
    let reader = try Recorder([:])
    var dialect = SpringCardCommands(uid: Self.uid)
    let request = try Self.bytes("42210511223344")
    #expect(try dialect.carry(request, by: reader.transmit) == nil)
    #expect(reader.commands.allSatisfy { $0.starts(with: [0xFF, 0xFB]) })
  }

  /// The flag is on for the command that wants it, and off again for all that follow.
  @Test func setsTheOptionForOneCommand() throws {
    let reader = try Recorder([
      "FFFBFD0002453F00": "9000", "FFFBFD0002451500": "9000", "FFF62100050511223344": "9000",
    ])
    var dialect = SpringCardCommands(uid: Self.uid)
    for flags in ["02", "42", "02"] {
      _ = try dialect.carry(try Self.bytes(flags + "210511223344"), by: reader.transmit)
    }
    let (off, on, write) = ("FFFBFD0002451500", "FFFBFD0002453F00", "FFF62100050511223344")
    #expect(reader.commands.map(\.hexadecimal) == [off, write, on, write, off, write])
  }

  /// A reader that would send requests to every tag is not used by this.
  @Test(arguments: [("FFFBFD1100", DialectConfirmation.present), ("", .absent)])
  func wantsRequestsToBeAddressed(_ mode: String, _ confirmation: DialectConfirmation) throws {
    var answers = ["FFF62000010000": "112233449000", "FFFBFD1000": "9000"]
    answers[mode] = "9000"
    let reader = try Recorder(answers.filter { !$0.key.isEmpty })
    var dialect = SpringCardCommands(uid: Self.uid)
    #expect(try dialect.confirm(by: reader.transmit) == confirmation)
    try dialect.close(by: reader.transmit)
    #expect(reader.commands.last?.hexadecimal == "FFFBFD1000")
  }

  /// Where a count cannot be found out, blocks are read one by one.
  @Test(arguments: ["6A81", "1122339000", "9000"])
  func asksForNoRunsThatItCannotCount(_ answer: String) throws {
    let reader = try Recorder(["FFF62000010000": "112233449000", "FFF6230002000100": answer])
    var dialect = SpringCardCommands(uid: Self.uid)
    for _ in 0..<2 {
      #expect(try dialect.carry([0x02, 0x23, 0x04, 0x03], by: reader.transmit) == nil)
    }
    #expect(reader.commands.count == 2)
  }

  @Test(arguments: [
    ("6F01", ExchangeOutcome.noAnswer), ("6401", .noAnswer), ("6F02", .broken), ("6F18", .broken),
    ("6F00", .refused(0x6F00)), ("6700", .refused(0x6700)), ("9000", .answer([])),
    ("90", .malformed),
    ("01109000", .answer([0x01, 0x10])),
  ])
  func readsWhatBecameOfAFrame(_ answer: String, _ outcome: ExchangeOutcome) throws {
    #expect(
      ExchangeOutcome(try Self.bytes(answer), meanings: Encapsulation.meanings) == outcome)
  }

  @Test func anyAnswerGivesAnOutcome() throws {
    for kind in Kind.allCases {
      for request in ["022B", "022005", "02210511223344", "022205", "02230403", "022C0501"] {
        for length in 0..<24 {
          var dialect = kind.dialect()
          _ = try dialect.carry(try Self.bytes(request)) { _ in
            let data = (0..<max(length - 2, 0)).map { UInt8($0) }
            return length < 2 ? [UInt8](repeating: 0x90, count: length) : data + [0x90, 0x00]
          }
        }
      }
    }
  }
}
