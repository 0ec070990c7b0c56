import SwiftNFCCore

/// EF.COM: the versions and the list of data groups (Doc 9303-10, 4.6.1). It is not signed.
public struct CommonData: Hashable, Sendable {
  /// The version of the Logical Data Structure, such as `1.7`; `nil` if the file has none.
  public let version: String?
  /// The version of Unicode, such as `4.0.0`; `nil` if the file has none.
  public let unicodeVersion: String?
  /// The numbers of the data groups, 3 and 4 among them.
  public let groups: [Int]

  /// Decodes the file.
  ///
  /// - Throws: `DataObjectError`.
  public init(_ file: [UInt8]) throws(DataObjectError) {
    let whole = try BERObject(file)
    guard whole.tag == 0x60 else { throw DataObjectError("EF.COM has another tag", at: 0) }
    let fields = try whole.children()
    func text(_ tag: UInt32) -> String? {
      fields.first { $0.tag == tag }.map { String(decoding: $0.content, as: UTF8.self) }
    }
    version = Self.dotted(text(0x5F01))
    unicodeVersion = Self.dotted(text(0x5F36))
    groups = fields.first { $0.tag == 0x5C }?.content.compactMap(DataGroup.number) ?? []
  }

  /// Two digits for each part: `0107`, `040000`.
  private static func dotted(_ text: String?) -> String? {
    guard let text, text.count.isMultiple(of: 2), text.allSatisfy(\.isNumber) else { return text }
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      Int(String(digits[$0..<$0 + 2])).map(String.init)
    }.joined(separator: ".")
  }
}

/// EF.ATR/INFO, as far as it says which lengths the chip supports (Doc 9303-10, 3.11.1; ISO/IEC 7816-4, 12.7.1).
public struct ChipAttributes: Hashable, Sendable {
  /// The maximum number of bytes of a command with extended length fields; `nil` if it is not stated.
  public let maximumCommandLength: Int?
  /// The maximum number of bytes of an answer to it.
  public let maximumResponseLength: Int?
  /// The bytes of the card capabilities.
  public let capabilities: [UInt8]?

  /// Decodes the file: objects until its end or padding.
  ///
  /// - Throws: `DataObjectError` for a file that does not begin with an object.
  public init(_ file: [UInt8]) throws(DataObjectError) {
    var rest = file[...]
    var objects: [BERObject] = []
    while let first = rest.first, first != 0, first != 0xFF {
      do {
        let object = try BERObject(rest)
        objects.append(object)
        rest = rest[object.encoded.endIndex...]
      } catch {
        if objects.isEmpty { throw error }
        break
      }
    }
    let sizes = objects.first { $0.tag == 0x7F66 }.flatMap { try? $0.children() }?
      .compactMap(\.smallInteger)
    maximumCommandLength = sizes.flatMap { $0.count == 2 ? $0[0] : nil }
    maximumResponseLength = sizes.flatMap { $0.count == 2 ? $0[1] : nil }
    capabilities = objects.first { $0.tag == 0x47 }?.bytes
  }
}

/// EF.DIR: the applications of the chip (Doc 9303-10, 3.11.2; ISO/IEC 7816-4, 12.2.3.2).
public struct ApplicationDirectory: Hashable, Sendable {
  /// The names of the applications.
  public let applications: [[UInt8]]

  /// Decodes the file: templates with tag 61 until its end or padding.
  ///
  /// - Throws: `DataObjectError` for a file that does not begin with an object.
  public init(_ file: [UInt8]) throws(DataObjectError) {
    var rest = file[...]
    var names: [[UInt8]] = []
    var isFirst = true
    while let first = rest.first, first != 0, first != 0xFF {
      let object: BERObject
      do { object = try BERObject(rest) } catch {
        if isFirst { throw error }
        break
      }
      isFirst = false
      if object.tag == 0x61, let name = try? object.children().first(where: { $0.tag == 0x4F }) {
        names.append(name.bytes)
      }
      rest = rest[object.encoded.endIndex...]
    }
    applications = names
  }
}
