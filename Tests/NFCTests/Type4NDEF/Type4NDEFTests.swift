import NFC
import Testing
import VirtualNFC

/// NDEF on type 4 tags of type A and B, through the real libnfc.
@Suite struct Type4NDEFTests {
  private static func configuration(
    _ change: (inout Type4Application.Configuration) -> Void
  ) -> Type4Application.Configuration {
    var configuration = Type4Application.Configuration()
    change(&configuration)
    return configuration
  }

  // MARK: Exchanges

  /// SELECT, SELECT, READ, SELECT, then one READ BINARY of what fits into a frame of the card, with the length, and
  /// others by as much as one command brings.
  @Test(arguments: [(0, 5), (26, 5), (55, 5), (56, 6), (137, 6), (236, 6), (298, 7), (868, 9)])
  func readsInTheFewestCommands(_ length: Int, _ commands: Int) async throws {
    let content = pattern(length)
    for virtual in [try VirtualTag.type4(ndef: content), try .type4B(ndef: content)] {
      let bench = try await NDEFBench(virtual)
      let tag = try await bench.connected()
      let first = try await bench.bench.counting { try await tag.readNDEFBytes() }
      #expect(first.result ?? [] == content)
      #expect(first.commands == commands)
      let second = try await bench.bench.counting { try await tag.readNDEFBytes() }
      #expect(second.result ?? [] == content)
      // A card that may have a host on wires is read again; its file is still selected.
      #expect(second.commands == commands - 4)
      let other = try await bench.connected()
      let status = try await bench.bench.counting { try await other.queryNDEFStatus() }
      #expect(status.result == NDEFStatus(access: .readWrite, capacity: 2046))
      #expect(status.commands == 4)
      #expect(try await bench.commands { _ = try await other.readNDEFBytes() } == commands - 4)
    }
  }

