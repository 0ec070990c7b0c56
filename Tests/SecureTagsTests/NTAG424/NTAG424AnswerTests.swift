import NFC
import SUNMessage
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// A chip whose answers are changed on the way.
private struct MeddlingChip: ForwardingChip {
  enum Way: Sendable, CaseIterable {
    /// A bit of the last byte before the status word is changed.
    case macChanged
    /// A bit of the first byte is changed.
    case dataChanged
    /// The MAC is missing.
    case cut
    /// The answer to the previous command is returned.
    case replayed
    /// Only the status word is returned.
    case empty
  }

  var chip: NTAG424
  let way: Way
  /// The first answer that is changed, counted from the end of the authentication.
  var number: Int
  private var count: Int?
  private var last: [UInt8] = []
  private var interface = ProximityInterface(
    typeA: [0x04, 0x63, 0x47, 0x4A, 0xA2, 0x6A, 0x80], atqa: [0x44, 0x03],
    ats: [0x06, 0x77, 0x77, 0x71, 0x02, 0x80])

  init(_ chip: NTAG424, _ way: Way, number: Int) {
    self.chip = chip
    self.way = way
    self.number = number
  }

  var modulation: RadioFrame.Modulation { interface.modulation }

  mutating func powerOn() {
    interface.powerOn()
    chip.powerOn()
  }

  mutating func powerOff() {
    interface.powerOff()
    chip.powerOff()
  }

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    switch interface.receive(frame) {
    case .handled(let answer): return answer
    case .command(let command): return interface.respond(meddle(command))
    }
  }

  private mutating func meddle(_ command: [UInt8]) -> [UInt8] {
    var answer = chip.process(command)
    defer { last = answer }
    // The second part of the authentication.
    if command.starts(with: [0x90, 0xAF]), command.count > 32 {
      count = 0
      return answer
    }
    guard let count, command.first == 0x90 else { return answer }
    self.count = count + 1
    guard count == number, answer.count > 2 else { return answer }
    switch way {
    case .macChanged: answer[answer.count - 3] ^= 0x01
    case .dataChanged: answer[0] ^= 0x01
    case .cut: answer.removeSubrange(answer.count - 10..<answer.count - 2)
    case .replayed: answer = last
    case .empty: answer.removeSubrange(0..<answer.count - 2)
    }
    return answer
  }
}

@Suite struct NTAG424AnswerTests {
  /// Answers with a MAC: GetKeyVersion, ChangeKey and GetFileSettings come first.
  @Test(arguments: MeddlingChip.Way.allCases, [0, 1, 2])
  fileprivate func refused(_ way: MeddlingChip.Way, number: Int) async throws {
    let tag = VirtualTag(MeddlingChip(NTAG424(), way, number: number))
    let field = VirtualField()
    field.place(tag)
    let virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(virtual.connectionString)
    let setup = NTAG424Setup(
      link: try NTAG424Link("https://a.example/?p={picc}&c={mac}"),
      newKeys: [1: try aes(1), 2: try aes(2)])
    for try await found in reader.tags(polling: .iso14443) {
      try await found.connect()
      let chip = try await DESFireCard(found).application(.fixed)
      let error = await #expect(throws: NFCError.self) { try await chip.setUp(setup) }
      #expect(error?.code == .tagResponseError)
      break
    }
    // Planning comes before the first change.
    #expect(tag.memory == NTAG424().memory)
    #expect(tag.withChip(MeddlingChip.self) { $0.chip.keys } == NTAG424().keys)
    await reader.close()
    virtual.close()
  }

  @Test(arguments: [
    "", "00", "0000E0", "0000E0EE0000", "0140E0EE000100", "0040E0EE000100", "0040E0EE000100C1F1",
    "0040E0EE000100C1F121200000", "0040E0EE000100C1F12E200000430000430000",
    "0040E0EE000100D1F121000000200000200000200000",
  ])
  func settingsThatAreBroken(_ text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    #expect(throws: NFCError.self) { try NTAG424FileSettings(bytes) }
  }

