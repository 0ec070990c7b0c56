import NFC

/// An application that the payment system environment of a bank card lists, with its name only: no number and no
/// name of a person is in the list.
///
/// Source: EMV Contactless Book B, 3.3.1; EMV Book 1, 11.3.4, and annex B for the encoding.
struct PaymentApplication: Equatable {
  let aid: [UInt8]
  /// The label that the card's issuer has chosen; empty if the card has none.
  let label: String

  /// The name of the payment system, or else the label.
  var name: String {
    if let scheme = Self.scheme(of: aid) { return scheme }
    return label.isEmpty ? "an application without a name" : label
  }

  /// Returns the applications in the answer to the selection of the environment. Anything else in it is skipped.
  static func all(in answer: [UInt8]) -> [PaymentApplication] {
    var found: [PaymentApplication] = []
    collect(answer[...], depth: 0, &found)
    return found
  }

  private enum Tag {
    static let entry: [UInt8] = [0x61]
    static let aid: [UInt8] = [0x4F]
    static let label: [UInt8] = [0x50]
    /// 6F, A5 and BF0C, one in the other, contain the entries.
    static let containers: [[UInt8]] = [[0x6F], [0xA5], [0xBF, 0x0C], [0x70]]
  }

  private static let maximumDepth = 4
  private static let sizesOfIdentifiers = 5...16

  private static func collect(
    _ bytes: ArraySlice<UInt8>, depth: Int, _ found: inout [PaymentApplication]
  ) {
    guard depth < maximumDepth else { return }
    for object in objects(bytes) {
      if Tag.containers.contains(object.tag) {
        collect(object.value, depth: depth + 1, &found)
      } else if object.tag == Tag.entry {
        let parts = objects(object.value)
        guard let aid = parts.first(where: { $0.tag == Tag.aid })?.value,
          sizesOfIdentifiers.contains(aid.count)
        else { continue }
        let label = parts.first { $0.tag == Tag.label }?.value ?? []
        found.append(
          PaymentApplication(aid: Array(aid), label: String(decoding: label, as: UTF8.self)))
      }
    }
  }

  /// Returns the data objects up to the first that is not complete (EMV Book 3, annex B).
  private static func objects(
    _ bytes: ArraySlice<UInt8>
  ) -> [(tag: [UInt8], value: ArraySlice<UInt8>)] {
    var rest = bytes
    var found: [(tag: [UInt8], value: ArraySlice<UInt8>)] = []
    while let first = rest.popFirst() {
      var tag = [first]
      if first & 0x1F == 0x1F {
        repeat {
          guard let next = rest.popFirst() else { return found }
          tag.append(next)
        } while tag[tag.count - 1] & 0x80 != 0
      }
      guard var length = rest.popFirst().map(Int.init) else { return found }
      if length == 0x81 {
        guard let next = rest.popFirst() else { return found }
        length = Int(next)
      }
      guard length <= rest.count else { return found }
      found.append((tag, rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return found
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
