import NFC
import SecureTags
import TagImages
import TagTools
import Testing
import VirtualNFC

/// Tests backing up and restoring with public calls only, as a program does it.
@Suite struct BackupTests {
  /// A tag on a reader in this process.
  struct Bench {
    let tag: VirtualTag
    let direct = DirectReader(VirtualField())
    let reader: Reader

    init(_ name: String) async throws { try await self.init(.named(name)) }

    init(_ tag: VirtualTag) async throws {
      self.tag = tag
      direct.field.place(tag)
      reader = try await direct.open()
    }

    /// Returns the tag after it was found again.
    func found() async throws -> DetectedTag {
      direct.setFaults([])
      direct.field.place(tag)
      let found = try await reader.firstTag(within: .seconds(10))
      try await found.connect()
      return found
    }

    func write(_ text: String) async throws {
      try await #require(try await found().ndef).writeNDEF(NDEFMessage(.text(text)))
    }
  }

  static let names = [
    "ntag213", "ntag216", "ultralight", "ultralight-c", "classic-1k", "classic-4k", "icode-slix2",
    "st25dv", "felica-lite", "type3", "desfire", "type4", "topaz96", "topaz512",
  ]

  /// The tag is as it was, bit by bit; restoring it again does nothing.
  @Test(arguments: names) func restoresWhatWasBackedUp(_ name: String) async throws {
    let bench = try await Bench(name)
    try await bench.write("the first message")
    let before = bench.tag.memory
    let backup = try await bench.found().readImage()
    #expect(backup.missing == nil)
    let image = try Self.throughAFile(backup.image)
    try await bench.write("another message, which is longer")
    #expect(bench.tag.memory != before)

    let tag = try await bench.found()
    let restoration = try await tag.restoration(of: image)
    let plan = restoration.plan
    #expect(!plan.steps.isEmpty && plan.effects.isEmpty && plan.isComplete)
    #expect(plan.steps.allSatisfy { $0.place != nil && $0.after != nil })
    let outcome = try await tag.perform(plan)
    #expect(outcome.isComplete)
    #expect(bench.tag.memory == before)
    let done = restoration.parts(of: outcome)
    #expect(done.map(\.name) == restoration.parts.map(\.name))
    #expect(done.contains { !$0.written.isEmpty })

    let again = try await bench.found().restoration(of: image)
    #expect(again.plan.steps.isEmpty)
    #expect(again.parts.allSatisfy { $0.written.isEmpty })
  }

  /// Writes the image to a file that holds all of it, and reads that, if there is such a format.
  private static func throughAFile(_ image: TagImage) throws -> TagImage {
    for format in ImageFormat.allCases {
      guard let file = try? format.encode(image), file.losses.isEmpty else { continue }
      let read = try format.decode(file.bytes)
      if read.kind == image.kind { return read }
    }
    return image
  }

  /// At any moment, the next restoration completes what one that was interrupted has begun.
  @Test(arguments: ["ntag213", "classic-1k", "icode-slix2", "felica-lite", "desfire"])
  func aTagThatIsRemovedEarlyIsRestoredByTheNextCall(_ name: String) async throws {
    let bench = try await Bench(name)
    try await bench.write("the first message")
    let before = bench.tag.memory
    let image = try await bench.found().readImage().image
    try await bench.write("another message, which is longer")
    let changed = bench.tag.memory
    var isComplete = false
    var moment = 0
    while !isComplete {
      bench.tag.memory = changed
      let tag = try await bench.found()
      let plan = try await tag.restoration(of: image).plan
      #expect(!plan.recovery.isEmpty)
      bench.direct.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      do {
        isComplete = try await tag.perform(plan).isComplete
      } catch let error as NFCError {
        #expect(error.group == .connection, "\(error)")
      }
      let next = try await bench.found()
      try await next.perform(try await next.restoration(of: image).plan)
      #expect(bench.tag.memory == before, "\(moment)")
      moment += isComplete ? 0 : 1
      try #require(moment < 100)
    }
    #expect(moment > 1)
  }

  /// A plan is for its tag only.
  @Test func aPlanIsNotPerformedOnAnotherTag() async throws {
    let bench = try await Bench("ntag213")
    try await bench.write("the first message")
    let image = try await bench.found().readImage().image
    try await bench.write("another")
    let plan = try await bench.found().restoration(of: image).plan
    let other = try await Bench(.named("ntag213", uid: [0x04, 9, 9, 9, 9, 9, 9]))
    let memory = other.tag.memory
    let found = try await other.found()
    let error = await #expect(throws: NFCError.self) { try await found.perform(plan) }
    #expect(error?.code == .invalidParameter)
    #expect(other.tag.memory == memory)
  }

  // MARK: What cannot be undone

