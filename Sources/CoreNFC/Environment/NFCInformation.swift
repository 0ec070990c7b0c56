import Foundation
import NFC

/// The entries of Info.plist that Core NFC reads. This is an addition to Apple's interface.
public struct NFCInformation: Hashable, Sendable {
  /// `NFCReaderUsageDescription`: the purpose for which the program uses NFC.
  public var usageDescription: String?
  /// `com.apple.developer.nfc.readersession.iso7816.select-identifiers`: the applications to select
  /// on ISO 7816 cards, in this order, in hexadecimal.
  public var applicationIdentifiers: [String]
  /// `com.apple.developer.nfc.readersession.felica.systemcodes`: the systems to poll for on FeliCa
  /// cards, in this order, two bytes each in hexadecimal.
  public var systemCodes: [String]
  /// `com.apple.developer.nfc.hce.iso7816.select-identifier-prefixes`: the applications of a ``CardSession``, or
  /// beginnings of their identifiers, in hexadecimal; `nil` without the key, and then all commands are delivered.
  public var cardApplicationIdentifiers: [String]?

  /// Creates the entries of an Info.plist and its entitlements.
  public init(
    usageDescription: String? = nil, applicationIdentifiers: [String] = [],
    systemCodes: [String] = [], cardApplicationIdentifiers: [String]? = nil
  ) {
    self.usageDescription = usageDescription
    self.applicationIdentifiers = applicationIdentifiers
    self.systemCodes = systemCodes
    self.cardApplicationIdentifiers = cardApplicationIdentifiers
  }

  /// The keys, as they are written in Info.plist.
  enum Key {
    static let usageDescription = "NFCReaderUsageDescription"
    static let applicationIdentifiers =
      "com.apple.developer.nfc.readersession.iso7816.select-identifiers"
    static let systemCodes = "com.apple.developer.nfc.readersession.felica.systemcodes"
    static let cardApplicationIdentifiers =
      "com.apple.developer.nfc.hce.iso7816.select-identifier-prefixes"
  }

  /// The file `Info.plist` in the directory of the executable, or else the main bundle's. Empty if
  /// there is none, or if it cannot be read.
  public static var main: NFCInformation {
    let beside = Bundle.main.executableURL?.resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("Info.plist")
    if let beside, let information = NFCInformation(contentsOf: beside) { return information }
    return NFCInformation(Bundle.main.infoDictionary ?? [:])
  }

  /// Reads a property list; `nil` if there is none.
  public init?(contentsOf file: URL) {
    guard let data = try? Data(contentsOf: file),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let dictionary = list as? [String: Any]
    else { return nil }
    self.init(dictionary)
  }

  init(_ dictionary: [String: Any]) {
    self.init(
      usageDescription: dictionary[Key.usageDescription] as? String,
      applicationIdentifiers: dictionary[Key.applicationIdentifiers] as? [String] ?? [],
      systemCodes: dictionary[Key.systemCodes] as? [String] ?? [],
      cardApplicationIdentifiers: dictionary[Key.cardApplicationIdentifiers] as? [String])
  }

  /// The listed applications. An entry that is not an AID does not keep an iPhone from the others: the list of
  /// NickAtGit's `iOS26-CoreNFC-Crash` has eight.
  var identifiers: [ApplicationIdentifier] {
    applicationIdentifiers.compactMap(ApplicationIdentifier.init(hexadecimal:))
  }

  /// The prefixes of a card's applications, each at least as long as the identifier of a provider; `nil` without the key.
  var cardApplicationPrefixes: [[UInt8]]? {
    cardApplicationIdentifiers?.compactMap { text in
      [UInt8](hexadecimal: text).flatMap { ApplicationFilter.lengths.contains($0.count) ? $0 : nil }
    }
  }

  /// The entries that are not AIDs.
  var invalidIdentifiers: [String] {
    applicationIdentifiers.filter { ApplicationIdentifier(hexadecimal: $0) == nil }
  }

  /// The listed systems, without entries that are no system code.
  var systems: [UInt16] { systemCodes.compactMap(Self.system) }

  /// Returns the listed systems for a session that polls for FeliCa.
  ///
  /// - Throws: `readerErrorSecurityViolation` for an entry that is not a system code, or that has
  ///   wildcards.
  func checkedSystems() throws -> [UInt16] {
    try systemCodes.map { text in
      guard let system = Self.system(text) else {
        throw NFCReaderError(
          violating: Key.systemCodes,
          "has \"\(text)\", which is not a system code: two bytes in hexadecimal, neither of them FF"
        )
      }
      return system
    }
  }

  /// Returns a system code without wildcards; `nil` if the text is none.
  static func system(_ text: String) -> UInt16? {
    guard let bytes = [UInt8](hexadecimal: text), bytes.count == 2, !bytes.contains(0xFF) else {
      return nil
    }
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }
}

extension NFCReaderError {
  /// - Parameter complaint: follows the key's name.
  init(violating key: String, _ complaint: String) {
    let text = "Missing required entitlement: Info.plist \(complaint) (\(key))"
    self.init(.readerErrorSecurityViolation, userInfo: [NSLocalizedDescriptionKey: text])
  }
}
