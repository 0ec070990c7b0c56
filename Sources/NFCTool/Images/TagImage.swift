import NFC

/// The memory of a tag, as files hold it.
struct TagImage: Hashable, Sendable {
  /// What the memory is made of.
  enum Kind: String, Sendable {
    case classic
    case type2
    case iso15693
    case feliCa
    case topaz

    /// What a unit is called, also as a key in JSON.
    var unit: String {
      switch self {
      case .type2: "page"
      case .classic, .iso15693, .feliCa, .topaz: "block"
      }
    }

    /// For people, with an article.
    var name: String {
      switch self {
      case .classic: "a MIFARE Classic"
      case .type2: "an Ultralight or NTAG"
      case .iso15693: "an ISO 15693 tag"
      case .feliCa: "a FeliCa Lite card"
      case .topaz: "a Topaz tag"
      }
    }
  }

  /// `nil` if the file does not tell.
  var kind: Kind?
  /// Bytes of a unit.
  var unitSize: Int
  var bytes: [UInt8]

  /// A unit that differs between two images.
  struct Change: Hashable, Sendable {
    var number: Int
    var before: [UInt8]
    var after: [UInt8]
  }

  /// The units in which another image of the same size differs.
  func changes(to other: TagImage) -> [Change] {
    let size = max(1, unitSize)
    return stride(from: 0, to: min(bytes.count, other.bytes.count), by: size).compactMap { first in
      let end = min(first + size, bytes.count, other.bytes.count)
      let (before, after) = (bytes[first..<end], other.bytes[first..<end])
      guard before != after else { return nil }
      return Change(number: first / size, before: Array(before), after: Array(after))
    }
  }
}

extension TagImage.Change {
  private static let keyLength = 6
  private static let firstLargeSector = 128

  /// The last block of a sector of a MIFARE Classic, which holds its keys (MF1S50YYX and MF1S70YYX data
  /// sheets, 8.6).
  private var isTrailer: Bool {
    number < Self.firstLargeSector ? number % 4 == 3 : number % 16 == 15
  }

  /// The bytes as they are shown: keys are never printed, only whether they change.
  ///
  /// - Parameter isClassic: the units are blocks of a MIFARE Classic.
  func texts(isClassic: Bool) -> (before: String, after: String) {
    let plain = (before.hexadecimal, after.hexadecimal)
    guard isClassic, isTrailer, before.count == 16, after.count == 16 else { return plain }
    func text(_ bytes: [UInt8], _ masks: (String, String)) -> String {
      masks.0 + bytes[Self.keyLength..<10].hexadecimal + masks.1
    }
    let old = String(repeating: "*", count: 2 * Self.keyLength)
    let new = String(repeating: "#", count: 2 * Self.keyLength)
    let isKeyAChanged = before.prefix(Self.keyLength) != after.prefix(Self.keyLength)
    let isKeyBChanged = before.suffix(Self.keyLength) != after.suffix(Self.keyLength)
    return (
      text(before, (old, old)),
      text(after, (isKeyAChanged ? new : old, isKeyBChanged ? new : old))
    )
  }
}

extension TagImage {
  /// What a memory of so many bytes belongs to, as far as its size and its first bytes tell.
  ///
  /// - Parameter unitSize: if the file has told it.
  init(guessing bytes: [UInt8], unitSize: Int? = nil) {
    self.bytes = bytes
    if MiFareClassicGeometry(memorySize: bytes.count) != nil, unitSize ?? 16 == 16 {
      (kind, self.unitSize) = (.classic, MiFareClassicGeometry.blockSize)
    } else if Self.hasType2UID(bytes), unitSize ?? 4 == 4 {
      (kind, self.unitSize) = (.type2, 4)
    } else {
      (kind, self.unitSize) = (nil, unitSize ?? 4)
    }
  }

  /// The check bytes of the UID (ISO/IEC 14443-3, 6.5.3.2).
  private static func hasType2UID(_ bytes: [UInt8]) -> Bool {
    let cascadeTag: UInt8 = 0x88
    guard bytes.count >= 16 else { return false }
    return bytes[0..<4].reduce(cascadeTag, ^) == 0 && bytes[4..<9].reduce(0, ^) == 0
  }
}