  @Test func locksAreWrittenOnlyOnRequestAndOnceAccepted() async throws {
    let bench = try await Bench("ntag213")
    var image = try await bench.found().readImage().image
    // Static lock bytes, page 2.
    image.memory.set([0x10], at: 10)
    let memory = bench.tag.memory
    let tag = try await bench.found()
    let left = try await tag.restoration(of: image)
    #expect(left.plan.steps.isEmpty && left.plan.effects.isEmpty && left.plan.isComplete)
    #expect(left.plan.omissions.map(\.reason) == [.notRequested(.locks)])
    #expect(left.parts.map(\.name) == ["page 2"])

    let plan = try await tag.restoration(of: image, including: .locks).plan
    #expect(plan.effects == [.locksMemory])
    let error = await #expect(throws: NFCError.self) { try await tag.perform(plan) }
    #expect(error?.code == .invalidParameter)
    #expect(bench.tag.memory == memory)
    try await tag.perform(plan, accepting: [.locksMemory])
    #expect(bench.tag.memory[10] == 0x10)
  }

  // MARK: Refusals

  @Test func aLockedTagKeepsItsContent() async throws {
    for name in ["ntag213", "icode-slix2"] {
      let bench = try await Bench(name)
      try await bench.write("the first message")
      let image = try await bench.found().readImage().image
      try await bench.write("another")
      try await #require(try await bench.found().ndef).makeReadOnly()
      let memory = bench.tag.memory
      let tag = try await bench.found()
      let restoration = try await tag.restoration(of: image)
      let outcome = try await tag.perform(restoration.plan)
      #expect(!outcome.isComplete, "\(name)")
      #expect(outcome.steps.isEmpty, "\(name)")
      #expect(bench.tag.memory == memory, "\(name)")
      #expect(
        restoration.parts(of: outcome).contains { $0.omissions.contains(where: \.isFailure) })
    }
  }

  @Test(arguments: [
    ("classic-1k", "ntag213", NFCError.Code.malformedContent),
    ("ntag216", "ntag213", .malformedContent), ("classic-4k", "classic-1k", .malformedContent),
    ("st25dv", "icode-slix2", .malformedContent), ("mifare-plus", "mifare-plus", .wrongTag),
  ])
  func anImageOfAnotherTagIsRefused(
    _ source: String, _ target: String, _ code: NFCError.Code
  ) async throws {
    let image = try await Bench(source).found().readImage().image
    let bench = try await Bench(target)
    let memory = bench.tag.memory
    let tag = try await bench.found()
    let error = await #expect(throws: NFCError.self) { try await tag.restoration(of: image) }
    #expect(error?.code == code)
    #expect(bench.tag.memory == memory)
  }

  /// These are found by libnfc only.
  @Test(arguments: [("barcode", NFCError.Code.readOnly), ("iclass", .wrongTag)])
  func aTagThatIsNeverWrittenIsRefused(_ name: String, _ code: NFCError.Code) async throws {
    try await withLibNFC(name) { tag in
      let image = try await tag.readImage().image
      let error = await #expect(throws: NFCError.self) { try await tag.restoration(of: image) }
      #expect(error?.code == code)
    }
  }

  // MARK: Keys and passwords

  @Test func aSectorWithoutItsKeyIsMissing() async throws {
    let bench = try await Bench("classic-1k")
    let tag = try await bench.found()
    guard case .miFare(let card) = tag, let classic = card.classic else {
      throw NFCError(.wrongTag, "not a MIFARE Classic")
    }
    let key = try #require(MiFareClassicKey([0xA0, 0xB1, 0xC2, 0xD3, 0xE4, 0xF5] as [UInt8]))
    // The trailer of sector 5, in the form of a card as it is delivered.
    let trailer = key.bytes + [0xFF, 0x07, 0x80, 0x69] + key.bytes
    var memory = bench.tag.memory
    memory.replaceSubrange(16 * 23..<16 * 24, with: trailer)
    memory[16 * 20] = 0x5A
    bench.tag.memory = memory
    _ = classic
    let closed = try await bench.found().readImage()
    #expect(closed.missing?.contains("sector 5") == true)
    #expect(closed.image.memory.known(16 * 20..<16 * 21) == nil)
    let open = try await bench.found().readImage(keys: TagKeys([SecretKey(key.bytes)]))
    #expect(open.missing == nil)
    #expect(open.image.memory.known(16 * 20..<16 * 20 + 1) == [0x5A])
  }

  @Test func aWrongPasswordIsAnError() async throws {
    let bench = try await Bench("ntag213")
    try await bench.write("the first message")
    let tag = try await bench.found()
    guard case .miFare(let card) = tag, let ultralight = card.ultralight else {
      throw NFCError(.wrongTag, "not an NTAG")
    }
    let password: [UInt8] = [1, 2, 3, 4]
    let plan = try await ultralight.protectionPlan(
      UltralightProtection(
        password: password, passwordAcknowledge: [0, 0], firstPage: 4, protectsReading: true))
    try await ultralight.perform(plan, accepting: Set(plan.effects))
    let closed = try await bench.found().readImage()
    #expect(closed.missing?.contains("protected") == true)
    let found = try await bench.found()
    let error = await #expect(throws: NFCError.self) {
      try await found.readImage(password: SecretKey([9, 9, 9, 9]))
    }
    #expect(error?.code == .authenticationFailed)
    for keys in [TagKeys([SecretKey(password)]), TagKeys(candidates: [SecretKey(password)])] {
      #expect(try await bench.found().readImage(keys: keys).missing == nil)
    }
    let open = try await bench.found().readImage(password: SecretKey(password))
    #expect(open.missing == nil)
    // What is open for reading with the password is restored with it.
    var image = open.image
    image.memory.set([0xAA, 0xBB, 0xCC, 0xDD], at: 4 * 20)
    let again = try await bench.found()
    let restoration = try await again.restoration(of: image, password: SecretKey(password))
    #expect(try await again.perform(restoration.plan).isComplete)
    #expect(Array(bench.tag.memory[80..<84]) == [0xAA, 0xBB, 0xCC, 0xDD])
  }

  @Test(
    arguments: [
      ("ntag213", 6, nil, .keySize(4)), ("ultralight-c", 4, nil, .keySize(16)),
      ("classic-1k", 4, nil, .keySize(6)), ("icode-slix2", 4, nil, .noKeys),
      ("desfire", 6, nil, .noKeys), ("icode-slix2", nil, 8, .passwordSize([4])),
      ("st25dv", nil, 4, .passwordSize([8])), ("classic-1k", nil, 4, .noPassword),
      ("type4", nil, 4, .noPassword), ("ntag213", 4, 4, .severalKeys),
    ] as [(String, Int?, Int?, TagSecretError.Problem)])
  func aSecretThatTheTagCannotHaveIsRefused(
    _ name: String, _ key: Int?, _ password: Int?, _ problem: TagSecretError.Problem
  ) async throws {
    let tag = try await Bench(name).found()
    func secret(_ size: Int, _ byte: UInt8) -> SecretKey {
      SecretKey([UInt8](repeating: byte, count: size))
    }
    let error = await #expect(throws: TagSecretError.self) {
      try await tag.readImage(
        keys: TagKeys(key.map { [secret($0, 0x5A)] } ?? []),
        password: password.map { secret($0, 0xA5) })
    }
    #expect(error?.problem == problem)
    #expect(error?.description.contains("5A5A") == false)
  }

  /// A file of keys may be for other tags.
  @Test(arguments: ["ntag213", "classic-1k", "icode-slix2", "desfire", "type4"])
  func keysOfOtherTagsAreLeftOut(_ name: String) async throws {
    let keys = TagKeys(candidates: [
      SecretKey([1, 2, 3]), SecretKey([UInt8](repeating: 7, count: 24)),
    ])
    #expect(try await Bench(name).found().readImage(keys: keys).missing == nil)
    #expect(!"\(keys)".contains("07"))
  }

  /// With its keys, a tag is opened for its message, too.
  @Test func opensATagForItsMessage() async throws {
    let bench = try await Bench("ntag213")
    try await bench.write("closed")
    let tag = try await bench.found()
    guard case .miFare(let card) = tag, let ultralight = card.ultralight else {
      throw NFCError(.wrongTag, "not an NTAG")
    }
    let plan = try await ultralight.protectionPlan(
      UltralightProtection(
        password: [1, 2, 3, 4], passwordAcknowledge: [0, 0], firstPage: 4, protectsReading: true))
    try await ultralight.perform(plan, accepting: Set(plan.effects))
    let closed = try await bench.found()
    await #expect(throws: NFCError.self) { try await closed.ndef?.readNDEF() }
    let open = try await bench.found()
    try await open.open(with: TagKeys(), password: SecretKey([1, 2, 3, 4]))
    #expect(try await open.ndef?.readNDEF() == NDEFMessage(.text("closed")))
  }
}

/// Runs `body` with a tag on a virtual PN532, which libnfc uses.
func withLibNFC(_ name: String, _ body: (DetectedTag) async throws -> Void) async throws {
  let field = VirtualField()
  field.place(try VirtualTag.named(name))
  let virtual = try VirtualReader(field)
  defer { virtual.close() }
  let reader = try await Reader.open(virtual.connectionString)
  let tag = try await reader.firstTag(within: .seconds(10))
  try await tag.connect()
  try await body(tag)
  await reader.close()
}
