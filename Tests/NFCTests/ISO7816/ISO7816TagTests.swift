import NFC
import TestSupport
import Testing
import VirtualNFC

/// Takes long commands in parts, gives them back, and holds a file of 600 bytes.
struct EchoApplication: VirtualApplet {
  static let identifier: ApplicationIdentifier = "F04563686F"
  static let file: [UInt8] = (0..<600).map { UInt8(truncatingIfNeeded: $0 * 7) }
  let aid: [UInt8] = EchoApplication.identifier.bytes
  var acceptsCommandChaining = true
  var longestRead = 256
  var waitingTimeExtensions: [UInt8] = []

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = APDU(apdu) else { return [0x67, 0x00] }
    guard command.instructionCode == 0xB0 else { return command.data + [0x90, 0x00] }
    let offset = Int(command.p1) << 8 | Int(command.p2)
    let count = command.expectedLength ?? 0
    guard count <= longestRead else { return [0x67, 0x00] }
    guard offset < Self.file.count else { return [0x6B, 0x00] }
    let part = Self.file[offset...].prefix(count)
    return part + (part.count < count ? [0x62, 0x82] : [0x90, 0x00])
  }

  var tag: VirtualTag {
    VirtualTag(
      ISO7816Card(
        name: "echo", uid: [0x04, 0x31, 0x22, 0x73, 0x9C, 0x64, 0x80], applets: [self]))
  }
}

@Suite(.replayed) struct ISO7816TagTests {
  static let data = (0..<400).map { UInt8(truncatingIfNeeded: $0 * 3) }
  static let echo = APDU(
    instructionClass: 0x00, instructionCode: 0xCB, p1: 0x3F, p2: 0xFF, data: data,
    expectedLength: 65_536)

  private func card(_ bench: Bench) async throws -> any ISO7816Tag {
    let tag = try await bench.tag(.iso14443)
    guard case .iso7816(let card) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    return card
  }

  @Test func chainingAndGetResponse() async throws {
    let bench = try await Bench(EchoApplication().tag)
    let card = try await card(bench)
    let selected = try await card.selectApplication(of: [
      "A0000002471001", EchoApplication.identifier,
    ])
    #expect(selected.aid == EchoApplication.identifier)
    let (answer, commands, _) = try await bench.counting {
      try await card.sendCommand(Self.echo, options: .automatic)
    }
    #expect(answer.isSuccess && answer.data == Self.data)
    // Two parts and one GET RESPONSE; the longer answers take the chip more than one host command.
    #expect(commands >= 3)
    let error = await #expect(throws: NFCError.self) { try await card.sendCommand(Self.echo) }
    #expect(error?.code == .commandTooLong)
  }

