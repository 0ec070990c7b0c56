import SwiftNFCCore

/// Data group 11: further details of the holder (Doc 9303-10, 4.7.11). Every field may be missing.
public struct PersonalDetails: Hashable, Sendable {
  /// The name in the state's own script.
  public private(set) var fullName: String?
  /// Other names.
  public private(set) var otherNames: [String] = []
  /// The personal number.
  public private(set) var personalNumber: String?
  /// The date of birth as YYYYMMDD; unknown parts are as the document has them.
  public private(set) var birth: String?
  /// The place of birth, from the smaller place to the larger.
  public private(set) var birthPlace: [String] = []
  /// The address.
  public private(set) var address: [String] = []
  /// The telephone number.
  public private(set) var telephone: String?
  /// The profession.
  public private(set) var profession: String?
  /// The title.
  public private(set) var title: String?
  /// The personal summary.
  public private(set) var summary: String?
  /// The image of proof of citizenship.
  public private(set) var citizenshipImage: [UInt8]?
  /// Numbers of other valid travel documents.
  public private(set) var otherDocuments: [String] = []
  /// Information about custody.
  public private(set) var custody: String?

  /// Decodes the data group. What is unknown in it is left out.
  ///
  /// - Throws: `DataObjectError`.
  public init(_ file: [UInt8]) throws(DataObjectError) {
    for (tag, value) in try DetailFields.all(in: file, tag: 0x6B, repeated: 0x5F0F) {
      let text = DetailFields.text(value)
      switch tag {
      case 0x5F0E: fullName = text.map(DetailFields.name)
      case 0x5F0F: otherNames += [text].compactMap(\.self).map(DetailFields.name)
      case 0x5F10: personalNumber = text
      case 0x5F2B: birth = DetailFields.date(value)
      case 0x5F11: birthPlace = DetailFields.parts(text)
      case 0x5F42: address = DetailFields.parts(text)
      case 0x5F12: telephone = text
      case 0x5F13: profession = text
      case 0x5F14: title = text
      case 0x5F15: summary = text
      case 0x5F16: citizenshipImage = value.isEmpty ? nil : value
      case 0x5F17: otherDocuments = DetailFields.parts(text)
      case 0x5F18: custody = text
      default: break
      }
    }
  }
}

/// Data group 12: further details of the document (Doc 9303-10, 4.7.12). Every field may be missing.
public struct IssueDetails: Hashable, Sendable {
  /// The issuing authority.
  public private(set) var authority: String?
  /// The date of issue as YYYYMMDD.
  public private(set) var issue: String?
  /// Other persons in the document.
  public private(set) var otherPersons: [String] = []
  /// Endorsements and observations.
  public private(set) var observations: String?
  /// Tax and exit requirements.
  public private(set) var taxRequirements: String?
  /// The image of the front of the document.
  public private(set) var frontImage: [UInt8]?
  /// The image of the rear of the document.
  public private(set) var rearImage: [UInt8]?
  /// The time of personalization as YYYYMMDDhhmmss.
  public private(set) var personalizationTime: String?
  /// The serial number of the personalization system.
  public private(set) var systemSerialNumber: String?

  /// Decodes the data group. What is unknown in it is left out.
  ///
  /// - Throws: `DataObjectError`.
  public init(_ file: [UInt8]) throws(DataObjectError) {
    for (tag, value) in try DetailFields.all(in: file, tag: 0x6C, repeated: 0x5F1A) {
      let text = DetailFields.text(value)
      switch tag {
      case 0x5F19: authority = text
      case 0x5F26: issue = DetailFields.date(value)
      case 0x5F1A: otherPersons += [text].compactMap(\.self).map(DetailFields.name)
      case 0x5F1B: observations = text
      case 0x5F1C: taxRequirements = text
      case 0x5F1D: frontImage = value.isEmpty ? nil : value
      case 0x5F1E: rearImage = value.isEmpty ? nil : value
      case 0x5F55: personalizationTime = DetailFields.date(value)
      case 0x5F56: systemSerialNumber = text
      default: break
      }
    }
  }
}

/// A person to notify: data group 16 (Doc 9303-10, 4.7.16).
public struct PersonToNotify: Hashable, Sendable {
  /// The date on which this was recorded, as YYYYMMDD.
  public private(set) var recorded: String?
  /// The name.
  public private(set) var name: String?
  /// The telephone number.
  public private(set) var telephone: String?
  /// The address.
  public private(set) var address: [String] = []

  /// Decodes the data group.
  ///
  /// - Throws: `DataObjectError`.
  public static func all(in file: [UInt8]) throws(DataObjectError) -> [PersonToNotify] {
    let group = try BERObject(file)
    guard group.tag == 0x70 else { throw DataObjectError("data group 16 has another tag", at: 0) }
    var persons: [PersonToNotify] = []
    for template in try group.children() where template.tag >= 0xA0 && template.tag <= 0xBF {
      var person = PersonToNotify()
      for field in try template.children() {
        let text = DetailFields.text(field.bytes)
        switch field.tag {
        case 0x5F50: person.recorded = DetailFields.date(field.bytes)
        case 0x5F51: person.name = text.map(DetailFields.name)
        case 0x5F52: person.telephone = text
        case 0x5F53: person.address = DetailFields.parts(text)
        default: break
        }
      }
      persons.append(person)
    }
    return persons
  }
}

/// The fields of data groups 11 and 12.
private enum DetailFields {
  /// Returns the fields, also those in templates with other names or persons, and those outside of one.
  static func all(
    in file: [UInt8], tag: UInt32, repeated: UInt32
  ) throws(DataObjectError) -> [(tag: UInt32, value: [UInt8])] {
    let group = try BERObject(file)
    guard group.tag == tag else { throw DataObjectError("a data group has another tag", at: 0) }
    var fields: [(tag: UInt32, value: [UInt8])] = []
    for object in try group.children() {
      // A template contains a number and the repeated field. Some documents have an empty or another one.
      if object.tag == 0xA0 {
        for part in (try? object.children()) ?? [] where part.tag == repeated {
          fields.append((part.tag, part.bytes))
        }
      } else {
        fields.append((object.tag, object.bytes))
      }
    }
    return fields
  }

  /// Returns text; `nil` if it is empty. Most documents have UTF-8, older ones Latin-1.
  static func text(_ bytes: [UInt8]) -> String? {
    let trimmed =
      String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(UnicodeScalar($0)) })
    let text = trimmed.filter { $0 != "\0" }
    return text.isEmpty ? nil : text
  }

  /// Replaces the fillers of a name by spaces, and those between its parts by a comma.
  static func name(_ text: String) -> String {
    text.split(separator: "<<").map { $0.split(separator: "<").joined(separator: " ") }
      .joined(separator: ", ")
  }

  static func parts(_ text: String?) -> [String] {
    text?.split(separator: "<").map(String.init) ?? []
  }

  /// A date is text, or BCD in some documents; its parts may be unknown.
  static func date(_ bytes: [UInt8]) -> String? {
    if bytes.isEmpty { return nil }
    let isText = bytes.allSatisfy { (0x30...0x39).contains($0) || $0 == CheckDigit.filler }
    if isText { return String(decoding: bytes, as: UTF8.self) }
    let digits = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
    guard digits.allSatisfy({ $0 < 10 }) else { return text(bytes) }
    return digits.map { String($0) }.joined()
  }
}
