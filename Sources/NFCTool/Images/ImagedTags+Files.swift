import NFC
import TagImages
import TagTools
import VirtualNFC

extension ImagedTags {
  /// - Parameter marksUnknownKeys: whether the file could say of a key that it is not known; see
  ///   ``ImageFile/marksUnknownKeys(_:)``.
  static func add(_ tag: VirtualTag, _ image: TagImage, marksUnknownKeys: Bool) {
    add(tag.identifier, memory: tag.memory, image, marksUnknownKeys: marksUnknownKeys)
  }

  /// Returns the line about a file without a UID, or `nil`.
  static func note(on image: TagImage, in path: String) -> String? {
    guard image.uid == nil else { return nil }
    let name = [.feliCa, .feliCaLite].contains(image.kind) ? "IDm" : "UID"
    return "\(File.name(path)) has no \(name), so that of the tag is not known"
  }
}