  /// Length to zero, data by MLc, length; without the first on an empty tag that has been read.
  @Test(arguments: [(137, 3), (246, 3), (247, 4), (868, 6)])
  func writesInTheFewestCommands(_ length: Int, _ writes: Int) async throws {
    let old = pattern(length, seed: 40)
    let bench = try await NDEFBench(try .type4(ndef: old))
    let tag = try await bench.connected()
    #expect(try await tag.readNDEFBytes() == old)
    var content = pattern(length)
    let stored = { bench.tag.memory.dropFirst(15) }
    // The length is read first, to be restored after a refusal, and more where that can spare more than it costs.
    let reads = length > 246 ? (length + 2 + 241) / 242 : 1
    #expect(
      try await bench.commands { try await tag.writeNDEFBytes(content, verify: false) } == writes
        + reads)
    #expect(stored().dropFirst(2).starts(with: content))
    content[length / 2] ^= 0xFF
    #expect(
      try await bench.commands { try await tag.writeNDEFBytes(content, verify: false) } == 3
        + reads)
    #expect(
      try await bench.commands { try await tag.writeNDEFBytes(content, verify: false) }
        == (length == 246 ? reads + 3 : reads))
    #expect(stored().dropFirst(2).starts(with: content))
    #expect(try await bench.commands { try await tag.writeNDEFBytes([], verify: false) } == 1)
    #expect(stored().starts(with: [0, 0]))
    #expect(
      try await bench.commands { try await tag.writeNDEFBytes(old, verify: false) } == writes)
    #expect(try await bench.connected().readNDEFBytes() == old)
  }

  /// DESFire has no wires: one exchange proves what was read before, and the same message is not written.
  @Test func aDESFireIsProvenByOneCommand() async throws {
    let bench = try await NDEFBench(try .desfire(ndef: pattern(100)))
    let tag = try await bench.connected()
    #expect(try await tag.readNDEFBytes() == pattern(100))
    #expect(try await bench.commands { _ = try await tag.readNDEFBytes() } <= 2)
    #expect(try await bench.commands { _ = try await tag.queryNDEFStatus() } == 1)
    let same = try await bench.commands {
      try await tag.writeNDEFBytes(pattern(100), verify: false)
    }
    #expect((1...2).contains(same))
  }

  @Test func changesByWireAreSeen() async throws {
    let virtual = try VirtualTag.type4(ndef: pattern(300))
    let bench = try await NDEFBench(virtual)
    let tag = try await bench.connected()
    #expect(try await tag.readNDEFBytes() == pattern(300))
    virtual.memory[15 + 2 + 280] ^= 0xFF
    #expect(try await tag.readNDEFBytes()?[280] == pattern(300)[280] ^ 0xFF)
    virtual.memory[15 + 2 + 281] ^= 0xFF
    try await tag.writeNDEFBytes(pattern(300), verify: false)
    #expect(virtual.memory.dropFirst(17).starts(with: pattern(300)))
  }

  @Test func everyCallReachesTheCard() async throws {
    let virtual = try VirtualTag.type4(ndef: pattern(40))
    for virtual in [virtual, .type4(formatted: false), try .desfire(ndef: pattern(40))] {
      let calls: [(any NDEFTag) async throws -> Void] = [
        { _ = try await $0.queryNDEFStatus() }, { _ = try await $0.readNDEFBytes() },
        { try await $0.writeNDEFBytes(pattern(40), verify: false) },
        { try await $0.makeReadOnly() },
        { try await $0.formatNDEF() },
      ]
      for call in calls {
        let bench = try await NDEFBench(virtual)
        let tag = try await bench.connected()
        _ = try? await tag.readNDEFBytes()
        bench.bench.field.removeAll()
        let error = await #expect(throws: NFCError.self) { try await call(tag) }
        #expect(error?.code == .tagConnectionLost)
      }
    }
  }

  /// What a program selects by itself, or another tag's connection in between, is not missed.
  @Test func aSelectionThatHasBeenLost() async throws {
    let bench = try await Bench(
      try .type4(ndef: pattern(50)), .ntag213())
    var tags: [DetectedTag] = []
    for try await tag in bench.reader.tags(polling: .iso14443) {
      tags.append(tag)
      if tags.count == 2 { break }
    }
    var found: any ISO7816Tag
    guard
      let card = tags.compactMap({ tag -> (any ISO7816Tag)? in
        if case .iso7816(let card) = tag { card } else { nil }
      }).first, let other = tags.first(where: { $0.identifier != card.identifier })
    else {
      Issue.record("not both tags")
      return
    }
    found = card
    try await found.connect()
    #expect(try await found.readNDEFBytes() == pattern(50))
    _ = try await found.sendCommand(.select(aid: "D2760000850101"))
    #expect(try await found.readNDEFBytes() == pattern(50))
    try await other.connect()
    try await found.connect()
    #expect(try await found.readNDEFBytes() == pattern(50))
  }

  // MARK: Ways of real tags

  @Test(
    arguments: [
      ("version 1", configuration { $0.mapping = .version1 }, []),
      ("6CXX at the end", configuration { $0.endOfFile = .exactLength }, []),
      ("short at the end", configuration { $0.endOfFile = .shortAnswer }, []),
      ("6282 at the end", configuration { $0.endOfFile = .warning }, []),
      ("by GET RESPONSE", configuration { _ in }, .answersByGetResponse),
      ("exact Le", configuration { _ in }, .insistsOnExactLength),
      (
        "small commands",
        configuration {
          $0.maximumReadLength = 0x0F
          $0.maximumUpdateLength = 0x01
        }, []
      ),
      (
        "more than a short command carries",
        configuration {
          $0.maximumReadLength = 0xFFFF
          $0.maximumUpdateLength = 0xFFFF
        }, []
      ),
      (
        "a proprietary file",
        configuration { $0.proprietaryFiles = [.init(identifier: 0xE105, content: [1, 2, 3])] }, []
      ),
      ("another identifier", configuration { $0.fileIdentifier = 0x1234 }, []),
      ("a long wait", configuration { $0.updateTimeExtensions = [2, 3] }, []),
      ("version 3", configuration { $0.mapping = .version3 }, []),
      (
        "a full file", configuration { $0.fileSize = 62 }, .insistsOnExactLength
      ),
    ] as [(String, Type4Application.Configuration, ISO7816Card.Quirks)])
  func readsAndWrites(
    _ name: String, _ configuration: Type4Application.Configuration, _ quirks: ISO7816Card.Quirks
  ) async throws {
    let old = pattern(58)
    let virtual = try VirtualTag.type4(ndef: old, configuration: configuration, quirks: quirks)
    let bench = try await NDEFBench(virtual)
    #expect(try await bench.connected().readNDEFBytes() == old)
    let new = pattern(41, seed: 99)
    try await bench.connected().writeNDEFBytes(new, verify: true)
    #expect(try await bench.connected().readNDEFBytes() == new)
    if let proprietary = configuration.proprietaryFiles.first {
      #expect(virtual.memory.suffix(3).elementsEqual(proprietary.content))
    }
  }

  /// Beyond offset 7FFF mapping version 3 goes by data objects.
  @Test func aFileThatShortOffsetsDoNotReach() async throws {
    let configuration = Self.configuration {
      $0.mapping = .version3
      $0.fileSize = 34_000
    }
    let old = pattern(33_500)
    let bench = try await NDEFBench(try .type4(ndef: old, configuration: configuration))
    let tag = try await bench.connected()
    #expect(try await tag.queryNDEFStatus() == NDEFStatus(access: .readWrite, capacity: 33_996))
    #expect(try await tag.readNDEFBytes() == old)
    var new = old + [1, 2, 3]
    new[33_000] ^= 0xFF
    new[32_766] ^= 0xFF
    try await tag.writeNDEFBytes(new, verify: false)
    #expect(try await bench.connected().readNDEFBytes() == new)
  }

  @Test func aFileThatNoOffsetReaches() async throws {
    let configuration = Self.configuration { $0.fileSize = 0xFFFE }
    let old = pattern(100)
    let virtual = try VirtualTag.type4(ndef: old, configuration: configuration)
    let bench = try await NDEFBench(virtual)
    #expect(try await bench.connected().queryNDEFStatus().capacity == 0x7FFE)
    #expect(try await bench.connected().readNDEFBytes() == old)
    var memory = virtual.memory
    memory[15] = 0x90
    virtual.memory = memory
    try await bench.expectRefusal(.unsupported, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
  }

  @Test func chipsThatAreTagsFromTheFactory() async throws {
    let content = pattern(100)
    let models = [DESFireModel.ntag413, .light, .ev1, .ev2, .ev3]
    for virtual in try models.map({ try VirtualTag.desfire($0, ndef: content) })
      + [.ntag424(ndef: content)]
    {
      let bench = try await NDEFBench(virtual)
      let tag = try await bench.connected()
      #expect(try await tag.readNDEFBytes() == content, "\(virtual.name)")
      try await tag.writeNDEFBytes(pattern(90, seed: 3), verify: true)
      #expect(try await bench.connected().readNDEFBytes() == pattern(90, seed: 3))
      // The container wants a key to be changed.
      try await bench.expectRefusal(.unsupported) { try await $0.makeReadOnly() }
    }
  }

  // MARK: Tearing

  @Test(arguments: [(40, 60), (300, 290), (260, 261), (0, 300), (70, 0)])
  func neverAMixture(_ old: Int, _ new: Int) async throws {
    var tags = [VirtualTag.type4()]
    if new == 60 || old == 0 { tags += [.type4B(), .desfire()] }
    for tag in tags {
      let count = try await NDEFBench(tag).tearEveryExchange(
        from: pattern(old), to: pattern(new, seed: 90))
      #expect(count > 4)
    }
  }

  // MARK: Refusals

  @Test func accessConditions() async throws {
    for access: UInt8 in [0xFF, 0x80, 0xFE, 0x01] {
      let bench = try await NDEFBench(
        try .type4(
          ndef: pattern(40), configuration: Self.configuration { $0.writeAccess = access }))
      #expect(
        try await bench.connected().queryNDEFStatus()
          == NDEFStatus(access: .readOnly, capacity: 2046))
      #expect(try await bench.connected().readNDEFBytes() == pattern(40))
      try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
      try await bench.expectRefusal(.readOnly) { try await $0.formatNDEF() }
    }
    let bench = try await NDEFBench(
      try .type4(ndef: pattern(40), configuration: Self.configuration { $0.readAccess = 0x80 }))
    try await bench.expectRefusal(.notAuthenticated, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
  }

  @Test func refusesWhatDoesNotFit() async throws {
    let bench = try await NDEFBench(try .type4(ndef: pattern(40)))
    try await bench.expectRefusal(.capacityExceeded) {
      try await $0.writeNDEFBytes(pattern(2047), verify: false)
    }
  }

  @Test func aLengthBeyondTheFile() async throws {
    let virtual = try VirtualTag.type4(ndef: pattern(40))
    var memory = virtual.memory
    memory.replaceSubrange(15..<17, with: [0x07, 0xFF])
    virtual.memory = memory
    let bench = try await NDEFBench(virtual)
    try await bench.expectRefusal(.malformedContent, at: .file(0xE104)) {
      _ = try await $0.readNDEFBytes()
    }
    // It can be written all the same.
    try await bench.connected().writeNDEFBytes(pattern(600), verify: true)
    #expect(try await bench.connected().readNDEFBytes() == pattern(600))
  }

  @Test func cardsWithoutTheApplication() async throws {
    for virtual in [
      VirtualTag.type4(formatted: false), .type4B(formatted: false), .emrtd(),
      .desfire(.light, formatted: false),
    ] {
      let bench = try await NDEFBench(virtual)
      #expect(try await bench.connected().queryNDEFStatus() == .notSupported)
      try await bench.expectRefusal(.notNDEF) { _ = try await $0.readNDEFBytes() }
      try await bench.expectRefusal(.notNDEF) { try await $0.writeNDEFBytes([1], verify: false) }
      try await bench.expectRefusal(.unsupported) { try await $0.formatNDEF() }
    }
  }

  // MARK: Format and lock

  @Test func formatIsEmptyingWhereThereIsAnApplication() async throws {
    let bench = try await NDEFBench(try .type4(ndef: pattern(40)))
    try await bench.connected().formatNDEF()
    #expect(try await bench.connected().readNDEFBytes() == nil)
    try await bench.expectRefusal(.unsupported, at: .file(0xE103)) { try await $0.makeReadOnly() }
    #expect(try await bench.connected().queryNDEFStatus().access == .readWrite)
  }

  @Test(.asking(.accessRights)) func formatsAndLocksDESFire() async throws {
    for model in [DESFireModel.ev1, .ev2, .ev3] {
      let virtual = VirtualTag.desfire(model, formatted: false)
      let bench = try await NDEFBench(virtual)
      let tag = try await bench.connected()
      #expect(try await tag.queryNDEFStatus() == .notSupported)
      try await tag.formatNDEF()
      let status = try await tag.queryNDEFStatus()
      #expect(status.access == .readWrite)
      #expect(status.capacity > 4000)
      let content = pattern(700)
      try await bench.connected().writeNDEFBytes(content, verify: true)
      #expect(try await bench.connected().readNDEFBytes() == content)
      try await bench.connected().makeReadOnly()
      #expect(try await bench.connected().queryNDEFStatus().access == .readOnly)
      #expect(try await bench.connected().readNDEFBytes() == content)
      try await bench.expectRefusal(.readOnly) { try await $0.writeNDEFBytes([1], verify: false) }
      // Not by word of the container alone: the file itself takes nothing any more.
      let card = try await bench.bench.tag(.iso14443).miFare
      _ = try await card.sendCommand(.select(aid: "D2760000850101"))
      for (command, status) in [
        ("00A4000C02E104", 0x9000), ("00D6000001AA", 0x6982), ("00A4000C02E103", 0x9000),
        ("00D6000E0100", 0x6982),
      ] {
        let apdu = try #require([UInt8](hexadecimal: command).flatMap { APDU($0) })
        #expect(try await card.sendCommand(apdu).statusWord == UInt16(status))
      }
    }
  }

  /// An application with the name for NDEF whose file 1 is not the capability container keeps that file.
  @Test func formatKeepsFilesOfOthers() async throws {
    let content: [UInt8] = Array("a file of somebody else".utf8)
    let bench = try await NDEFBench(.desfire(formatted: false))
    let card = try await bench.bench.tag(.iso14443).miFare
    let aid: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
    let readFile = [0xBD, 1, 0, 0, 0, UInt8(content.count), 0, 0]
    let commands: [[UInt8]] = [
      [0xCA, 1, 0, 0, 0x0F, 0x21, 0x10, 0xE1] + aid, [0x5A, 1, 0, 0],
      [0xCD, 1, 0x04, 0xE1, 0, 0xEE, 0xEE, 0x40, 0, 0],
      [0x3D] + readFile.dropFirst() + content,
    ]
    for command in commands {
      #expect(try await card.sendMiFareCommand(command) == [0])
    }
    try await bench.expectRefusal(.unsupported) { try await $0.formatNDEF() }
    let again = try await bench.bench.tag(.iso14443).miFare
    #expect(try await again.sendMiFareCommand([0x5A, 1, 0, 0]) == [0])
    #expect(try await again.sendMiFareCommand(readFile) == [0] + content)
  }

  /// A card that is torn away while it is being formatted or locked: the same again completes it.
  @Test(.asking(.accessRights)) func tornFormatAndLockAreCompleted() async throws {
    let bench = try await NDEFBench(.desfire(formatted: false))
    let format = try await bench.connected()
    let exchanges = try await bench.bench.counting { try await format.formatNDEF() }.exchanges
    for moment in 0..<exchanges {
      let bench = try await NDEFBench(.desfire(formatted: false))
      let torn = try await bench.connected()
      bench.bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect(throws: NFCError.self) { try await torn.formatNDEF() }
      bench.bench.virtual.setFaults([])
      bench.bench.field.place(bench.tag)
      let ndef = try await bench.connected()
      try await ndef.formatNDEF()
      try await ndef.writeNDEFBytes(pattern(80), verify: true)
      bench.bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      try? await ndef.makeReadOnly()
      bench.bench.virtual.setFaults([])
      bench.bench.field.place(bench.tag)
      let again = try await bench.connected()
      #expect(try await again.readNDEFBytes() == pattern(80))
      try await again.makeReadOnly()
      #expect(try await again.queryNDEFStatus().access == .readOnly)
      // Both files take nothing any more, whatever the container says.
      let card = try await bench.bench.tag(.iso14443).miFare
      _ = try await card.sendCommand(.select(aid: "D2760000850101"))
      for command in ["00A4000C02E104", "00D6000001AA", "00A4000C02E103", "00D6000E0100"] {
        let apdu = try #require([UInt8](hexadecimal: command).flatMap { APDU($0) })
        let status = command.hasPrefix("00D6") ? 0x6982 : 0x9000
        #expect(try await card.sendCommand(apdu).statusWord == UInt16(status))
      }
    }
  }
}
