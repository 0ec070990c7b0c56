import NFC
import PassMessage
import Recordings
import Synchronization
import Testing
import VirtualNFC

@testable import NFCPasses

/// Passes of virtual phones, which share no code with the reader that decides what a byte means.
@Suite struct PassReadingTests {
  private static let passType = "pass.com.example.card"
  static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  private static func key() throws -> MerchantKey {
    try MerchantKey(
      number: bytes("1F2E3D4C5B6A79880796A5B4C3D2E1F00112233445566778899AABBCCDDEEFF0"))
  }
  /// The published key of Google's demonstration collector (google-wallet/smart-tap-sample-app).
  private static func collector(_ identifier: UInt32 = 20_180_608) throws -> SmartTapCollector {
    SmartTapCollector(
      identifier: identifier,
      key: try MerchantKey(
        pem: """
          -----BEGIN EC PRIVATE KEY-----
          MHcCAQEEIIJtF+UHZ7FlsOTZ4zL40dHiAiQoT7Ta8eUKAyRucHl9oAoGCCqGSM49
          AwEHoUQDQgAEchyXj869zfmKhRi9xP7f2AK07kEo4lE7ZlWTN14jh4YBTny+hRGR
          XcUzevV9zSSPJlPHpqqu5pEwlv1xyFvE1w==
          -----END EC PRIVATE KEY-----
          """), keyVersion: 1)
  }

  private static func request(
    _ passTypes: [String] = [passType], collector: SmartTapCollector? = nil,
    broadcasts: Bool = true
  ) throws -> PassRequest {
    let key = try key()
    return PassRequest(
      applePasses: passTypes.map { .init(passType: $0, key: key) }, collector: collector,
      broadcasts: broadcasts)
  }

  /// The first events of a phone in the field of a reader.
  private func events(
    _ request: PassRequest, of phone: WalletPhone, count: Int = 1
  ) async throws -> [PassEvent] {
    let field = VirtualField()
    field.place(VirtualTag(phone))
    let virtual = try VirtualReader(field)
    let reader = try await Reader.open(virtual.connectionString)
    var events: [PassEvent] = []
    for try await event in reader.passes(request) {
      events.append(event)
      if events.count == count { break }
    }
    #expect(reader.pollingFrames.isEmpty)
    await reader.close()
    virtual.close()
    return events
  }

  private func pass(_ event: PassEvent?) throws -> Pass {
    guard case .pass(let pass)? = event else { throw Unexpected(event: event) }
    return pass
  }

  private struct Unexpected: Error { let event: PassEvent? }

  // MARK: Apple

  @Test(arguments: [WalletPhone.Readiness.afterFrame, .chosen])
  func anApplePass(_ readiness: WalletPhone.Readiness) async throws {
    var behavior = AppleWallet.Behavior()
    behavior.token = [1, 2, 3]
    let request = try Self.request(broadcasts: readiness == .afterFrame)
    let pass = try pass(
      await events(request, of: .apple(readiness, behavior: behavior)).first)
    #expect(pass.wallet == .apple && pass.text == "4711" && pass.passType == Self.passType)
    #expect(pass.keyIdentifier == Self.bytes("8BE590BC") && pass.token == [1, 2, 3])
    #expect(abs(pass.age ?? 100) < 5)
    #expect(!"\(pass) \(String(reflecting: pass))".contains("4711"))
  }

  @Test func theSecondMethodOfDerivation() async throws {
    var behavior = AppleWallet.Behavior()
    behavior.usesSecondMethod = true
    let phone = WalletPhone.apple(behavior: behavior)
    #expect(try pass(await events(try Self.request(), of: phone).first).text == "4711")
  }

  @Test func passTypesAreAskedForInOrder() async throws {
    let request = try Self.request(["pass.com.other", Self.passType])
    #expect(try pass(await events(request, of: .apple()).first).passType == Self.passType)
  }

  @Test func twoTapsAreTwoPasses() async throws {
    let found = try await events(try Self.request(), of: .apple(), count: 2)
    #expect(found.allSatisfy { if case .pass = $0 { true } else { false } })
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let name: String
    var passType = PassReadingTests.passType
    var change: @Sendable (inout AppleWallet.Behavior) -> Void = { _ in }
    let fits: @Sendable (PassRefusal) -> Bool
    var testDescription: String { name }
  }

