import Foundation
import Testing

@testable import SwiftNFCCore

/// Every chip has one identity, and no code asks for its name instead.
@Suite struct ChipIDTests {
  /// The products of all families, in all the ways that tags indicate them.
  private static let products: [TagProduct] = {
    let bytes = UInt8.min...UInt8.max
    var products = Type1Product.all.map(\.tagProduct)
    products += Type2Chip.all.map(\.product)
    products += MiFareClassicKind.all.map(\.product)
    products += bytes.compactMap {
      TypeAIdentification.st25ta(uid: [0x02, $0, 0x00, 0x11, 0x22, 0x33, 0x44])
    }
    let plus: [[UInt8]] = [
      [0xC1, 0x05, 0x2F, 0x2F, 0x00, 0x35, 0xC7], [0xC1, 0x05, 0x2F, 0x2F, 0x01, 0xBC, 0xD6],
      [0xC1, 0x05, 0x21, 0x30, 0x00, 0xF6, 0xD1], [0xC1, 0x05, 0x21, 0x30, 0x10, 0xF6, 0xD1],
      [0xC1, 0x05, 0x2F, 0x2F],
    ]
    products += plus.compactMap { historicalBytes in
      let target = ISO14443ATarget(
        uid: [0x04, 1, 2, 3, 4, 5, 6], atqa: [0x00, 0x44], sak: 0x20,
        ats: [0x75, 0x77, 0x81, 0x02] + historicalBytes)
      return TypeAIdentification.plus(target)
    }
    products += bytes.compactMap {
      ST25TBProduct.tagProduct(uid: [0xD0, 0x02, $0, 0x11, 0x22, 0x33, 0x44, 0x55])
    }
    for type in bytes {
      products += bytes.compactMap { major in
        DESFireVersion(hardware: [0x04, type, 0x01, major, 0x00, 0x19, 0x05], bytes: nil)?.product
      }
      products += [FeliCaICType(pmm: [0x01, type, 0, 0, 0, 0, 0, 0])?.product].compactMap(\.self)
    }
    for maker in bytes {
      for kind in bytes {
        for serial in stride(from: UInt8.min, to: .max, by: 8) {
          let uid = [0xE0, maker, kind, serial, 0x11, 0x22, 0x33, 0x44]
          guard let product = ISO15693Product(uid: uid) else { continue }
          products += [product.tagProduct(uid: uid)].compactMap(\.self)
          for count in product.variants.keys {
            let information = ISO15693SystemInformation(uid: uid, blockSize: 4, blockCount: count)
            products += [product.narrowed(by: information).tagProduct(uid: uid)].compactMap(\.self)
          }
        }
      }
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
    #expect(Set(ChipID.allCases).subtracting(names.keys).isEmpty, "no chip has these")
  }

  /// The families by the names that makers give them.
  @Test func families() {
    for product in Self.products {
      func begins(_ prefixes: String...) -> Bool {
        prefixes.contains(where: product.name.hasPrefix)
      }
      #expect(product.id.isST25DV == begins("ST25DV"), "\(product)")
      #expect(product.id.isST25TA == begins("ST25TA", "M24SR"), "\(product)")
      #expect(product.id.isICODE == begins("ICODE", "NTAG 5"), "\(product)")
      #expect(product.id.isDESFire == begins("MIFARE DESFire"), "\(product)")
      #expect(product.id.isFeliCaLite == begins("FeliCa Lite"), "\(product)")
    }
  }

  /// A name may be printed. Nothing is decided by it.
  @Test func noCodeComparesTheNameOfAProduct() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let name = #"(product|product\(\)|chip|tagProduct)\??\.name\b"#
    let patterns = [
      name + #"\s*(==|!=|~=|\?\?\s*""\))"#,
      name + #"\??\.(has|contains|starts|lowercased|uppercased)"#,
      #"(==|!=)\s*(\w+\.)*"# + name, #"switch\s+(\w+\.)*"# + name,
      #"(contains|first|index)\((of: )?(\w+\.)*"# + name, #"[\]\w]\[(\w+\.)*"# + name,
      #"let name\??\s*=\s*(\w+\.)*"# + name + #"(?!\s*\?\?)"#,
    ].map { try? Regex($0) }
    var count = 0
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      count += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        for pattern in patterns {
          let found = try line.contains(#require(pattern))
          #expect(!found, "\(file.lastPathComponent):\(number + 1): \(line)")
        }
      }
    }
    #expect(count > 100)
  }
}
