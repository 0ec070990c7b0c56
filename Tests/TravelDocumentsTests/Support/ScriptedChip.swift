import SwiftNFCCore

@testable import TravelDocuments

/// A chip that expects commands in an order and answers each by its own answer, and random numbers that are given.
final class ScriptedChip: ChipLink {
  struct Unexpected: Error {
    let command: String
  }

  let maximumCommandLength: Int
  let maximumResponseLength: Int
  private var exchanges: [(command: String, answer: String)]
  private var numbers: [[UInt8]]

  init(
    _ exchanges: [(String, String)], random: [String] = [], commandLength: Int = 262,
    responseLength: Int = 262
  ) {
    self.exchanges = exchanges.map { (Self.packed($0), Self.packed($1)) }
    numbers = random.map { bytes($0) }
    maximumCommandLength = commandLength
    maximumResponseLength = responseLength
  }

  private static func packed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

  var isDone: Bool { exchanges.isEmpty }

  func transmit(_ command: APDU) throws -> ResponseAPDU {
    let text = command.encoded.hexadecimal
    guard let next = exchanges.first, next.command == text else { throw Unexpected(command: text) }
    exchanges.removeFirst()
    return try ResponseAPDU(bytes(next.answer))
  }

  func random(_ count: Int) throws -> [UInt8] {
    guard let next = numbers.first, next.count == count else {
      throw Unexpected(command: "\(count) random bytes")
    }
    return numbers.removeFirst()
  }
}

/// Returns the bytes of hexadecimal text, in which blanks and line breaks are ignored.
func bytes(_ text: String) -> [UInt8] {
  [UInt8](hexadecimal: text.filter { !$0.isWhitespace }) ?? []
}
