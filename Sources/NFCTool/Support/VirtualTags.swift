import NFC
import TagImages
import TagTools
import VirtualNFC

/// The tags that the command line names.
struct VirtualTags: Sendable {
  /// The name that stands for one tag of each protocol.
  static let demo = "demo"

  /// The tags that are always in the field.
  var tags: [VirtualTag] = []
  var showsDemo = false
  /// Remarks about files: the chip is not certain, or the content contradicts itself or is damaged.
  private(set) var notes: [String] = []

  /// - Throws: ``Failure`` `usage` for an unknown name or a tag that is named twice, and `content` for a file
  ///   that is not a dump.
  ///
  /// - Parameter option: what stands before each name on the command line.
  init(_ names: [String], each option: String = "--virtual ") throws {
    // A word that is a command says more about the mistake than a file before it that is not there. Some chips have the
    // name of a command.
    if let command = names.first(where: {
      Self.isCommand($0) && !Self.names.contains($0) && !File.exists($0)
    }) {
      throw Self.unknown(command, after: names.prefix { $0 != command }.first)
    }
    for name in names {
      let parts = name.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
      if parts.count > 1, !name.contains("/"), !name.contains("."), !File.exists(name) {
        throw Failure(
          .usage, "there is no virtual tag \"\(name)\"",
          advice: "write \(parts.map { option + $0.shellWord }.joined(separator: " "))")
      }
      if Spelling.folded(name) == Self.demo, !File.exists(name) {
        showsDemo = true
      } else {
        let (tag, found) = try Self.tag(name)
        tags.append(try Self.distinct(tag, named: name, from: tags))
        notes += found.filter { !notes.contains($0) }
      }
    }
  }

  /// One tag with the content of an image.
  init(_ decoding: ImageFormat.Decoding, from file: String) throws {
    tags = [try Self.tag(with: decoding.image, from: file)]
    notes = ImageFile.notes(on: decoding, in: file)
  }

  static let blank = "blank"

  /// All names except those of files.
  static var names: [String] {
    let blanks = VirtualTag.names.map { "\(blank)-\($0)" }
    return VirtualTag.names + blanks.filter { (try? VirtualTag.named($0)) != nil }
      + VirtualTag.phoneNames + VirtualTag.spoolNames + [demo]
  }

  /// Returns the chip with a name, in which case and punctuation are ignored, or the tag of a dump file, and
  /// remarks about the file.
  private static func tag(_ name: String) throws -> (VirtualTag, notes: [String]) {
    let known = VirtualTag.names + VirtualTag.phoneNames + VirtualTag.spoolNames
    if known.contains(name), let tag = try? VirtualTag.named(name) {
      return (tag, [])
    }
    guard name != File.standard, File.exists(name) || name.contains("/") else {
      let folded = Spelling.folded(name)
      if let known = names.first(where: { Spelling.folded($0) == folded }),
        let tag = try? VirtualTag.named(known)
      {
        return (tag, [])
      }
      // No name of a tag has a dot: this is a file that does not exist.
      guard name != File.standard, name.contains(".") else { throw unknown(name) }
      return try image(name)
    }
    return try image(name)
  }

  private static func isCommand(_ name: String) -> Bool {
    NFCTool.configuration.subcommands.contains { $0.matches(name) }
  }

  /// - Parameter tag: the tag that was named before a word that is a command.
  private static func unknown(_ name: String, after tag: String? = nil) -> Failure {
    let intended = intended(name)
    if isCommand(name), tag != nil || intended.isEmpty {
      return Failure(
        .usage, "there is no virtual tag \"\(name)\"",
        advice: "\(name) is a command, as in nfc \(name) --virtual \((tag ?? "ntag215").shellWord)")
    }
    let near = intended.isEmpty ? Spelling.nearest(to: name, among: names) : intended
    let hint =
      near.isEmpty ? "" : "did you mean \(near.joined(separator: ", "))? "
    return Failure(
      .usage, "there is no virtual tag \"\(name)\"",
      advice: "\(hint)nfc virtual --list shows all; a dump file can be given, too")
  }

  /// Returns the names of the tags of a kind, those that are part of a longer name of the chip, or those that contain
  /// the word after their beginning.
  private static func intended(_ word: String) -> [String] {
    let word = Spelling.folded(word)
    if let family = families[word] { return family }
    guard word.count > 3, !word.hasPrefix(blank) else { return [] }
    let chips = VirtualTag.names.map { (name: $0, folded: Spelling.folded($0)) }
    let parts = chips.filter { $0.folded.count > 3 && word.contains($0.folded) }
      .sorted { ($0.folded.count, $1.name) > ($1.folded.count, $0.name) }
    let longer = chips.filter { $0.folded.contains(word) && !$0.folded.hasPrefix(word) }
    return (parts.isEmpty ? longer : parts).prefix(3).map(\.name)
  }

  /// The tags of the kinds that have no tag of their own name, and of names that are in use for them.
  private static let families = [
    "felica": ["felica-lite-s", "suica"], "felicastandard": ["suica"], "pasmo": ["suica"],
    "icoca": ["suica"],
    "mifare": ["classic-1k", "ultralight", "desfire"],
    "mifareclassic": ["classic-1k", "classic-4k"], "classic": ["classic-1k", "classic-4k"],
    "mifare1k": ["classic-1k"], "mifare4k": ["classic-4k"],
    "iso15693": ["icode-slix2", "st25dv"], "iso14443": ["ntag215", "type4", "type4b"],
    "jewel": ["topaz96", "topaz512"], "passport": ["emrtd"],
    "ntag": ["ntag213", "ntag215", "ntag216"],
    "type1": ["topaz96"], "type2": ["ntag215"], "type3": ["felica-lite-s"],
    "type5": ["icode-slix2", "st25dv"],
  ]

  /// Returns the tag whose memory an image file contains, and remarks about the file.
  private static func image(_ name: String) throws -> (VirtualTag, notes: [String]) {
    let decoding = try ImageFile.read(name)
    try ImageFile.checkKind(
      of: decoding.image, in: name, advice: "use a file that names its tag, such as .json or .nfc")
    let tag = try tag(with: decoding.image, from: name)
    let note = ImagedTags.note(on: decoding.image, in: name)
    return (tag, ImageFile.notes(on: decoding, in: name) + [note].compactMap(\.self))
  }

  /// Returns the tag with the content of an image.
  private static func tag(with image: TagImage, from name: String) throws -> VirtualTag {
    do {
      let tag = try VirtualTag.image(image)
      ImagedTags.add(tag, image, marksUnknownKeys: ImageFile.marksUnknownKeys(name))
      return tag
    } catch {
      throw Failure(
        .content, "\(File.name(name)) is not an image of a tag: \(error)",
        advice: "images are \(ImageFile.names) files")
    }
  }
}
