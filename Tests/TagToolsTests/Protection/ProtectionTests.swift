import NFC
import SecureTags
import TagTools
import Testing
import VirtualNFC

/// Tests protecting any tag with public calls only, as a program does it.
@Suite struct ProtectionTests {
  typealias Bench = BackupTests.Bench

  /// A tag and the number of bytes of its password or key.
  static let tags: [(name: String, size: Int)] = [
    ("ntag216", 4), ("ultralight-ev1", 4), ("ultralight-c", 16), ("ultralight-aes", 16),
    ("icode-slix2", 4), ("st25dv", 8), ("st25tv", 8), ("st25ta", 16),
  ]

  static let effects: Set<IrreversibleEffect> = [.forgetsPassword, .forgetsKey]

  static func secret(_ size: Int, _ byte: UInt8 = 0x5A) -> SecretKey {
    SecretKey(Array(repeating: byte, count: size))
  }

  /// Returns whether everybody can write to the tag.
  private static func isWritable(_ bench: Bench) async throws -> Bool {
    // A tag remembers the password as long as it has power.
    bench.direct.field.remove(bench.tag)
    do {
      // What is there already would not be written.
      try await bench.write("\(UInt32.random(in: 0 ... .max))")
      return true
    } catch let error as NFCError {
      #expect(
        [.readOnly, .notAuthenticated, .authenticationFailed, .tagRefused].contains(error.code))
      return false
    }
  }

  @Test(arguments: tags)
  func aTagIsProtectedAndOpened(_ name: String, _ size: Int) async throws {
    let bench = try await Bench(name)
    let protection = TagProtection(password: Self.secret(size))
    let tag = try await bench.found()
    #expect(tag.mayHavePassword)
    let memory = bench.tag.memory
    let plan = try await tag.protectionPlan(protection)
    #expect(!plan.steps.isEmpty)
    #expect(bench.tag.memory == memory)
    #expect(!plan.description.contains("5A5A5A5A"))
    #expect(try await Self.isWritable(bench))

    try await bench.found().protect(protection, accepting: Self.effects)
    #expect(try await !Self.isWritable(bench))
    let opened = try await bench.found()
    try await opened.open(with: TagKeys([]), password: Self.secret(size))
    try await #require(opened.ndef).writeNDEF(NDEFMessage(.text("with the password")))

    try await bench.found().protect(nil, current: Self.secret(size))
    #expect(try await Self.isWritable(bench))
    #expect(try await bench.found().protectionPlan(nil).steps.isEmpty)
  }

  /// What a plan cannot undo is done only if the program accepts it.
  @Test(arguments: tags)
  func effectsAreAccepted(_ name: String, _ size: Int) async throws {
    let bench = try await Bench(name)
    let tag = try await bench.found()
    let protection = TagProtection(password: Self.secret(size))
    try #require(try await !tag.protectionPlan(protection).effects.isEmpty)
    let memory = bench.tag.memory
    let error = await #expect(throws: NFCError.self) { try await tag.protect(protection) }
    #expect(error?.code == .invalidParameter)
    #expect(bench.tag.memory == memory)
  }

  /// The same call completes a change that was interrupted anywhere, with no password but the new one.
  @Test(arguments: tags)
  func theSameCallCompletesAnInterruptedChange(_ name: String, _ size: Int) async throws {
    // Of the others, the limit of wrong passwords could not be read.
    let protection = TagProtection(
      password: Self.secret(size),
      protectsReading: ["ultralight-c", "icode-slix2"].contains(name))
    var isComplete = false
    var moment = 0
    while !isComplete {
      let bench = try await Bench(name)
      let tag = try await bench.found()
      bench.direct.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      do {
        try await tag.protect(protection, accepting: Self.effects)
        isComplete = true
      } catch let error as NFCError {
        #expect(error.group == .connection, "\(error)")
      }
      try await bench.found().protect(protection, accepting: Self.effects)
      #expect(try await !Self.isWritable(bench), "\(moment)")
      try await bench.found().protect(nil, current: Self.secret(size))
      #expect(try await Self.isWritable(bench), "\(moment)")
      moment += 1
      try #require(moment < 100)
    }
    #expect(moment > 2)
  }

  @Test(arguments: tags)
  func aWrongPasswordChangesNothing(_ name: String, _ size: Int) async throws {
    let bench = try await Bench(name)
    try await bench.found().protect(
      TagProtection(password: Self.secret(size)), accepting: Self.effects)
    let memory = bench.tag.memory
    let other = TagProtection(password: Self.secret(size, 0x11))
    for current in [nil, Self.secret(size, 0x22)] {
      let tag = try await bench.found()
      let error = await #expect(throws: NFCError.self) {
        try await tag.protect(other, current: current, accepting: Self.effects)
      }
      #expect(
        [.notAuthenticated, .authenticationFailed, .readOnly].contains(error?.code), "\(name)")
      #expect(error?.description.contains("11111111") == false)
    }
    #expect(bench.tag.memory == memory)
  }

  /// A tag that closes permanently after wrong passwords is not asked whether it has the new one already.
  @Test func theNewPasswordIsNotTriedWhereWrongOnesCount() async throws {
    let bench = try await Bench("ntag216")
    let first = TagProtection(password: Self.secret(4), attemptLimit: 3)
    try await bench.found().protect(
      first, accepting: Self.effects.union([.mayClosePermanently]))
    // One wrong password more than the tag accepts would close it.
    for _ in 0...3 {
      let tag = try await bench.found()
      do {
        try await tag.protect(
          TagProtection(password: Self.secret(4, 0x11)),
          accepting: Self.effects.union([.mayClosePermanently]))
        Issue.record("the tag was changed without its password")
      } catch TagProtectionError.newPasswordNotTried(let error) {
        #expect([.notAuthenticated, .readOnly].contains(error.code))
      }
    }
    try await bench.found().protect(nil, current: Self.secret(4))
    #expect(try await Self.isWritable(bench))
  }

  @Test func theLimitOfWrongPasswordsHasAMaximum() async throws {
    let tag = try await Bench("ntag216").found()
    do {
      _ = try await tag.protectionPlan(
        TagProtection(password: Self.secret(4), attemptLimit: 8))
      Issue.record("the limit was accepted")
    } catch TagProtectionError.attemptLimit(let maximum) {
      #expect(maximum == 7)
    }
  }

  // MARK: What a tag does not have

  @Test(arguments: [
    ("ultralight-c", 16, TagProtectionError.Part.acknowledge), ("ultralight-c", 16, .attemptLimit),
    ("ultralight-aes", 16, .acknowledge), ("icode-slix2", 4, .acknowledge),
    ("icode-slix2", 4, .attemptLimit), ("st25dv", 8, .attemptLimit), ("st25ta", 16, .first),
    ("st25ta", 16, .acknowledge), ("st25ta", 16, .attemptLimit),
  ])
  func whatATagDoesNotHaveIsAnError(
    _ name: String, _ size: Int, _ part: TagProtectionError.Part
  ) async throws {
    let bench = try await Bench(name)
    let protection = TagProtection(
      password: Self.secret(size), acknowledge: part == .acknowledge ? [1, 2] : nil,
      first: part == .first ? 4 : nil, attemptLimit: part == .attemptLimit ? 3 : nil)
    let tag = try await bench.found()
    let memory = bench.tag.memory
    do {
      try await tag.protect(protection, accepting: Self.effects)
      Issue.record("a part was left out")
    } catch TagProtectionError.unsupported(let found) {
      #expect(found == part)
    }
    #expect(bench.tag.memory == memory)
  }

  @Test(arguments: tags)
  func aPasswordOfAnotherSizeIsAnError(_ name: String, _ size: Int) async throws {
    let bench = try await Bench(name)
    let tag = try await bench.found()
    let memory = bench.tag.memory
    let error = await #expect(throws: TagSecretError.self) {
      try await tag.protectionPlan(TagProtection(password: Self.secret(5)))
    }
    guard case .passwordSize(let sizes) = error?.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(sizes.contains(size))
    #expect(bench.tag.memory == memory)
  }

  @Test(arguments: ["classic-1k", "desfire", "type3", "topaz96", "type4"])
  func aTagWithoutAPassword(_ name: String) async throws {
    let tag = try await Bench(name).found()
    #expect(!tag.mayHavePassword)
    let error = await #expect(throws: TagProtectionError.self) {
      try await tag.protectionPlan(TagProtection(password: Self.secret(4)))
    }
    if case .noPassword = error { return }
    Issue.record("\(String(describing: error))")
  }
}
