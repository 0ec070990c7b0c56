import NFC
import TestSupport
import Testing
import VirtualNFC

@Suite(.replayed) struct UltralightCommandTests {
  static let password: [UInt8] = [0x31, 0x32, 0x33, 0x34]

  /// An NTAG213 with a password, its pages protected against writing from page 8 on.
  static func protected(limit: UInt8 = 0) -> VirtualTag {
    let tag = VirtualTag.ntag213()
    tag.memory.replaceSubrange(
      41 * 4..<45 * 4, with: [4, 0, 0, 8, limit, 5, 0, 0] + password + [0x41, 0x42, 0, 0])
    return tag
  }

  @Test func givesThePassword() async throws {
    let bench = try await Bench(Self.protected())
    let ultralight = try await UltralightDumpTests.commands(bench)
    await #expect { try await ultralight.writePage(8, [1, 2, 3, 4]) } throws: {
      ($0 as? NFCError)?.code == .readOnly && ($0 as? NFCError)?.place == .page(8)
        && ($0 as? NFCError)?.cause == .negativeAcknowledge(0)
    }
    let (acknowledge, _, exchanges) = try await bench.counting {
      try await ultralight.authenticate(password: Self.password)
    }
    #expect(acknowledge == [0x41, 0x42])
    // The refusal before had left the tag mute: its selection is among them.
    #expect(exchanges >= 1)
    try await ultralight.writePage(8, [1, 2, 3, 4])
    #expect(try await ultralight.readPage(8) == [1, 2, 3, 4])
    await #expect { try await ultralight.authenticate(password: [1, 2, 3]) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
    for number in [-1, 256] {
      await #expect { try await ultralight.readPage(number) } throws: {
        ($0 as? NFCError)?.code == .invalidParameter
      }
    }
    await #expect { try await ultralight.writePage(8, [1]) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
  }

  /// AUTHLIM 2: the third wrong password is the last that the tag looks at.
  @Test(.asking(.lockout)) func saysThatThePasswordIsLockedOut() async throws {
    let bench = try await Bench(Self.protected(limit: 2))
    let ultralight = try await UltralightDumpTests.commands(bench)
    var reasons: [String] = []
    for _ in 0..<4 {
      do {
        try await ultralight.authenticate(password: [0x58, 0x58, 0x58, 0x58])
        Issue.record("a wrong password was taken")
      } catch let error as NFCError {
        #expect(error.code == .authenticationFailed)
        #expect(!"\(error)".contains("58585858"))
        reasons.append(error.reason)
      }
    }
    #expect(reasons[0] == "the password is wrong")
    #expect(reasons[3].contains("no longer accepts a password"))
    await #expect { try await ultralight.authenticate(password: Self.password) } throws: {
      ($0 as? NFCError)?.reason.contains("no longer accepts a password") == true
    }
    // What is not protected can still be read.
    #expect(try await ultralight.readPage(4).count == 4)
  }

  @Test(.asking(.counter)) func countersAndSignature() async throws {
    let bench = try await Bench(.ultralightEV1())
    let ultralight = try await UltralightDumpTests.commands(bench)
    #expect(try await ultralight.readCounter(0) == 0)
    try await ultralight.incrementCounter(0, by: 0x01_0203)
    #expect(try await ultralight.readCounter(0) == 0x01_0203)
    await #expect { try await ultralight.incrementCounter(0, by: 0xFF_FFFF) } throws: {
      ($0 as? NFCError)?.code == .tagRefused
    }
    #expect(try await ultralight.readCounter(0) == 0x01_0203)
    await #expect { try await ultralight.incrementCounter(0, by: 1 << 24) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
    await #expect { try await ultralight.readCounter(3) } throws: {
      ($0 as? NFCError)?.code == .tagRefused
    }
  }

  /// The default UID of the virtual NTAG216 is one whose signature has been published.
  @Test func originality() async throws {
    let genuine = try await Bench(.ntag216())
    let bench = try await Bench(.ntag216(uid: [0x04, 1, 2, 3, 4, 5, 6]))
    for (bench, verdict) in [
      (genuine, OriginalitySignature.Verdict.genuine), (bench, .notGenuine),
    ] {
      let tag = try await bench.tag(.iso14443).miFare
      let product = try #require(try await tag.product())
      let signature = try #require(tag.ultralight)
      #expect(
        OriginalitySignature.verify(
          uid: tag.identifier, signature: try await signature.readSignature(), product: product)
          == verdict)
    }
  }

  @Test func ultralightCProvesItsKey() async throws {
    let factory = Array("IEMKAERB!NACUOYF".utf8)
    let tag = VirtualTag.ultralightC()
    // All pages from 4 on protected against reading and writing.
    tag.memory.replaceSubrange(168..<176, with: [4, 0, 0, 0, 0, 0, 0, 0])
    let bench = try await Bench(tag)
    let ultralight = try await UltralightDumpTests.commands(bench)
    await #expect { try await ultralight.readPage(4) } throws: {
      ($0 as? NFCError)?.code == .tagRefused
    }
    var wrong = factory
    wrong[0] ^= 0x10
    await #expect { try await ultralight.authenticate(key: wrong) } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed
    }
    try await ultralight.authenticate(key: factory)
    #expect(try await ultralight.readPage(4) == Array(tag.memory[16..<20]))
    let new = (0..<16).map { UInt8($0 * 2 + 1) }
    try await ultralight.changeKey(new)
    await #expect { try await ultralight.changeKey([1]) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
    let again = try await UltralightDumpTests.commands(bench)
    await #expect { try await again.authenticate(key: factory) } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed
    }
    try await again.authenticate(key: new)
    #expect(try await again.readPage(4).count == 4)
    await #expect { try await again.authenticate(key: [1, 2, 3]) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
  }

  @Test func sectorsOfNTAGI2C() async throws {
    let tag = VirtualTag.ntagI2C2K()
    tag.memory[256 * 4 + 8] = 0x5A
    let bench = try await Bench(tag)
    let ultralight = try await UltralightDumpTests.commands(bench)
    try await ultralight.selectSector(1)
    #expect(try await ultralight.readPage(2) == Array(tag.memory[256 * 4 + 8..<256 * 4 + 12]))
    try await ultralight.selectSector(0)
    #expect(try await ultralight.readPage(0) == Array(tag.memory[0..<4]))
    await #expect { try await ultralight.selectSector(2) } throws: {
      ($0 as? NFCError)?.code == .tagRefused && ($0 as? NFCError)?.place == .sector(2)
    }
    #expect(try await ultralight.readPage(0) == Array(tag.memory[0..<4]))
  }

  /// All sectors with memory, whichever is selected before; then the first again.
  @Test(
    .asking(.lockBits, .oneTimeBits, .configurationLock),
    arguments: [936, 1960])
  func dumpsAndRestoresNTAGI2C(size: Int) async throws {
    let tag: VirtualTag = size == 936 ? .ntagI2C1K() : .ntagI2C2K()
    tag.memory.replaceSubrange(
      20..<size - 60, with: (20..<size - 60).map { UInt8(truncatingIfNeeded: $0) })
    let configuration = size - 8
    let bench = try await Bench(tag)
    let ultralight = try await UltralightDumpTests.commands(bench)
    try await ultralight.selectSector(3)
    let dump = try await ultralight.dump()
    #expect(dump.isComplete && dump.bytes == tag.memory && dump.bytes.count == size)
    #expect(try await ultralight.readPage(4) == Array(tag.memory[16..<20]))

    var image = dump.bytes
    for index in [16, 80, size - 64] { image[index] ^= 0xFF }
    // LAST_NDEF_BLOCK, and REG_LOCK, which cannot be undone.
    image[configuration + 1] = 0x10
    image[configuration + 6] = 0x01
    let plan = try await ultralight.restorePlan(image)
    let pages = [4, 20, (size - 64) / 4]
    #expect(plan.steps.compactMap(\.place?.number) == pages)
    #expect(plan.omissions.map(\.place.number) == [configuration / 4, configuration / 4 + 1])
    try await ultralight.selectSector(3)
    #expect(try await ultralight.perform(plan).changedPlaces.map(\.number) == pages)
    #expect(Array(tag.memory.prefix(configuration)) == Array(image.prefix(configuration)))
    let configured = try await ultralight.restorePlan(image, extras: .configuration)
    #expect(configured.steps.compactMap(\.place?.number) == [configuration / 4])
    let locked = try await ultralight.restorePlan(image, extras: [.configuration, .locks])
    #expect(try await ultralight.perform(locked, accepting: Set(locked.effects)).isComplete)
    #expect(tag.memory == image)
    // The registers are locked now: the tag refuses, and the rest is written.
    image[configuration + 1] = 0x20
    image[size - 64] ^= 0xFF
    let report = try await ultralight.perform(
      try await ultralight.restorePlan(image, extras: .configuration))
    #expect(report.changedPlaces.map(\.number) == [(size - 64) / 4])
    #expect(report.omissions.map(\.reason) == [.refused])
    #expect(try VirtualTag.dump(dump.bytes).memory == dump.bytes)
  }

  @Test func otherTagsHaveNone() async throws {
    let bench = try await Bench(.classic1K())
    let tag = try await bench.tag(.iso14443).miFare
    #expect(tag.ultralight == nil)
    #expect(tag.classic != nil)
  }
}
