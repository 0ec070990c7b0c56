import SwiftNFCJSONText
import NFC
import TagImages

/// Lists a memory in hexadecimal and ASCII, with a mark for each locked page or block.
struct MemoryListing {
  let image: TagImage
  var locked: Set<Int> = []

  init(_ image: TagImage, locked: [Int] = []) {
    self.image = image
    self.locked = Set(locked)
  }

  private var unit: String { image.kind.unit }

  private var units: [(number: Int, bytes: [UInt8])] {
    (0..<image.memory.unitCount).compactMap { unit in
      // For a FeliCa Lite, only the blocks that can be read are listed.
      if image.kind == .feliCaLite, image.memory.known(image.memory.range(ofUnit: unit)) == nil {
        return nil
      }
      return (
        image.number(ofUnit: unit), Array(image.memory.bytes[image.memory.range(ofUnit: unit)])
      )
    }
  }

  var lines: [String] {
    let width = String(max(0, units.count - 1)).count
    return units.map { number, bytes in
      let digits = String(number)
      let mark = locked.contains(number) ? "*" : " "
      let hexadecimal = bytes.map { [$0].hexadecimal }.joined(separator: " ")
      let text = bytes.map { (0x20...0x7E).contains($0) ? Character(Unicode.Scalar($0)) : "." }
      return String(repeating: " ", count: width - digits.count) + digits + mark + " "
        + hexadecimal + "  " + String(text)
    }
  }

  var member: JSONValue.Member {
    JSONValue.Member(
      key: "memory",
      value: .array(
        units.map { number, bytes in
          .members([
            unit: .integer(number), "data": .bytes(bytes),
            "locked": locked.contains(number) ? .bool(true) : nil,
          ])
        }))
  }
}
