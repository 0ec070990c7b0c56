import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// A chip in its own field, which is controlled by lines of text.
///
/// A line is `command > answer`, both in hexadecimal: `A` is the acknowledge, `N0` a NAK with code 0, `-`
/// silence, and an answer that begins with `…` is compared from its end. Or it is a word: `request`
/// selects by REQA, `select` by WUPA, `halt` is HLTA, `reselect` HLTA and WUPA, `field` switches the
/// field off and on and selects.
struct Type2Bench {
  var chip: any VirtualChip

  init(_ chip: some VirtualChip, selected: Bool = true) {
    self.chip = chip
    self.chip.powerOn()
    if selected { select() }
  }

  /// Returns the answer to a frame in the notation of a line.
  static func text(_ frame: RadioFrame?) -> String {
    guard let frame else { return "-" }
    if frame.bytes.count == 1, frame.bitsInLastByte == 4 {
      return frame.bytes[0] == 0x0A ? "A" : "N\(frame.bytes[0])"
    }
    guard let payload = frame.checkedPayload else { return "bare " + frame.bytes.hexadecimal }
    return payload.hexadecimal
  }

  mutating func send(_ bytes: [UInt8]) -> String {
    Self.text(chip.receive(.typeA(bytes)))
  }

  mutating func send(_ text: String) -> String {
    send([UInt8](hexadecimal: text) ?? [])
  }

  /// Sends REQA or WUPA and selects both cascade levels. Returns whether the chip is selected.
  @discardableResult
  mutating func select(wakeUp: Bool = false) -> Bool {
    let request = RadioFrame.typeA(bare: [wakeUp ? 0x52 : 0x26], bitsInLastByte: 7)
    guard chip.receive(request)?.bytes == [0x44, 0x00] else { return false }
    for (code, sak) in [(UInt8(0x93), UInt8(0x04)), (0x95, 0x00)] {
      guard let part = chip.receive(.typeA(bare: [code, 0x20])),
        chip.receive(.typeA([code, 0x70] + part.bytes))?.checkedPayload == [sak]
      else { return false }
    }
    return true
  }

  /// Selects the chip from any state: an active chip ignores the first WUPA.
  mutating func ensureSelected() {
    if !select(wakeUp: true) { select(wakeUp: true) }
  }

  /// Runs a script and records an issue for each line with a different result.
  mutating func run(
    _ script: String, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for line in script.split(separator: "\n").map({ $0.trimmingCharacters() }) where line != "" {
      switch line {
      case "request": #expect(select(), "\(comment): \(line)", sourceLocation: sourceLocation)
      case "select":
        #expect(select(wakeUp: true), "\(comment): \(line)", sourceLocation: sourceLocation)
      case "halt": #expect(send("50 00") == "-", sourceLocation: sourceLocation)
      case "reselect":
        #expect(send("50 00") == "-", sourceLocation: sourceLocation)
        #expect(select(wakeUp: true), "\(comment): \(line)", sourceLocation: sourceLocation)
      case "field":
        chip.powerOff()
        chip.powerOn()
        #expect(select(), "\(comment): \(line)", sourceLocation: sourceLocation)
      default:
        let parts = line.split(separator: ">", omittingEmptySubsequences: false).map {
          $0.trimmingCharacters()
        }
        guard parts.count == 2 else {
          Issue.record("not a line: \(line)", sourceLocation: sourceLocation)
          continue
        }
        let answer = send(parts[0])
        let expected = parts[1].filter { $0 != " " }
        if expected.hasPrefix("…") {
          let matches = answer.hasSuffix(expected.dropFirst()) && answer.count > expected.count
          #expect(matches, "\(comment): \(line): \(answer)", sourceLocation: sourceLocation)
        } else {
          #expect(answer == expected, "\(comment): \(line)", sourceLocation: sourceLocation)
        }
      }
    }
  }
}

extension StringProtocol {
  fileprivate func trimmingCharacters() -> String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// Every chip of the family as created without arguments.
enum Type2Chips {
  static let all: [any VirtualChip & Sendable] =
    NTAG21x.Product.allCases.map { NTAG21x($0) } + [
      NTAG203(), MIFAREUltralight(), MIFAREUltralightC(),
      MIFAREUltralightEV1(.mf0ul11), MIFAREUltralightEV1(.mf0ul21),
      NTAGI2C(.nt3h1101), NTAGI2C(.nt3h1201),
    ]

  static func named(_ name: String) throws -> any VirtualChip & Sendable {
    try #require(all.first { $0.name == name })
  }
}

extension Type2Bench {
  init(named name: String) throws {
    let chip = try Type2Chips.named(name)
    self.init(chip)
  }
}
