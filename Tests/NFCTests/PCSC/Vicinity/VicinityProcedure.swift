import NFC
import Testing
import VirtualNFC

/// What is done with vicinity tags, to be run on a PC/SC reader within the process and on one that a
/// real service drives.
struct VicinityProcedure: Sendable, CustomTestStringConvertible {
  typealias Bench = PCSCBench

  let name: String
  var dialect = VirtualPCSCReader.Dialect.transparentSession
  let tags: @Sendable () throws -> [VirtualTag]
  let body: @Sendable (Bench) async throws -> Void

  init(
    _ name: String, _ dialect: VirtualPCSCReader.Dialect = .transparentSession,
    with tags: @escaping @autoclosure @Sendable () throws -> [VirtualTag],
    _ body: @escaping @Sendable (Bench) async throws -> Void
  ) {
    self.name = name
    self.dialect = dialect
    self.tags = tags
    self.body = body
  }

  /// For one tag, which is connected.
  init(
    _ name: String, _ dialect: VirtualPCSCReader.Dialect = .transparentSession,
    with tag: @escaping @autoclosure @Sendable () throws -> VirtualTag,
    _ body: @escaping @Sendable (Bench, VirtualTag, any ISO15693Tag) async throws -> Void
  ) {
    self.init(name, dialect, with: [try tag()]) { bench in
      let chip = try #require(bench.field.tags.first)
      try await body(bench, chip, try await bench.tag())
    }
  }

  var testDescription: String { name }

  /// Those that are run side by side: no more than a daemon has slots.
  static let groups: [(name: String, procedures: [VicinityProcedure])] = [
    ("commands", commands), ("makers' commands", icode + [areas]), ("chips", chips),
    ("refusals", refusals), ("faults", faults),
  ]

  static let all = groups.flatMap(\.procedures)

  /// An error that a procedure has ended with, where several run.
  struct Failure: Error, CustomStringConvertible {
    let procedure: String
    let error: any Error

    var description: String { "\(procedure): \(error)" }
  }
}

/// What has come of a command.
enum VicinityOutcome: Hashable {
  /// What followed the flags of the answer, in hexadecimal.
  case payload(String)
  /// The tag's own error code.
  case refusal(UInt8)
  case silence
  /// Several answers at once, or one that was broken on the way.
  case broken
  case error(NFCError.Code)

  static let done = VicinityOutcome.payload("")

  init(_ error: NFCError) {
    switch error.cause {
    case .iso15693(let code): self = .refusal(code)
    case .noAnswer where error.code == .tagResponseError: self = .silence
    case .checksum where error.code == .tagResponseError: self = .broken
    default: self = .error(error.code)
    }
  }
}

/// A command, its flags, and what is to come of it.
typealias VicinityStep = (ISO15693Command, ISO15693RequestFlags, VicinityOutcome)

extension ISO15693Tag {
  func outcome(
    of command: ISO15693Command, _ flags: ISO15693RequestFlags = []
  ) async throws -> VicinityOutcome {
    do {
      return .payload(try await sendCommand(command, flags: flags).payload.hexadecimal)
    } catch let error as NFCError {
      return VicinityOutcome(error)
    }
  }

  /// Sends commands one after the other, and compares what comes of each.
  func check(
    _ steps: [VicinityStep], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for (index, (command, flags, expected)) in steps.enumerated() {
      #expect(
        try await outcome(of: command, flags) == expected, "step \(index): \(command)",
        sourceLocation: sourceLocation)
    }
  }

  /// The answer to a request in hexadecimal, in hexadecimal.
  func ask(_ request: String) async throws -> String {
    let request = try #require([UInt8](hexadecimal: request))
    return try await transceive(request, timeout: .milliseconds(100)).hexadecimal
  }
}

/// A run of blocks for a command.
func blocks(_ first: Int, _ count: Int) throws -> ISO15693BlockRange {
  try #require(ISO15693BlockRange(first: first, count: count))
}
