import TagImages
import Testing
import VirtualNFC

/// Images of all virtual chips, as seeds for fuzzing and for round trips.
enum FuzzSeeds {
  static let chips = VirtualTag.names.filter { ((try? VirtualTag.named($0))?.image) != nil }

  static func all(_ format: ImageFormat) throws -> [[UInt8]] {
    try chips.compactMap { name in
      guard let image = try VirtualTag.named(name).image, image.memory.bytes.count < 2100 else {
        return nil
      }
      return try? format.encode(image).bytes
    }
  }
}

/// Tests every virtual chip in every format and back to a chip.
@Suite struct RoundTripTests {
  /// All names, as `nfc virtual --list` shows them.
  static let everyName = VirtualTag.names.flatMap { [$0, "blank-\($0)"] }.filter {
    (try? VirtualTag.named($0)) != nil
  }

  /// A new chip without an image fails here.
  @Test func everyChipHasAnImage() {
    #expect(FuzzSeeds.chips == VirtualTag.names)
  }

  /// For each chip, one format holds all of it and results in the same chip. No format holds the header
  /// ROM of a Topaz 512, which is the same in all of them.
  @Test(arguments: everyName) func someFileHoldsAllOfIt(_ name: String) throws {
    let tag = try VirtualTag.named(name)
    let image = try #require(tag.image)
    let files = ImageFormat.allCases.compactMap { format in
      (try? format.encode(image)).map { (format, $0) }
    }
    let losses = name.hasSuffix("topaz512") ? ["header ROM"] : []
    let (format, file) = try #require(files.first { $0.1.losses == losses })
    let again = try VirtualTag.image(format.decode(file.bytes))
    #expect(again.image == image)
    #expect(again.identifier == tag.identifier)
  }

  /// The chip that is created from an image has the same image.
  @Test(arguments: everyName) func everyChipIsMadeOfItsImage(_ name: String) throws {
    let image = try #require(try VirtualTag.named(name).image)
    #expect(try VirtualTag.image(image).image == image)
  }

  @Test(arguments: FuzzSeeds.chips, ImageFormat.allCases)
  func isPreservedExceptWhatIsNamed(_ name: String, _ format: ImageFormat) throws {
    let image = try #require(try VirtualTag.named(name).image)
    let encoding: ImageFormat.Encoding
    do {
      encoding = try format.encode(image)
    } catch {
      #expect(error.code == .cannotHold)
      #expect(!error.alternatives.isEmpty)
      for other in error.alternatives { _ = try other.encode(image) }
      return
    }
    let copy = try format.decode(encoding.bytes)
    if encoding.losses.isEmpty { #expect(copy == image) }
    // Writing it again results in the same file.
    if copy.kind == image.kind { #expect(try format.encode(copy).bytes == encoding.bytes) }
    let tag = try VirtualTag.image(copy)
    if encoding.losses.isEmpty { #expect(tag.image == image) }
    if copy.kind == image.kind, !encoding.losses.contains(where: { $0.hasPrefix("block") }) {
      #expect(tag.image?.memory == image.memory)
    }
  }

  /// Flipper's files lose nothing of our chips.
  @Test(arguments: FuzzSeeds.chips.filter { !$0.hasPrefix("topaz") && $0 != "iclass" })
  func flipperHoldsAll(_ name: String) throws {
    let image = try #require(try VirtualTag.named(name).image)
    #expect(try ImageFormat.flipper.encode(image).losses == [])
  }

  @Test func whatIsLostIsNamed() throws {
    let slix2 = try #require(try VirtualTag.named("icode-slix2").image)
    #expect(
      try ImageFormat.binary.encode(slix2).losses == [
        "UID", "signature", "DSFID", "AFI", "IC reference", "locks", "passwords", "protection",
      ])
    let lite = try #require(try VirtualTag.named("felica-lite-s").image)
    #expect(
      try ImageFormat.emulator.encode(lite).losses == [
        "IDm", "PMm", "blocks 82, 83, 84, 85, 86, 88, 90",
      ])
    let classic = try #require(try VirtualTag.named("classic-1k").image)
    for format in ImageFormat.allCases where format != .picoPass {
      #expect(try format.encode(classic).losses == [])
    }
  }

  /// A card without known keys cannot be opened with any public key.
  @Test func keysThatAreUnknownAreNotGuessed() throws {
    var image = try #require(try VirtualTag.named("blank-classic-1k").image)
    image.memory.markUnknown(64..<128)
    let memory = try VirtualTag.image(image).memory
    for key in [memory[112..<118], memory[122..<128]] {
      #expect(key.contains { $0 != 0xFF })
      #expect(key.contains { $0 != 0x00 })
    }
    #expect(Array(memory[118..<122]) == [0xFF, 0x07, 0x80, 0x69])
  }

  @Test func comparesWhatIsKnown() throws {
    let image = try #require(try VirtualTag.named("ntag215").image)
    var other = image
    other.memory.set([0x01, 0x02, 0x03, 0x04], at: 40)
    other.memory.markUnknown(44..<48)
    other.signature = nil
    // The password is FFFFFFFF.
    other.memory.set([0x11, 0x22, 0x33, 0x44], at: 133 * 4)
    let comparison = image.comparison(with: other)
    #expect(
      comparison.changes.map(\.after) == ["01020304", "########"])
    #expect(comparison.changes.map(\.before) == ["00000000", "********"])
    #expect(comparison.incomparable == [11])
    #expect(comparison.others == [])
    other.signature = [0]
    #expect(image.comparison(with: other).others.map(\.name) == ["signature"])
  }
}
