import SwiftNFCJSONText
import NFC
import Synchronization
import TagImages

/// The virtual tags of this process that were made from files. A tag has to answer some values, such as a UID, which its
/// file may not have: commands leave these out.
package enum ImagedTags {
  private static let images = Mutex<[[UInt8]: TagImage]>([:])
  private static let withZeroKeys = Mutex<Set<[UInt8]>>([])
  private static let allKeys = Mutex<[MiFareClassicKey]>([])

  /// - Parameters:
  ///   - identifier: the identifier of the virtual tag.
  ///   - memory: its memory.
  ///   - image: the image of its file.
  ///   - marksUnknownKeys: whether the file could say of a key that it is not known.
  package static func add(
    _ identifier: [UInt8], memory: [UInt8], _ image: TagImage, marksUnknownKeys: Bool
  ) {
    images.withLock { $0[identifier] = image }
    if !marksUnknownKeys { withZeroKeys.withLock { _ = $0.insert(identifier) } }
    guard image.kind == .classic else { return }
    var card = TagImage(.classic, memory: image.memory)
    card.memory.set(memory, at: 0)
    let keys = card.classicKeys.compactMap { MiFareClassicKey($0) }
    allKeys.withLock { all in
      for key in keys where !all.contains(key) { all.append(key) }
    }
  }

  /// Returns the image of the file that a tag was made from, or `nil` for any other tag.
  package static func image(_ identifier: [UInt8]) -> TagImage? {
    images.withLock { $0[identifier] }
  }

  /// Returns whether a UID, or what a tag has in its place, is that of the tag, and not one that only the virtual tag has.
  package static func isKnown(_ identifier: [UInt8]) -> Bool {
    image(identifier).map { $0.uid != nil } ?? true
  }

  /// Returns whether a card's PMm is that of the card.
  package static func hasPMm(_ identifier: [UInt8]) -> Bool {
    image(identifier).map { $0.feliCa?.pmm != nil } ?? true
  }

  /// Returns whether zeros in place of a MIFARE Classic's key mean that its file does not have the key.
  package static func haveZerosForUnknownKeys(_ identifier: [UInt8]) -> Bool {
    withZeroKeys.withLock { $0.contains(identifier) }
  }

  /// The keys in the files of MIFARE Classic cards, each once.
  package static var classicKeys: [MiFareClassicKey] {
    var seen: Set<MiFareClassicKey> = []
    return images.withLock { Array($0.values) }.flatMap(\.classicKeys)
      .compactMap { MiFareClassicKey($0) }.filter { seen.insert($0).inserted }
  }

  /// The keys of virtual MIFARE Classic cards that were made from files, also those that the cards have in place of unknown
  /// ones: no key is needed to read what a file has. They are never shown.
  package static var keysOfMessages: [MiFareClassicKey] { allKeys.withLock { $0 } }

  /// What the chips would answer to GET_VERSION whose files do not have the answer, by identifier. The number of pages
  /// shows which chip it is.
  package static var presumedVersions: [[UInt8]: [UInt8]] {
    images.withLock { images in
      images.compactMapValues { image in
        image.version == nil ? image.type2Chip?.versionAnswer : nil
      }
    }
  }
}

extension TagImage {
  /// Removes values that only the virtual tag has, and not the file that it was made from.
  ///
  /// - Parameter identifier: the identifier of the tag that the image was read from.
  package mutating func removeInventedValues(of identifier: [UInt8]) {
    guard let file = ImagedTags.image(identifier) else { return }
    if file.uid == nil { uid = nil }
    if file.feliCa?.pmm == nil { feliCa?.pmm = nil }
    if file.ats == nil { ats = nil }
  }
}

extension JSONValue {
  /// Returns a UID, or `nil` for one that is not the tag's.
  package static func uid(_ identifier: [UInt8]) -> JSONValue? {
    ImagedTags.isKnown(identifier) ? .bytes(identifier) : nil
  }
}
