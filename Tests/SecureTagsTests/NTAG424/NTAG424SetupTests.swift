import NFC
import SUNMessage
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests links on a virtual NTAG 424 DNA, through the real libnfc.
@Suite(.replayed) struct NTAG424SetupTests {
  struct Form: Sendable, CustomTestStringConvertible {
    let template: String
    var input = SUNMACInput.automatic
    var fileData = ""
    var piccKey = 2
    var macKey = 1
    /// The beginning of the part of the link that the MAC covers.
    var covered = ""
    var testDescription: String { "\(template) \(input)" }
  }

  @Test(arguments: [
    Form(template: "https://a.example/?p={picc}&c={mac}"),
    Form(
      template: "https://www.a.example/?p={picc}&c={mac}", input: .link, covered: "a.example/?p="),
    Form(template: "http://a.example/{uid}/{counter}/{mac}", input: .firstMirror, covered: "04634"),
    Form(template: "https://a.example/?c={mac}&u={uid}", piccKey: 0, macKey: 0),
    Form(template: "https://a.example/?n={ctr}&c={mac}", macKey: 4),
    Form(
      template: "https://a.example/?p={picc}&e={enc}&c={mac}", fileData: "Good-morning", macKey: 3),
    Form(
      template: "lnurlw://a.example/?e={enc:32}&p={picc}&c={mac}x", input: .offset(0),
      fileData: "abcdefghijklmnopqrstuvwxyz123456", covered: "lnurlw://"),
  ])
  func signedLink(_ form: Form) async throws {
    let bench = try await NTAG424Bench()
    let link = try NTAG424Link(form.template) {
      $0.macInput = form.input
      $0.fileData = Array(form.fileData.utf8)
      $0.metaReadKey = form.piccKey
      $0.fileReadKey = form.macKey
    }
    let newKeys = [1: try aes(1), 2: try aes(2), 3: try aes(3), 4: try aes(4)]
    let setup = NTAG424Setup(link: link, newKeys: newKeys)
    let chip = try await bench.chip()
    let plan = try await chip.plan(setup)
    let before = try bench.state
    #expect(before.keys == NTAG424().keys)
    #expect(before.memory == NTAG424().memory)
    #expect(try await chip.setUp(setup).steps == plan.steps)
    var links: Set<String> = []
    for count in 1...2 {
      let text = try #require(try await bench.link())
      // A UID without a counter is always the same.
      #expect(links.insert(text).inserted || form.template == "https://a.example/?c={mac}&u={uid}")
      let reading = try SUNMessage(url: text, template: link.template).verified(
        metaReadKey: try sunKey(UInt8(form.piccKey)), fileReadKey: try sunKey(UInt8(form.macKey)))
      #expect(reading.uid == (form.template.contains("{ctr}") ? nil : bench.tag.identifier))
      #expect(reading.readCounter.map { $0 >= count } ?? form.template.contains("{uid}"))
      #expect(reading.authenticatedText.hasPrefix(form.covered))
      #expect(reading.fileData.map { $0.starts(with: form.fileData.utf8) } ?? form.fileData.isEmpty)
    }
    // A tag that is already set up does not change, and only key 0 can write it.
    #expect(try await bench.chip().plan(setup).steps.isEmpty)
    await #expect(throws: NFCError.self) {
      try await bench.found().ndef?.writeNDEF(NDEFMessage(URIRecord("https://b.example").record))
    }
    await bench.close()
  }

  /// Eight exchanges for a new tag: SELECT, two to authenticate, settings, content, data, settings,
  /// length.
  @Test func exchanges() async throws {
    let bench = try await NTAG424Bench()
    let chip = try await bench.chip()
    bench.virtual.setFaults([])
    try await chip.setUp(
      NTAG424Setup(link: NTAG424Link("https://a.example/?p={picc}&c={mac}")))
    #expect(bench.virtual.statistics.commands == 8)
    await bench.close()
  }

  // MARK: Tearing

  private func torn(_ effect: Fault.Effect) async throws {
    let bench = try await NTAG424Bench()
    let old = NTAG424Setup(link: try NTAG424Link("https://old.example/{uid}/{counter}/{mac}"))
    try await bench.chip().setUp(old)
    let start = try bench.state
    let new = NTAG424Setup(
      link: try NTAG424Link("https://new.example/?p={picc}&c={mac}"),
      newKeys: [0: try aes(9, version: 7), 1: try aes(1), 2: try aes(2)])
    let whole = try await bench.chip()
    bench.virtual.setFaults([])
    try await whole.setUp(new)
    let count = bench.virtual.statistics.exchanges
    let end = try bench.state
    #expect(count > 12)
    #expect(end.keyVersions == [7, 1, 1, 0, 0])
    for moment in 0..<count {
      bench.restore(start)
      bench.field.place(bench.tag)
      let chip = try await bench.chip()
      bench.virtual.setFaults([Fault(effect, at: .exchange(moment))])
      do {
        try await chip.setUp(new)
      } catch let error as NFCError {
        #expect(error.group == .connection, "\(moment): \(error)")
      }
      bench.virtual.setFaults([])
      bench.field.place(bench.tag)
      // The old link, none, or the new one.
      let link = try await bench.link()
      let isWhole =
        link == nil || link?.hasPrefix("https://old.example/0463474AA26A80/") == true
        || link?.hasPrefix("https://new.example/?p=") == true
          && link?.contains(String(repeating: "0", count: 16)) == false
      #expect(isWhole, "\(moment): \(link ?? "")")
      try await bench.chip().setUp(new)
      let after = try bench.state
      #expect(after.keys == end.keys, "\(moment)")
      #expect(after.keyVersions == end.keyVersions, "\(moment)")
      #expect(after.fileSettings == end.fileSettings, "\(moment)")
      #expect(after.memory == end.memory, "\(moment)")
    }
    await bench.close()
  }

  @Test func tornAwayAtEveryExchange() async throws { try await torn(.tagLeaves) }

  @Test func answerLostAtEveryExchange() async throws { try await torn(.answerLost) }

  // MARK: Keys

  @Test func wrongKeysCostOneAttempt() async throws {
    let bench = try await NTAG424Bench()
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}")
    let before = try bench.state
    let error = await #expect(throws: NFCError.self) {
      try await bench.chip().setUp(NTAG424Setup(link: link, keys: [0: aes(9)]))
    }
    #expect(error?.code == .authenticationFailed)
    #expect(error?.reason.contains("counted") == true)
    var state = try bench.state
    #expect(state.failedAuthentications == [1, 0, 0, 0, 0])
    #expect(state.memory == before.memory && state.keys == before.keys)
    // A wrong old key does not count as an attempt: the tag refuses the change because of its check.
    let second = await #expect(throws: NFCError.self) {
      try await bench.chip().setUp(
        NTAG424Setup(link: link, keys: [0: .factory(.aes), 3: aes(5)], newKeys: [3: aes(3)]))
    }
    #expect(second?.code == .authenticationFailed)
    #expect(second?.reason.contains("key 3") == true)
    state = try bench.state
    #expect(state.keys == before.keys)
    #expect(state.memory == before.memory)
    // The driver waits for a tag that delays authentications.
    var delayed = state
    delayed.pendingDelays = 3
    bench.restore(delayed)
    try await bench.chip().setUp(NTAG424Setup(link: link))
    // So does the one of cards.
    delayed = try bench.state
    delayed.pendingDelays = 3
    bench.restore(delayed)
    try await DESFireCard(bench.found()).application(.fixed).authenticate(0, .factory(.aes))
    #expect(try bench.state.pendingDelays == 0)
    await bench.close()
  }

  /// A link that is signed with a key that nobody has is useless: its keys are checked first.
  @Test func keysOfTheLinkAreChecked() async throws {
    let bench = try await NTAG424Bench()
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}")
    let before = try bench.state
    for number in [1, 2] {
      let error = await #expect(throws: NFCError.self) {
        try await bench.chip().setUp(
          NTAG424Setup(link: link, keys: [0: .factory(.aes), number: aes(5)]))
      }
      #expect(error?.code == .authenticationFailed)
      #expect(error?.reason.contains("key \(number)") == true)
      let state = try bench.state
      #expect(state.memory == before.memory && state.fileSettings == before.fileSettings)
      #expect(state.failedAuthentications[number] == 1)
    }
    // A key that the link does not use costs nothing.
    let keys = try [0: DESFireKey.factory(.aes), 1: .factory(.aes), 2: .factory(.aes), 3: aes(5)]
    try await bench.chip().setUp(NTAG424Setup(link: link, keys: keys))
    #expect(try bench.state.failedAuthentications[3] == 0)
    #expect(try await bench.link()?.hasPrefix("https://a.example/?p=") == true)
    await bench.close()
  }

  /// Keys are changed one by one. A new key with the version of the old one is distinguished by
  /// authentication.
  @Test func keysAreChanged() async throws {
    let bench = try await NTAG424Bench()
    let chip = try await bench.chip()
    try await chip.authenticate(0, .factory(.aes))
    try await chip.changeKey(4, from: .factory(.aes), to: aes(4, version: 9))
    #expect(try await chip.keyVersion(4) == 9)
    await #expect(throws: NFCError.self) {
      try await chip.changeKey(5, from: .factory(.aes), to: aes(4))
    }
    // The refusal has ended the session.
    try await chip.authenticate(0, .factory(.aes))
    try await chip.changeKey(0, from: nil, to: aes(6))
    await #expect(throws: NFCError.self) { try await chip.card.cardUID() }
    try await chip.authenticate(0, aes(6))
    #expect(try await chip.card.cardUID() == bench.tag.identifier)
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}")
    let setup = NTAG424Setup(
      link: link, keys: [0: try aes(6)], newKeys: [1: try aes(1, version: 0)])
    try await bench.chip().setUp(setup)
    #expect(try bench.state.keys[1] == [UInt8](repeating: 1, count: 16))
    #expect(try await bench.chip().plan(setup).steps.isEmpty)
    await bench.close()
  }

  // MARK: Rights

  @Test func rightsDecide() async throws {
    let bench = try await NTAG424Bench()
    let chip = try await bench.chip()
    try await chip.authenticate(0, .factory(.aes))
    var settings = try await chip.fileSettings(2)
    #expect(settings.rights == DESFireAccessRights(0xEEE0))
    // Only key 3 changes the settings of the file, and nobody writes.
    settings.rights = DESFireAccessRights(0xEFF3)
    try await chip.changeFileSettings(
      2, communication: settings.communication, rights: settings.rights)
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}")
    let before = try bench.state
    let error = await #expect(throws: NFCError.self) {
      try await bench.chip().setUp(NTAG424Setup(link: link))
    }
    #expect(error?.code == .notAuthenticated)
    #expect(try bench.state.fileSettings == before.fileSettings)
    try await bench.chip().setUp(NTAG424Setup(link: link, keys: [3: .factory(.aes)]))
    #expect(try await bench.link()?.hasPrefix("https://a.example/?p=") == true)
    // Nobody has the right.
    let owner = try await bench.chip()
    try await owner.authenticate(0, .factory(.aes))
    settings = try await owner.fileSettings(2)
    settings.rights.change = .nobody
    try await owner.changeFileSettings(
      2, communication: settings.communication, rights: settings.rights)
    let last = await #expect(throws: NFCError.self) {
      try await bench.chip().setUp(
        NTAG424Setup(link: NTAG424Link("https://b.example/?p={picc}&c={mac}")))
    }
    #expect(last?.code == .readOnly)
    await bench.close()
  }

  @Test func counterAndLimit() async throws {
    let bench = try await NTAG424Bench()
    let link = try NTAG424Link("https://a.example/?p={picc}&c={mac}") { $0.counterLimit = 2 }
    try await bench.chip().setUp(NTAG424Setup(link: link))
    let chip = try await bench.chip()
    try await chip.authenticate(1, .factory(.aes))
    #expect(try await chip.readCounter() == 0)
    let settings = try await chip.fileSettings(2)
    #expect(settings.dynamicMessaging == link.dynamicMessaging)
    #expect(settings.dynamicMessaging?.counterLimit == 2)
    // The data of the proprietary file is encrypted.
    try await chip.authenticate(3, .factory(.aes))
    try await chip.writeData(file: 3, offset: 10, [1, 2, 3])
    #expect(try await chip.readData(file: 3, offset: 9, count: 5) == [0, 1, 2, 3, 0])
    await #expect(throws: NFCError.self) { try await chip.readData(file: 3, offset: 120, count: 9) }
    await bench.close()
  }

  /// A DESFire Light has the same commands, and no link.
  @Test func otherTags() async throws {
    let field = VirtualField()
    field.place(try .named("desfire-light"))
    let virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(virtual.connectionString)
    for try await tag in reader.tags(polling: .iso14443) {
      try await tag.connect()
      let application = try await DESFireCard(tag).application(.fixed)
      let setup = NTAG424Setup(link: try NTAG424Link("https://a.example/?p={picc}&c={mac}"))
      for change in [
        { _ = try await application.plan(setup) }, { try await application.setUp(setup) },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: NFCError.self) { try await change() }
        #expect(error?.code == .unsupported)
      }
      break
    }
    await reader.close()
    virtual.close()
  }

  /// The same tests over PC/SC.
  @Test func overPCSC() async throws {
    let field = VirtualField()
    let tag = VirtualTag.ntag424()
    field.place(tag)
    let virtual = VirtualPCSCReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(over: { virtual.service() })
    let link = try NTAG424Link("https://a.example/?p={picc}&e={enc}&c={mac}")
    let setup = NTAG424Setup(link: link, newKeys: [0: try aes(9), 1: try aes(1), 2: try aes(2)])
    for try await found in reader.tags(polling: .iso14443) {
      try await found.connect()
      try await DESFireCard(found).application(.fixed).setUp(setup)
      let record = try #require(try await found.ndef?.readNDEF()?.records.first)
      let uri = try #require(try record.decoded as? URIRecord).uri
      let reading = try SUNMessage(url: uri, template: link.template).verified(
        metaReadKey: try sunKey(2), fileReadKey: try sunKey(1))
      #expect(reading.uid == tag.identifier)
      break
    }
    await reader.close()
  }
}
