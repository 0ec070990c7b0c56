import NFC
import SwiftNFCCore

/// An application that the payment system environment of a bank card lists, with its name only: no number and no
/// name of a person is in the list.
///
/// Source: EMV Contactless Book B, 3.3.1; EMV Book 1, 11.3.4, and annex B for the encoding.
package struct PaymentApplication: Equatable, Sendable {
  package let aid: [UInt8]
  /// The label that the card's issuer has chosen; empty if the card has none.
  package let label: String

  /// The name of the payment system, or else the label.
  package var name: String {
    if let scheme = Self.scheme(of: aid) { return scheme }
    return label.isEmpty ? "an application without a name" : label
  }

  /// Returns the applications in the answer to the selection of the environment. Anything else in it is skipped.
  package static func all(in answer: [UInt8]) -> [PaymentApplication] {
    var found: [PaymentApplication] = []
    collect(answer[...], depth: 0, &found)
    return found
  }

  private enum Tag {
    static let entry: UInt32 = 0x61
    static let aid: UInt32 = 0x4F
    static let label: UInt32 = 0x50
    /// 6F, A5 and BF0C, one in the other, contain the entries.
    static let containers: [UInt32] = [0x6F, 0xA5, 0xBF0C, 0x70]
  }

  private static let maximumDepth = 4
  private static let sizesOfIdentifiers = 5...16

  private static func collect(
    _ bytes: ArraySlice<UInt8>, depth: Int, _ found: inout [PaymentApplication]
  ) {
    guard depth < maximumDepth else { return }
    for object in BERObject.leading(in: bytes) {
      if Tag.containers.contains(object.tag) {
        collect(object.content, depth: depth + 1, &found)
      } else if object.tag == Tag.entry {
        let parts = BERObject.leading(in: object.content)
        guard let aid = parts.first(where: { $0.tag == Tag.aid })?.bytes,
          sizesOfIdentifiers.contains(aid.count)
        else { continue }
        let label = parts.first { $0.tag == Tag.label }?.bytes ?? []
        found.append(
          PaymentApplication(aid: aid, label: String(decoding: label, as: UTF8.self)))
      }
    }
  }

  /// Payment systems by their registered identifiers (ISO/IEC 7816-5), which begin every application
  /// identifier. Each was found in several public lists of such identifiers.
  private static let schemes: [(prefix: String, name: String)] = [
    ("A0000000043060", "Maestro"), ("A000000003", "Visa"), ("A000000004", "Mastercard"),
    ("A000000025", "American Express"), ("A000000042", "Cartes Bancaires"), ("A000000065", "JCB"),
    ("A000000121", "Dankort"), ("A000000152", "Discover"), ("A000000277", "Interac"),
    ("A000000324", "Discover"), ("A000000333", "UnionPay"), ("A000000359", "girocard"),
    ("A000000384", "eftpos"), ("A000000524", "RuPay"), ("A000000658", "Mir"),
  ]

  private static func scheme(of aid: [UInt8]) -> String? {
    let digits = aid.hexadecimal
    return schemes.first { digits.hasPrefix($0.prefix) }?.name
  }
}