  /// NXP AN12196, 5.3 and 5.9.
  @Test(arguments: [
    (
      "0040EEEE000100D1FE001F00004400004400002000006A0000",
      "40EEEED1FE001F00004400004400002000006A0000"
    ),
    ("004000E0000100C1F121200000430000430000", "4000E0C1F121200000430000430000"),
    ("0000E0EE000100", "00E0EE"), ("00033023800000", "033023"),
    ("0040E0EE00010001FFFF", "40E0EE01FFFF"),
    (
      "0040E0EE000100E1FEE1200000FFFFFF430000430000E80300",
      "40E0EEE1FEE1200000FFFFFF430000430000E80300"
    ),
  ])
  func settings(answer: String, command: String) throws {
    let settings = try NTAG424FileSettings(try #require([UInt8](hexadecimal: answer)))
    #expect(settings.encoded.hexadecimal == command)
  }

  /// NXP AN12196, 5.8 and 5.9: the file and the settings of the note's link.
  @Test func publishedLink() throws {
    let link = try NTAG424Link("https://choose.url.com/ntag424?e={picc}&c={mac}")
    #expect(
      link.file.hexadecimal
        == "0051D1014D550463686F6F73652E75726C2E636F6D2F6E7461673432343F653D"
        + "3030303030303030303030303030303030303030303030303030303030303030"
        + "26633D30303030303030303030303030303030")
    var settings = try NTAG424FileSettings(try #require([UInt8](hexadecimal: "0000E0EE000100")))
    settings.rights = NTAG424Setup.defaultRights
    settings.dynamicMessaging = link.dynamicMessaging
    #expect(settings.encoded.hexadecimal == "4000E0C1F121200000430000430000")
  }

  /// Lengths, the record's header and its code for "https://" have 7 bytes, the rest of the link 58 and
  /// the x.
  @Test func longestLink() throws {
    let link = "https://a.example/{picc}{mac}"
    #expect(
      try NTAG424Link(link + String(repeating: "x", count: 191)).file.count == NTAG424Link.fileSize)
    let error = #expect(throws: NFCError.self) {
      try NTAG424Link(link + String(repeating: "x", count: 192))
    }
    #expect(error?.code == .capacityExceeded)
  }

  @Test(arguments: [
    (
      "https://a.example/{picc}{mac}" + String(repeating: "x", count: 240),
      NFCError.Code.capacityExceeded
    ),
    ("{picc}{mac}", .invalidParameter), ("https://a.example/?\u{1}{picc}{mac}", .invalidParameter),
  ])
  func linksThatDoNotFit(text: String, code: NFCError.Code) throws {
    // The first bytes of the file are not part of any code.
    if text == "{picc}{mac}" {
      #expect(try NTAG424Link(text).file.count == 2 + 4 + 1 + 48)
      return
    }
    let error = #expect(throws: NFCError.self) { try NTAG424Link(text) }
    #expect(error?.code == code)
  }

  @Test func optionsThatDoNotFit() throws {
    let text = "https://a.example/?p={picc}&e={enc}&c={mac}"
    let changes: [(inout NTAG424Link.Options) -> Void] = [
      { $0.metaReadKey = 5 }, { $0.fileReadKey = -1 }, { $0.macInput = .none },
      { $0.macInput = .offset(60) }, { $0.macInput = .offset(-9) }, { $0.macInput = .offset(3) },
      { $0.macInput = .offset(.max) }, { $0.macInput = .offset(.min) },
      { $0.fileData = [UInt8](repeating: 0x30, count: 17) },
      { $0.counterLimit = 0 }, { $0.counterLimit = 0xFF_FFFF },
    ]
    for change in changes {
      let error = #expect(throws: NFCError.self) { try NTAG424Link(text, change) }
      #expect(error?.code == .invalidParameter)
    }
    #expect(throws: NFCError.self) {
      try NTAG424Link("https://a.example/?u={uid}&c={mac}") { $0.counterLimit = 5 }
    }
    let link = try NTAG424Link(text)
    #expect(try link.adapted(to: .aes) == link)
    #expect(try link.adapted(to: .lrp) == NTAG424Link(SUNTemplate(text, mode: .lrp)))
    for setup in [
      NTAG424Setup(link: link, keys: [5: try aes(1)]),
      NTAG424Setup(link: link, newKeys: [-1: try aes(1)]),
      NTAG424Setup(link: link, keys: [0: .factory(.des)]),
      NTAG424Setup(link: link, rights: DESFireAccessRights(0x0000)),
    ] {
      #expect(throws: NFCError.self) { try setup.check() }
    }
  }
}
