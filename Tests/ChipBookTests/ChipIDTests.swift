import Foundation
import Testing

@testable import SwiftNFCChipBook

/// Every chip has one identity, and no code asks for its name instead.
@Suite struct ChipIDTests {
  /// The products of all families, in all the ways that tags indicate them.
  private static let products: [TagProduct] = {
    let bytes = UInt8.min...UInt8.max
    var products = Type1Product.all.map(\.tagProduct)
    products += Type2Chip.all.map(\.product)
    products += MiFareClassicKind.all.map(\.product)
    products += CardChip.all.map(\.product)
    products += ISO15693Chip.all.map(\.tagProduct)
    products += SRxChip.all.map(\.product)
    products += (UInt8.min...UInt8.max).compactMap {
      FeliCaChip(pmm: [0x01, $0, 0, 0, 0, 0, 0, 0])?.product
    }
    return products
  }()

  private struct Name: Hashable {
    let name: String
    let maker: String
    let typeNumber: String?
  }

  @Test func everyChipHasItsOwnIdentity() {
    var names: [ChipID: Set<Name>] = [:]
    var identities: [Name: Set<ChipID>] = [:]
    for product in Self.products {
      let name = Name(name: product.name, maker: product.maker, typeNumber: product.typeNumber)
      names[product.id, default: []].insert(name)
      identities[name, default: []].insert(product.id)
    }
    for (id, found) in names { #expect(found.count == 1, "\(id): \(found)") }
    for (name, found) in identities { #expect(found.count == 1, "\(name): \(found)") }
  }

  /// The book has each identity once, which is the one place to add a chip.
  @Test func everyIdentityIsWrittenOnce() throws {
    let text = try Self.sources().filter { $0.file.hasPrefix("ChipBook/") }
      .flatMap(\.lines).joined(separator: "\n")
    for id in Set(Self.products.map(\.id)) {
      #expect(
        text.split(separator: "\"\(id)\"", omittingEmptySubsequences: false).count == 2, "\(id)")
    }
  }

  /// The record of a product is the one that the product is of.
  @Test func everyProductHasItsRecord() {
    for chip in Type2Chip.all { #expect(Type2Chip(chip.product) == chip) }
    for chip in CardChip.all { #expect(CardChip(chip.product) == chip) }
    for chip in ISO15693Chip.all { #expect(ISO15693Chip(chip.tagProduct) == chip) }
    for chip in SRxChip.all { #expect(SRxChip(chip.product) == chip) }
    for product in Self.products {
      let records =
        [Type2Chip(product) != nil, CardChip(product) != nil, ISO15693Chip(product) != nil]
        + [SRxChip(product) != nil, FeliCaChip(product) != nil]
      #expect(records.count(where: \.self) <= 1, "\(product)")
    }
  }

  /// What the records of a family say, by the names that makers give the chips.
  @Test func families() {
    for product in Self.products {
      func begins(_ prefixes: String...) -> Bool {
        prefixes.contains(where: product.name.hasPrefix)
      }
      let card = CardChip(product)
      let vicinity = ISO15693Chip(product)
      #expect(
        (card?.features.contains(.filePasswords) ?? false) == begins("ST25TA", "M24SR"),
        "\(product)")
      #expect((vicinity?.icode != nil) == begins("ICODE", "NTAG 5"), "\(product)")
      #expect(
        (vicinity?.areaRegisters == .dv) == begins("ST25DV", "ST25TV16K", "ST25TV64K")
          || product.name.contains("/"), "\(product)")
      #expect(
        (card?.generation != nil) == begins("MIFARE DESFire", "MIFARE DUOX", "NTAG 4"),
        "\(product)")
    }
  }

  /// A name may be printed. Nothing is decided by it.
  @Test func noCodeComparesTheNameOfAProduct() throws {
    let name = #"(product|product\(\)|chip|tagProduct)\??\.name\b"#
    let texts: [String] = [
      name + #"\s*(==|!=|~=|\?\?\s*""\))"#,
      name + #"\??\.(has|contains|starts|lowercased|uppercased)"#,
      #"(==|!=)\s*(\w+\.)*"# + name, #"switch\s+(\w+\.)*"# + name,
      #"(contains|first|index)\((of: )?(\w+\.)*"# + name, #"[\]\w]\[(\w+\.)*"# + name,
      #"let name\??\s*=\s*(\w+\.)*"# + name + #"(?!\s*\?\?)"#,
    ]
    let patterns = try texts.map { try Regex($0) }
    var count = 0
    for (file, lines) in try Self.sources() {
      count += 1
      for (number, line) in lines.enumerated() {
        for pattern in patterns {
          let found = line.contains(pattern)
          #expect(!found, "\(file):\(number + 1): \(line)")
        }
      }
    }
    #expect(count > 100)
  }

  /// Words of chips that are also those of families, in other enums.
  private static let familyNames: Set<String> = ["desfire", "feliCaLite", "plus", "ultralight"]

  /// Outside the book, no code mentions the identity of a chip: neither the type `ChipID`, which is internal to the book,
  /// nor the word of a chip as a case or member of something else (`.ntag215`), which would be a list of chips of its
  /// own. Virtual chips have their own facts on purpose; `.ntag216()` makes one. A text (`"ntag215"`) is a name of a
  /// virtual tag on the command line, and cannot become a `ChipID`.
  @Test func noCodeOutsideTheBookMentionsAChip() throws {
    let names = Set(Self.products.map { $0.id.description }).subtracting(Self.familyNames)
    let mention = try Regex(#"\.(\w+)\b(?!\()"#, as: (Substring, Substring).self)
    for (file, lines) in try Self.sources() {
      guard !file.hasPrefix("ChipBook/"), !file.hasPrefix("VirtualNFC/") else { continue }
      for (number, line) in lines.enumerated() {
        let code = line.split(separator: "//", omittingEmptySubsequences: false)[0]
        #expect(!code.contains("ChipID"), "\(file):\(number + 1): \(line)")
        let found = code.matches(of: mention).map { String($0.output.1) }
          .filter { names.contains($0) }
        #expect(found.isEmpty, "\(file):\(number + 1): \(line)")
      }
    }
  }

  /// What decides a byte's meaning in a virtual chip is not read from the book: a misreading of a data sheet would be made
  /// twice, and seen by no test.
  @Test func virtualChipsHaveTheirOwnFacts() throws {
    let records = try Regex(
      #"\b(SwiftNFCChipBook|ISO15693Chip|CardChip|FeliCaChip|FeliCaLiteLayout|SRxChip|MiFareClassicKind|Type1Product"#
        + #"|Type2PageMap|Type2LockBits|SignatureKeys)\b"#)
    for (file, lines) in try Self.sources() where file.hasPrefix("VirtualNFC/") {
      for (number, line) in lines.enumerated() {
        let code = line.split(separator: "//", omittingEmptySubsequences: false)[0]
        #expect(!code.contains(records), "\(file):\(number + 1): \(line)")
      }
    }
  }

  /// The lines of all sources, by their path.
  private static func sources() throws -> [(file: String, lines: [Substring])] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    return try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(".swift") }.map { path in
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return (path, text.split(separator: "\n", omittingEmptySubsequences: false))
      }
  }
}
