import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// Faces in both standards and three formats, also in records whose numbers are wrong.
@Suite struct FaceTests {
  private static let jpeg =
    bytes("FFD8FFE000104A46494600010100000100010000FFC0000B080040003001011100")
    + [UInt8](repeating: 7, count: 40)
  /// Without JFIF.
  private static let plainJPEG =
    bytes("FFD8FFDB00040000FFC2000B080140010001011100") + [UInt8](repeating: 7, count: 40)
  private static let j2k =
    bytes("FF4FFF51002F000000000030000000400000000000000000") + [UInt8](repeating: 7, count: 40)
  private static let jp2 =
    bytes(
      "0000000C6A5020200D0A870A 000000146674797 06A703220000000006A703220 0000002D6A703268 0000001669686472"
        .filter { $0 != " " } + "00000040000000300003070700 00".filter { $0 != " " })
    + [UInt8](repeating: 7, count: 40)

  static let images: [(String, [UInt8], DocumentImage.Format, Int, Int)] = [
    ("jpeg", jpeg, .jpeg, 48, 64), ("plain", plainJPEG, .jpeg, 256, 320),
    ("j2k", j2k, .j2k, 48, 64),
    ("jp2", jp2, .jp2, 48, 64),
  ]

  private static func record(
    _ image: [UInt8], points: Int = 0, claimedPoints: Int? = nil, lengthError: Int = 0
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    let size = 20 + 8 * points + 12 + image.count
    var record =
      Array("FAC\0".utf8) + Array("010\0".utf8) + number(14 + size + lengthError, 4) + [0, 1]
    record += number(size + lengthError, 4) + number(claimedPoints ?? points, 2)
    record += [UInt8](repeating: 0, count: 14) + [UInt8](repeating: 1, count: 8 * points)
    record += [1, 1] + number(500, 2) + number(600, 2) + [UInt8](repeating: 0, count: 6)
    return record + image
  }

  private static func group(_ record: [UInt8], tag: UInt32 = 0x5F2E) -> [UInt8] {
    DER.object(
      0x75,
      DER.object(
        0x7F61,
        [0x02, 1, 1]
          + DER.object(
            0x7F60, DER.object(0xA1, [0x87, 2, 1, 1, 0x88, 2, 0, 8]) + DER.object(tag, record))))
  }

  @Test(arguments: images.map(\.0))
  func formats(_ name: String) throws {
    let (_, image, format, width, height) = try #require(Self.images.first { $0.0 == name })
    for tag in [UInt32(0x5F2E), 0x7F2E] {
      for points in [0, 3] {
        let records = try FacialRecord.all(
          in: Self.group(Self.record(image, points: points), tag: tag))
        let face = try #require(records.first?.images.first)
        #expect(records.first?.standard == .iso19794)
        #expect(face.bytes == image)
        #expect(face.format == format)
        #expect(face.width == width && face.height == height)
      }
    }
  }

  @Test func wrongNumbersInRecords() throws {
    for error in -8...8 {
      let file = Self.group(Self.record(Self.jpeg, lengthError: error))
      #expect(try FacialRecord.all(in: file).first?.images.first?.bytes == Self.jpeg)
    }
    // Feature points that are not there, and points that are not counted.
    for (points, claimed) in [(0, 5), (5, 0), (2, 3), (0, 65_535)] {
      let file = Self.group(Self.record(Self.j2k, points: points, claimedPoints: claimed))
      #expect(try FacialRecord.all(in: file).first?.images.first?.bytes == Self.j2k)
    }
  }

  @Test func theNewStandard() throws {
    // A version and one representation with an image in an octet string.
    let image = DER.object(
      0xA0, DER.object(0xA0, DER.object(0x80, Self.jp2) + DER.object(0xA1, [0x80, 1, 3])))
    let block = DER.object(
      0x65,
      DER.object(0xA0, [0x80, 1, 3, 0x81, 2, 7, 0xE3])
        + DER.object(0xA1, DER.object(0x30, [0x80, 1, 1] + DER.object(0xA1, image))))
    let records = try FacialRecord.all(in: Self.group(block, tag: 0x7F2E))
    #expect(records.first?.standard == .iso39794)
    #expect(records.first?.images.first?.bytes == Self.jp2)
  }

  @Test func withoutAnImage() {
    for record in [[], Self.record([]), Self.record([1, 2, 3]), Array("FAC\0".utf8)] {
      #expect(throws: DataObjectError.self) { try FacialRecord.all(in: Self.group(record)) }
    }
  }

  @Test func theRecordSaysTheSizeIfTheImageDoesNot() {
    let image = DocumentImage(bytes("FFD8FFD9")[...], size: (5, 6))
    #expect(image?.width == 5 && image?.height == 6)
    #expect(DocumentImage(bytes("FFD8FFD9")[...])?.width == nil)
  }

  @Test func displayedImages() throws {
    let file = DER.object(0x67, [0x02, 1, 1] + DER.object(0x5F43, Self.jpeg))
    #expect(try DisplayedImages.all(in: file).map(\.bytes) == [Self.jpeg])
  }
}
