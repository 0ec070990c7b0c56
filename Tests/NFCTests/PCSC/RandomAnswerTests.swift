import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// Whatever a PC/SC reader answers at whichever command, there is a value or an error, and no block
/// of the tag is anything but old or new.
@Suite struct RandomAnswerTests {
  typealias Dialect = VirtualPCSCReader.Dialect

  /// What becomes of an answer, status word included.
  struct Corruption: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable ([UInt8]) -> [UInt8]

    init(_ description: String, _ apply: @escaping @Sendable ([UInt8]) -> [UInt8]) {
      testDescription = description
      self.apply = apply
    }

    static func word(_ high: UInt8, _ low: UInt8) -> Corruption {
      Corruption("\([high, low].hexadecimal)") { _ in [high, low] }
    }
  }

  static let corruptions: [Corruption] =
    [
      .word(0x90, 0x00), .word(0x00, 0x00), .word(0x61, 0xFF), .word(0x62, 0x82), .word(0x63, 0x00),
      .word(0x64, 0x01), .word(0x69, 0x82), .word(0x6A, 0x82), .word(0x6C, 0x00), .word(0x6C, 0x21),
      .word(0x6D, 0x00), .word(0x6F, 0x01), .word(0x6F, 0x02),
    ] + [
      Corruption("the beginning of a container") { _ in [0xE1, 0x90, 0x00] },
      Corruption("a byte less") { Array($0.dropLast(3)) + $0.suffix(2) },
      Corruption("a byte more") { $0.dropLast(2) + [0xA5] + $0.suffix(2) },
      Corruption("nothing but 00") { [UInt8](repeating: 0x00, count: $0.count - 2) + $0.suffix(2) },
      Corruption("nothing but FF") { [UInt8](repeating: 0xFF, count: $0.count - 2) + $0.suffix(2) },
      Corruption("backwards") { $0.dropLast(2).reversed() + $0.suffix(2) },
      Corruption("300 bytes") { _ in (0..<300).map { UInt8(truncatingIfNeeded: $0) } + [0x90, 0x00]
      },
      Corruption("data without end") { $0.dropLast(2) + [0x95, 0x82, 0xFF] + $0.suffix(2) },
    ]

  static let dialects: [Dialect] = [
    .transparentSession, .acsPassThrough, .identivPassThrough, .springCard, .springCardPassThrough,
    .omnikey, .directTransmit, .storageCard, .storageCardNumberInP1, .storageCardByteOffset,
  ]

  /// A reader that answers wrongly at one command, or from one command on.
  private static func wrong(
    _ base: any SmartCardService, _ corruption: Corruption, at first: Int, isLasting: Bool
  ) -> InterposedService {
    var commands = 0
    return InterposedService(base) { command, pass throws(SmartCardFailure) in
      let answer = try pass(command)
      defer { commands += 1 }
      let isWrong = isLasting ? commands >= first : commands == first
      return isWrong && answer.count >= 2 ? corruption.apply(answer) : answer
    }
  }

  private static let new: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4]

  /// Everything that a program asks of a tag.
  private func use(_ tag: DetectedTag) async throws {
    try await tag.connect()
    switch tag {
    case .iso15693(let tag):
      _ = try? await tag.product()
      _ = try? await tag.systemInformation()
      _ = try? await tag.readNDEF()
      try await tag.writeBlocks(at: 4, Self.new)
      _ = try await tag.readBlocks(0..<8, securityStatus: false)
      _ = try await tag.securityStatus(4..<6)
    case .miFare(let tag):
      _ = try? await tag.product()
      try await tag.ultralight?.writePage(8, Self.new)
      _ = try await tag.readNDEF()
    case .feliCa(let tag): _ = try await tag.readNDEF()
    case .iso7816(let tag): _ = try await tag.readNDEF()
    case .other: break
    }
  }

  /// Uses a tag on a reader whose answers pass through `service`.
  private func run(
    _ tag: VirtualTag, _ dialect: Dialect, _ place: @autoclosure @Sendable () -> Comment,
    service: @escaping @Sendable (any SmartCardService) -> InterposedService
  ) async throws {
    let field = VirtualField()
    field.place(tag)
    let virtual = VirtualPCSCReader(field, dialect: dialect)
    ReplayedReaders.begin()
    let reader = try await Reader.open(over: { service(virtual.service()) })
    let before = tag.memory
    do {
      for found in try await reader.tagsInField() { try await use(found) }
    } catch is NFCError {
      // Which one it is depends on what the bytes look like.
    }
    let changed = zip(before, tag.memory).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    let blocks = Set(changed.map { $0 / Self.new.count })
    #expect(blocks.count <= 1, place())
    for block in blocks {
      #expect(Array(tag.memory[(block * 4)..<(block * 4 + 4)]) == Self.new)
    }
    await reader.close()
  }

  private func run(
    _ tag: VirtualTag, _ dialect: Dialect, _ corruption: Corruption, at first: Int, isLasting: Bool
  ) async throws {
    try await run(tag, dialect, "\(corruption) at \(first)") {
      Self.wrong($0, corruption, at: first, isLasting: isLasting)
    }
  }

  /// All answers that a program gets when none is wrong.
  private func answers(_ tag: VirtualTag, _ dialect: Dialect) async throws -> [[UInt8]] {
    let answers = Mutex<[[UInt8]]>([])
    try await run(tag, dialect, "all right") {
      InterposedService($0) { command, pass throws(SmartCardFailure) in
        let answer = try pass(command)
        answers.withLock { $0.append(answer) }
        return answer
      }
    }
    return answers.withLock { $0 }
  }

  /// Returns the positions at which a corruption shows: at the others a run is the same as one of these, or as the
  /// one without it.
  private static func effectivePositions(
    _ corruption: Corruption, in answers: [[UInt8]], isLasting: Bool
  ) -> [Int] {
    let shows = answers.map { $0.count >= 2 && corruption.apply($0) != $0 }
    guard isLasting else { return positions.filter { $0 < shows.count && shows[$0] } }
    return Set(positions.compactMap { shows.dropFirst($0).firstIndex(of: true) }).sorted()
  }

  private static let positions = [0, 1, 2, 3, 4, 5, 6, 8, 11, 15]

  @Test(arguments: dialects, corruptions)
  func isToleratedFromAVicinityTag(_ dialect: Dialect, _ corruption: Corruption) async throws {
    let makers: [@Sendable () -> VirtualTag] = [{ .icodeSLIX2() }, { .icodeSLIS() }]
    for tag in makers {
      let answers = try await answers(tag(), dialect)
      for isLasting in [false, true] {
        let positions = Self.effectivePositions(corruption, in: answers, isLasting: isLasting)
        for first in positions {
          try await run(tag(), dialect, corruption, at: first, isLasting: isLasting)
        }
      }
    }
  }

  @Test(
    arguments: [Dialect.transparentSession, .springCard, .directTransmit, .storageCard], corruptions
  )
  func isToleratedFromOtherTags(_ dialect: Dialect, _ corruption: Corruption) async throws {
    for first in Self.positions {
      for tag in [VirtualTag.ntag213(), .feliCaLiteS(), .type4(), .desfire()] {
        try await run(tag, dialect, corruption, at: first, isLasting: first.isMultiple(of: 2))
      }
    }
  }
}