  static let refused: [Refused] = [
    Refused(name: "no such pass", passType: "pass.none") { $0 == .noSuchPass },
    Refused(name: "another key", passType: "pass.com.passkit.pksamples.nfcdemo") {
      $0 == .content(.otherKey(identifier: bytes("C0B77375")))
    },
    Refused(name: "forged tag", change: { $0.forgesTag = true }) { $0 == .content(.wrongTag) },
    Refused(name: "too old", change: { $0.clockDifference = -60 }) {
      if case .time(.tooOld) = $0 { true } else { false }
    },
    Refused(name: "from the future", change: { $0.clockDifference = 60 }) {
      if case .time(.fromTheFuture) = $0 { true } else { false }
    },
    Refused(name: "empty answer", change: { $0.answer = [] }) { $0 == .malformedAnswer },
    Refused(name: "short cryptogram", change: { $0.answer = bytes("70079F2A009F270100") }) {
      $0 == .content(.tooShort(1))
    },
    Refused(name: "a recorded answer of long ago", change: { $0.answer = bytes(recorded) }) {
      if case .time(.tooOld) = $0 { true } else { false }
    },
  ]

  /// 700000000 s, 4711: constructed for this pass type and key.
  private static let recorded =
    "70429F2A009F273C"
    + "8be590bc19962c1db43584d71435d1b44224dd62a00c0359c0a53875179e71ad38eaf6d8605fbcce42081529f70f79fdd34b8a27417ef2bf1f49e5f8"

  @Test(arguments: refused) func aRefusedPass(_ refused: Refused) async throws {
    var behavior = AppleWallet.Behavior()
    refused.change(&behavior)
    let found = try await events(
      try Self.request([refused.passType]), of: .apple(behavior: behavior)
    ).first
    guard case .refused(let refusal)? = found else { throw Unexpected(event: found) }
    #expect(refused.fits(refusal), "\(refusal)")
    #expect(!refusal.description.contains("4711"))
  }

  @Test(
    arguments: [0x6700, 0x6A80, 0x6B00, 0x6340, 0x6982, 0x6A81, 0x6A82, 0x6110] as [UInt16])
  func aStatusWord(_ word: UInt16) async throws {
    var behavior = AppleWallet.Behavior()
    behavior.statusWords = [word]
    let found = try await events(try Self.request(), of: .apple(behavior: behavior)).first
    #expect(found == .refused(.status(StatusWord(rawValue: word))))
  }

  @Test(arguments: [(0x6287, .locked), (0x6984, .choose)] as [(UInt16, PassEvent.Reason)])
  func aPhoneThatWaitsSaysSoOnceAndAnswersAgain(
    _ word: UInt16, _ reason: PassEvent.Reason
  ) async throws {
    var behavior = AppleWallet.Behavior()
    behavior.statusWords = [word, word, word]
    let found = try await events(
      try Self.request(["pass.com.other", Self.passType]), of: .apple(behavior: behavior), count: 2)
    #expect(found.first == .waiting(reason))
    #expect(try pass(found.last).text == "4711")
  }

  @Test func anAnswerThatIsSentAgainIsRefused() async throws {
    var behavior = AppleWallet.Behavior()
    behavior.repeatsItself = true
    let found = try await events(try Self.request(), of: .apple(behavior: behavior), count: 2)
    #expect(try pass(found.first).text == "4711")
    #expect(found.last == .refused(.time(.repeated)))
  }

  /// SELECT, one request, and the activation before them.
  @Test func exchangesOfATap() async throws {
    let field = VirtualField()
    field.place(VirtualTag(WalletPhone.apple(.chosen)))
    let sent = Mutex<[RadioFrame]>([])
    let virtual = try VirtualReader(field) { event in
      if case .sent(let frame) = event { sent.withLock { $0.append(frame) } }
    }
    let reader = try await Reader.open(virtual.connectionString)
    for try await event in reader.passes(try Self.request(broadcasts: false)) {
      _ = try pass(event)
      break
    }
    let blocks = sent.withLock { $0 }.filter { [0x02, 0x03].contains($0.bytes.first ?? 0) }
    #expect(blocks.count == 2)
    // The class, and the hash of the pass type as it is asked for.
    #expect(blocks.last?.bytes.dropFirst().starts(with: [0x80, 0xCA, 0x01, 0x01, 0x36]) ?? false)
    await reader.close()
    virtual.close()
  }

  @Test func aPhoneThatLeavesEarlyIsReadLater() async throws {
    let field = VirtualField()
    let phone = VirtualTag(WalletPhone.apple(.chosen))
    let virtual = try VirtualReader(field)
    let reader = try await Reader.open(virtual.connectionString)
    virtual.setFaults([Fault(.tagLeaves, at: .exchange(6))])
    field.place(phone)
    let request = try Self.request(broadcasts: false)
    var iterator = reader.passes(request).makeAsyncIterator()
    let first = Task {
      try await Task.sleep(for: .seconds(1))
      field.remove(phone)
      virtual.setFaults([])
      field.place(phone)
    }
    var event = try await iterator.next()
    if case .lost? = event { event = try await iterator.next() }
    #expect(try pass(event).text == "4711")
    try await first.value
    await reader.close()
    virtual.close()
  }

