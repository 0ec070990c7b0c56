import SwiftNFCCore
import Synchronization
import Testing

@testable import SecureTags

/// A card that replays a recording, for a reader that must send the commands of the recording.
final class RecordedCard: Sendable {
  private struct State {
    var exchanges: ArraySlice<(command: [UInt8], answer: [UInt8])>
    var challenges: ArraySlice<[UInt8]>
    var deviations: [String] = []
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - exchanges: one on each line, command and answer, native.
  ///   - challenges: the challenges that the reader uses.
  init(_ exchanges: String, challenges: [String]) throws {
    let pairs = try exchanges.split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      try #require(parts.count == 2, "\(line)")
      return (command: try Self.bytes(parts[0]), answer: try Self.bytes(parts[1]))
    }
    state = Mutex(
      State(exchanges: pairs[...], challenges: try challenges.map { try Self.bytes($0[...]) }[...]))
  }

  private static func bytes(_ text: Substring) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  var transport: DESFireTransport {
    DESFireTransport(longestFrame: 59) { code, parameters in
      let command = [code] + parameters
      let next = self.state.withLock { $0.exchanges.popFirst() }
      guard let next, next.command == command, let status = next.answer.first else {
        let expected = next?.command.hexadecimal ?? "nothing"
        let deviation = "\(command.hexadecimal) where the recording has \(expected)"
        self.state.withLock { $0.deviations.append(deviation) }
        throw NFCError(.tagResponseError, deviation)
      }
      return (DESFireStatus(code: status), Array(next.answer.dropFirst()))
    }
  }

  /// Returns a procedure with this card.
  func procedure(_ generation: DESFireGeneration?) -> DESFireProcedure {
    DESFireProcedure(
      transport: transport, generation: generation, state: .unknown,
      random: { count in
        let next = self.state.withLock { $0.challenges.popFirst() } ?? []
        return next.count == count ? next : [UInt8](repeating: 0, count: count)
      })
  }

  /// The commands in which the reader deviated from the recording.
  var deviations: [String] { state.withLock { $0.deviations } }

  /// The number of exchanges that have not been made.
  var remaining: Int { state.withLock { $0.exchanges.count } }

  func skip(_ count: Int) { state.withLock { $0.exchanges = $0.exchanges.dropFirst(count) } }
}

/// Returns the bytes of a test's hexadecimal digits.
func hex(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
  try #require([UInt8](hexadecimal: text), sourceLocation: sourceLocation)
}
