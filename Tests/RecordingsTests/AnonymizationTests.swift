import SwiftNFCCore
import Testing

@testable import Recordings

/// Tests that other identifiers take the place of the tags' own.
@Suite struct AnonymizationTests {
  private static let header =
    #"{"format":"nfc recording","version":1,"reader":0,"name":"r","connectionString":"r","#
    + #""capabilities":{"technologies":["iso14443a"],"bitRates":{},"maximumCommandLength":262,"#
    + #""maximumResponseLength":262,"supportsOnlyAPDUs":false,"commandPaths":[]},"#
    + #""findsOneByOne":[],"canReconnect":false}"#

  /// A recording in which these tags are found, each with a READ after it.
  private static func recording(of tags: [[UInt8]], answering answer: [UInt8]) throws -> Recording {
    var lines = [header]
    for uid in tags {
      lines.append(
        #"{"reader":0,"time":0.1,"call":"list","technology":"iso14443a","found":["#
          + #"{"technology":"iso14443a","uid":"\#(uid.hexadecimal)","atqa":"0044","sak":0,"ats":""}"#
          + #"],"duration":0.1}"#)
      lines.append(
        #"{"reader":0,"time":0.1,"call":"exchange","framing":"checked","timeout":0.1,"command":"3000","#
          + #""answer":"\#(answer.hexadecimal)","duration":0.1}"#)
    }
    return try Recording(lines.joined(separator: "\n").utf8)
  }

  private static func identifiers(_ recording: Recording) -> [[UInt8]] {
    recording.calls.flatMap { call -> [[UInt8]] in
      if case .targets(let targets) = call.outcome { targets.map(\.identifier) } else { [] }
    }
  }

  /// Some PC/SC readers report no UID. No bytes stand everywhere.
  @Test(.timeLimit(.minutes(1))) func aTagWithoutIdentifier() throws {
    let uid: [UInt8] = [4, 1, 2, 3, 4, 5, 6]
    let recording = try Self.recording(of: [[], uid], answering: uid)
    let anonymous = recording.anonymized()
    #expect(Self.identifiers(anonymous).first == [])
    #expect(!anonymous.text.contains(uid.hexadecimal))
    #expect(anonymous.calls.count == recording.calls.count)
  }

  /// Each tag is still another one, and the time does not grow with the square of their number.
  @Test(.timeLimit(.minutes(1)), arguments: [4, 7, 10]) func thousandsOfTags(_ size: Int) throws {
    let count = 2000
    let tags: [[UInt8]] = (0..<count).map { number in
      let filling = (3..<size).map { UInt8(truncatingIfNeeded: number * $0) }
      return [4] + filling + [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
    #expect(Set(tags).count == count)
    let answer = [UInt8](repeating: 0x5C, count: 200)
    let anonymous = try Self.recording(of: tags, answering: answer).anonymized()
    let identifiers = Self.identifiers(anonymous)
    #expect(Set(identifiers).count == count)
    #expect(identifiers.allSatisfy { $0.count == size && $0[0] == 4 })
    #expect(Set(identifiers).isDisjoint(with: tags))
  }
}
