import SwiftNFCCore

/// A point in time as certificates have it: YYYYMMDDhhmmss in UTC.
public struct DocumentTime: Hashable, Sendable, Comparable {
  /// Fourteen digits.
  public let digits: String

  /// Decodes UTCTime or GeneralizedTime (RFC 5280, 4.1.2.5).
  init?(_ object: BERObject) {
    let text = String(decoding: object.content.prefix { 0x30...0x39 ~= $0 }, as: UTF8.self)
    switch object.tag {
    case BERObject.Universal.utcTime:
      guard text.count >= 10, let year = Int(text.prefix(2)) else { return nil }
      self.init(digits: (year < 50 ? "20" : "19") + text)
    case BERObject.Universal.generalizedTime, 0x80, 0x81: self.init(digits: text)
    default: return nil
    }
  }

  /// Takes a date or a time; missing digits are zeros.
  init?(digits: String) {
    guard (8...14).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return nil
    }
    self.digits = digits + String(repeating: "0", count: 14 - digits.count)
  }

  /// Returns the same day in another year.
  func adding(years: Int) -> DocumentTime {
    let year = min(max((Int(digits.prefix(4)) ?? 0) + years, 0), 9999)
    let text = String(year)
    return DocumentTime(
      digits: String(repeating: "0", count: 4 - text.count) + text + digits.dropFirst(4)) ?? self
  }

  public static func < (left: DocumentTime, right: DocumentTime) -> Bool {
    left.digits < right.digits
  }
}

extension DocumentTime: CustomStringConvertible {
  /// The date as YYYY-MM-DD.
  public var description: String {
    let text = Array(digits)
    return String(text[0..<4]) + "-" + String(text[4..<6]) + "-" + String(text[6..<8])
  }
}