  @Test func aCardThatIsNotAPhoneIsPassedOver() async throws {
    let field = VirtualField()
    field.place(.type4())
    field.place(VirtualTag(WalletPhone.apple()))
    let virtual = try VirtualReader(field)
    let reader = try await Reader.open(virtual.connectionString)
    for try await event in reader.passes(try Self.request()) {
      #expect(try pass(event).text == "4711")
      break
    }
    await reader.close()
    virtual.close()
  }

  @Test func waitingIsCancelled() async throws {
    let virtual = try VirtualReader(VirtualField())
    let reader = try await Reader.open(virtual.connectionString)
    let request = try Self.request()
    let wait = Task { for try await _ in reader.passes(request) {} }
    try await Task.sleep(for: .milliseconds(200))
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
    #expect(reader.pollingFrames.isEmpty)
    await reader.close()
    virtual.close()
  }

  @Test func aReaderThatCannotBroadcast() async throws {
    let virtual = VirtualPCSCReader(VirtualField())
    let reader = try await Reader.open(over: { virtual.service() })
    let error = await #expect(throws: NFCError.self) {
      for try await _ in reader.passes(try Self.request()) {}
    }
    #expect(error?.code == .unsupported)
    await reader.close()
  }

  // MARK: Google

  @Test(arguments: [false, true]) func aGooglePass(_ needsSecondSelection: Bool) async throws {
    var behavior = GoogleWallet.Behavior()
    behavior.needsSecondSelection = needsSecondSelection
    behavior.longestAnswer = needsSecondSelection ? 60 : 240
    behavior.statusWords = needsSecondSelection ? [0x9200] : []
    let request = PassRequest(collector: try Self.collector())
    let pass = try pass(await events(request, of: .google(behavior: behavior)).first)
    #expect(pass.wallet == .google && pass.text == "2018" && pass.kind == "ly")
    #expect(pass.objectIdentifier == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func refusalsOfGoogleWallet() async throws {
    let request = PassRequest(collector: try Self.collector())
    for (word, event) in [
      (0x9001, .refused(.noSuchPass)), (0x9002, .refused(.noSuchPass)),
      (0x9302, .waiting(.choose)), (0x9406, .refused(.status(StatusWord(rawValue: 0x9406)))),
      (0x9500, .refused(.status(StatusWord(rawValue: 0x9500)))),
    ] as [(UInt16, PassEvent)] {
      var behavior = GoogleWallet.Behavior()
      behavior.statusWords = [word]
      #expect(try await events(request, of: .google(behavior: behavior)).first == event)
    }
    var forging = GoogleWallet.Behavior()
    forging.forgesCode = true
    #expect(
      try await events(request, of: .google(behavior: forging)).first
        == .refused(.smartTap(.wrongCode)))
    // Another key, another collector, a phone with the other wallet.
    let other = PassRequest(
      collector: SmartTapCollector(identifier: 20_180_608, key: try Self.key(), keyVersion: 1))
    #expect(
      try await events(other, of: .google()).first
        == .refused(.status(StatusWord(rawValue: 0x9500))))
    #expect(
      try await events(PassRequest(collector: try Self.collector(1)), of: .google()).first
        == .refused(.status(StatusWord(rawValue: 0x9500))))
    #expect(try await events(request, of: .apple()).first == .refused(.noSuchPass))
    #expect(try await events(try Self.request(), of: .google()).first == .refused(.noSuchPass))
  }

  // MARK: Recordings

  /// The content of passes, encrypted or not, is in no recording and no capture; with the secrets, it can be read again.
  @Test func recordings() async throws {
    let token: [UInt8] = Array("owner-token-8842".utf8)
    for revealing in [false, true] {
      var behavior = AppleWallet.Behavior()
      behavior.token = token
      let field = VirtualField()
      field.place(VirtualTag(WalletPhone.apple(behavior: behavior)))
      let virtual = try VirtualReader(field)
      let lines = Mutex("")
      let capture = Mutex<[UInt8]>([])
      let recorder = Recorder(
        revealingSecrets: revealing,
        capture: PacketCapture(since: .zero) { bytes in capture.withLock { $0 += bytes } }
      ) { line in lines.withLock { $0 += line } }
      let reader = try await Reader.open(
        ReaderAddress(virtual.connectionString), through: { recorder.recording($0) })
      for try await event in reader.passes(try Self.request()) {
        #expect(try pass(event).text == "4711")
        break
      }
      await reader.close()
      virtual.close()
      let text = lines.withLock { $0 }
      #expect(text.contains("34373131") == false)
      // The identifier of the key begins each cryptogram.
      #expect(text.contains("8BE590BC") == revealing)
      #expect(capture.withLock { $0.contains(token) } == revealing)
      #expect(text.contains("6F776E65722D746F6B656E") == revealing)
      guard revealing else { continue }
      let replayed = try await ReplayReader(try Recording(text.utf8)).open()
      for try await event in replayed.passes(try Self.request()) {
        #expect(try pass(event).text == "4711")
        break
      }
      await replayed.close()
    }
  }
}
