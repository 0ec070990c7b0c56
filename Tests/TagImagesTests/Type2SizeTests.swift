import TagImages
import Testing

/// Tests plain bytes of an NTAG215 without all of its pages or with more, as programs for game figures store them, and
/// sizes that no chip has.
@Suite struct Type2SizeTests {
  private static let tag = Dialects.NTAG215()
  private static let pages = tag.pages.flatMap { $0 }

  /// Numbers that no tag has are beyond the end.
  @Test func theEndOfAMemory() {
    var memory = TagImage.Memory(unitSize: 4, bytes: [1, 2, 3, 4, 5, 6])
    #expect(memory.unitCount == 2)
    #expect(memory.unit(1) == [5, 6])
    for number in [2, Int.max / 4, .max] {
      #expect(memory.range(ofUnit: number) == 6..<6)
      #expect(memory.unit(number) == [])
    }
    #expect(memory.range(ofUnit: .min) == 0..<4)
    memory.set([9, 9, 9], at: 5)
    memory.set([7], at: .max)
    memory.set([7, 8], at: -1)
    #expect(memory.bytes == [8, 2, 3, 4, 5, 9])
    let large = TagImage.Memory(unitSize: .max, bytes: [1])
    #expect(large.unitCount == 1 && large.unit(0) == [1] && large.unit(1) == [])
  }

  @Test func readsTheSignatureAfterThePages() throws {
    let image = try ImageFormat.binary.decode(Self.pages + Self.tag.signature)
    #expect(image.type2Chip?.name == "NTAG215")
    #expect(image.uid == Self.tag.uid)
    #expect(image.memory.unitCount == 135)
    #expect(image.signature == Self.tag.signature)
    let file = try ImageFormat.flipper.encode(image)
    #expect(file.losses == [])
    let text = String(decoding: file.bytes, as: UTF8.self)
    #expect(text.contains("NTAG/Ultralight type: NTAG215\n"))
    #expect(text.contains("Pages total: 135\n"))
    // Zeros in its place are no signature.
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(try ImageFormat.binary.decode(Self.pages + zeros).signature == nil)
  }

  /// The rest is unknown: it is not invented, and a file that has no mark for it names that.
  @Test(arguments: [(532, 133), (520, 130)])
  func readsAnNTAG215WithoutItsLastPages(_ size: Int, _ known: Int) throws {
    let bytes = Array(Self.pages.prefix(size))
    let lines = bytes.indices.filter { $0 % 4 == 0 }.map {
      Dialects.hexadecimal(Array(bytes[$0..<$0 + 4]), "") + "\n"
    }
    for image in [
      try ImageFormat.binary.decode(bytes),
      try ImageFormat.emulator.decode(Array(lines.joined().utf8)),
    ] {
      #expect(image.type2Chip?.name == "NTAG215")
      #expect(image.memory.unitCount == 135)
      #expect(image.memory.known(0..<size) == bytes)
      #expect(!image.memory.isKnown[size...].contains(true))
      let file = try ImageFormat.flipper.encode(image)
      #expect(file.losses == [])
      let copy = try ImageFormat.flipper.decode(file.bytes)
      #expect(copy.type2Chip?.name == "NTAG215")
      #expect(copy.memory == image.memory)
      #expect(copy.memory.unit(known).allSatisfy { $0 == nil })
      #expect(try ImageFormat.binary.encode(image).losses == ["which bytes are unknown"])
    }
  }

  /// A size that no chip has is not written as that of another chip.
  @Test(arguments: [17, 40, 128, 134, 144, 232])
  func aFileOfNoKnownChipIsKept(_ count: Int) throws {
    var bytes = Self.pages
    while bytes.count < count * 4 { bytes += [0, 0, 0, 0] }
    let image = try ImageFormat.emulator.decode(
      Array(
        (0..<count).map { Dialects.hexadecimal(Array(bytes[4 * $0..<4 * $0 + 4]), "") + "\n" }
          .joined().utf8))
    #expect(image.kind == .type2)
    #expect(image.type2Chip == nil)
    for format in [ImageFormat.flipper, .proxmark, .binary, .emulator] {
      let encoding = try format.encode(image)
      #expect(encoding.losses.isEmpty, "\(format)")
      #expect(try format.decode(encoding.bytes).memory == image.memory, "\(format)")
    }
  }
}