  @Test func chainingNotSupported() async throws {
    var application = EchoApplication()
    application.acceptsCommandChaining = false
    let bench = try await Bench(application.tag)
    defer { withExtendedLifetime(bench) {} }
    let card = try await card(bench)
    _ = try await card.selectApplication(of: [EchoApplication.identifier])
    let error = await #expect(throws: NFCError.self) {
      try await card.sendCommand(Self.echo, options: .automatic)
    }
    #expect(error?.code == .unsupported && error?.cause == .statusWord(0x6884))
  }

  @Test(arguments: [256, 100]) func readBinary(_ longestRead: Int) async throws {
    var application = EchoApplication()
    application.longestRead = longestRead
    let bench = try await Bench(application.tag)
    let card = try await card(bench)
    _ = try await card.selectApplication(of: [EchoApplication.identifier])
    #expect(
      try await card.readBinary(file: nil, offset: 0, count: nil) == EchoApplication.file)
    #expect(
      try await card.readBinary(file: nil, offset: 590, count: 100)
        == EchoApplication.file.suffix(10))
  }

  /// A card that returns 15 bytes at most refuses a request for all 17 bytes of its capability container. It must not
  /// be asked for 8 each from then on: a file of 5000 bytes would have too many parts.
  @Test func filesOfACardWithTheShortestReads() async throws {
    var configuration = Type4Application.Configuration()
    configuration.mapping = .version3
    configuration.maximumReadLength = 15
    configuration.fileSize = 5000
    let bench = try await Bench(.type4(configuration: configuration))
    let card = try await card(bench)
    _ = try await card.selectApplication(of: ["D2760000850101"])
    #expect(try await card.readBinary(file: 0xE103, offset: 0, count: 17).count == 17)
    bench.virtual.setFaults([])
    #expect(try await card.readBinary(file: 0xE104, offset: 0, count: 5000).count == 5000)
    #expect(bench.virtual.statistics.exchanges <= 5000 / 15 + 3)
  }

  /// A DESFire takes ISO/IEC 7816-4 as well; an Ultralight does not.
  @Test func commandsOfMIFARETags() async throws {
    let bench = try await Bench(try .desfire(ndef: [0xD0, 0x00, 0x00]))
    let tag = try await bench.tag(.iso14443).miFare
    for options in [APDUOptions.automatic, .raw] {
      let select = APDU.select(aid: "D2760000850101")
      #expect(try await tag.sendCommand(select, options: options).isSuccess)
    }
    // Class 90, of wrapped commands, has no chaining.
    let long = APDU(
      instructionClass: 0x90, instructionCode: 0x3D, p1: 0, p2: 0,
      data: [UInt8](repeating: 0, count: 400))
    let tooLong = await #expect(throws: NFCError.self) {
      try await tag.sendCommand(long, options: .automatic)
    }
    #expect(tooLong?.code == .commandTooLong)
    await bench.reader.close()
    let other = try await Bench(.ultralight())
    let ultralight = try await other.tag(.iso14443).miFare
    let error = await #expect(throws: NFCError.self) {
      try await ultralight.sendCommand(Self.echo, options: .automatic)
    }
    #expect(error?.code == .unsupported)
  }

  @Test func noApplicationAnswers() async throws {
    let bench = try await Bench(EchoApplication().tag)
    defer { withExtendedLifetime(bench) {} }
    let card = try await card(bench)
    let error = await #expect(throws: NFCError.self) {
      try await card.selectApplication(of: ["A0000002471001", "D2760000850101"])
    }
    #expect(error?.code == .wrongTag)
    #expect(error?.reason.contains("D2760000850101: 6A82") == true)
  }

  static let losses: [Fault.Effect] = [.frameLost, .answerLost, .answerBroken, .tagLeaves]

  /// Every loss on the air of a chained command with its GET RESPONSE, and of a file being read: the whole
  /// data or an error, never part of it.
  @Test(arguments: [0, 1, 2, 3, 5, 8], losses)
  func faultsNeverGivePart(_ index: Int, _ loss: Fault.Effect) async throws {
    let bench = try await Bench(EchoApplication().tag)
    let card = try await card(bench)
    _ = try await card.selectApplication(of: [EchoApplication.identifier])
    bench.virtual.setFaults([Fault(loss, at: .exchange(index))])
    let error = await #expect(throws: NFCError.self) {
      let answer = try await card.sendCommand(Self.echo, options: .automatic)
      #expect(answer.data == Self.data)
      bench.virtual.setFaults([Fault(loss, at: .exchange(index))])
      let file = try await card.readBinary(file: nil, offset: 0, count: nil)
      #expect(file == EchoApplication.file)
    }
    #expect(error?.group == .connection)
  }

  /// The chip asks for no block again: MaxRtyCOM of RFConfiguration is 0 unless a host sets it (UM0701-02,
  /// 7.3.1). The first loss is the cause.
  @Test(
    arguments: [
      (Fault.Effect.frameLost, NFCError.Cause.noAnswer), (.answerLost, .noAnswer),
      (.answerBroken, .checksum),
    ], [[], [1], [1, 2]] as [[UInt8]])
  func aLostBlockIsTheCause(
    _ loss: (Fault.Effect, NFCError.Cause), _ extensions: [UInt8]
  ) async throws {
    var application = EchoApplication()
    application.waitingTimeExtensions = extensions
    let bench = try await Bench(application.tag)
    let card = try await card(bench)
    _ = try await card.selectApplication(of: [EchoApplication.identifier])
    let command = APDU(instructionClass: 0, instructionCode: 0xCB, p1: 0, p2: 0, data: [1, 2])
    let (answer, _, exchanges) = try await bench.counting { try await card.sendCommand(command) }
    #expect(answer.data == [1, 2] && exchanges == 1 + extensions.count)
    bench.virtual.setFaults([Fault(loss.0, at: .exchange(extensions.count))])
    let error = await #expect(throws: NFCError.self) { try await card.sendCommand(command) }
    #expect(error?.code == .tagConnectionLost)
    #expect(error?.cause == loss.1)
  }

  /// The same for what goes wrong between host and chip. What is lost there is waited for as long as a card may
  /// compute, by all at once.
  @Test(.notReplayed("readers side by side, in no order"))
  func hostFaultsNeverGivePart() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for effect in [Fault.Effect.replyBroken, .replyLost, .commandBroken, .lineCloses] {
        for index in 0..<3 {
          group.addTask { try await hostFaultNeverGivesPart(index, effect) }
        }
      }
      try await group.waitForAll()
    }
  }

  private func hostFaultNeverGivesPart(_ index: Int, _ effect: Fault.Effect) async throws {
    let bench = try await Bench(EchoApplication().tag)
    let card = try await card(bench)
    _ = try await card.selectApplication(of: [EchoApplication.identifier])
    bench.virtual.setFaults([Fault(effect, at: .command(index))])
    guard case .lineCloses = effect else {
      // READ BINARY is sent once more.
      #expect(try await whole(card) == EchoApplication.file, "\(effect) at \(index)")
      bench.virtual.setFaults((index..<index + 3).map { Fault(effect, at: .command($0)) })
      do {
        #expect(try await whole(card) == EchoApplication.file, "\(effect) from \(index) on")
      } catch let error as NFCError {
        #expect(error.group == .connection, "\(effect) from \(index) on")
      }
      return
    }
    let error = await #expect(throws: NFCError.self, "\(effect) at \(index)") {
      try await whole(card)
    }
    #expect(error?.group == .connection, "\(effect) at \(index)")
  }

  private func whole(_ card: any ISO7816Tag) async throws -> [UInt8] {
    try await card.readBinary(file: nil, offset: 0, count: nil)
  }
}
