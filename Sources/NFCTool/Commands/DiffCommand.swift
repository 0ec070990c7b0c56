import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagImages
import TagTools

/// The command `nfc diff`.
struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two images, or an image with the tag on the reader.",
    usage: "nfc diff <a> <b> [<options>]",
    discussion: """
      Prints one line per page, block or file that differs, and one for a different signature or counter; \
      keys and passwords are masked. What is unknown in one of the two is not a difference. - stands for \
      the tag. The exit code is 0 if they are equal, 1 if not, and 65 if they are images of different kinds.

      Example:
        nfc diff before.bin - --virtual ntag216
      """)

  @Argument(help: "An image, or - for the tag.", completion: .file())
  var a: String
  @Argument(help: "Another image, or - for the tag.", completion: .file())
  var b: String

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard a != File.standard || b != File.standard else {
      throw ValidationError("Only one of the two can be the tag.")
    }
    if a != File.standard, b != File.standard, let option = optionForTag {
      throw ValidationError("\(option) is for the tag, which takes the place of a file as -.")
    }
  }

  /// The first option that has no effect if both images are files.
  private var optionForTag: String? {
    let recording = options.recording
    let given = [
      ("--reader", !options.readers.isEmpty), ("--virtual", !options.virtual.isEmpty),
      ("--record", recording.record != nil), ("--replay", recording.replay != nil),
      ("--pcap", recording.pcap != nil), ("--uid", options.uid != nil),
      ("--tag-password", password.isGiven), ("--key or --keys", keys.areGiven),
    ]
    return given.first(where: \.1)?.0
  }

  func run() async throws {
    let files = try [a, b].map { $0 == File.standard ? nil : try ImageFile.read($0) }
    var remarks: [String] = []
    for (decoding, path) in zip(files, [a, b]) {
      remarks += decoding?.remarks.map { "nfc: \(File.name(path)): \($0)" } ?? []
    }
    // A file may be compared with itself.
    if remarks.count == 2, remarks[0] == remarks[1] { remarks.removeLast() }
    for remark in remarks { Output.printError(remark) }
    let images = files.map { $0?.image }
    guard let first = images[0], let second = images[1] else {
      let password = try password.bytes
      return try await Session.run(options) { session in
        let tag = try await session.selectMemoryTag(for: .reading, onlyMiFare: false)
        let content = try await tag.addingTagName {
          try await Progress.during("Reading \(tag.name)") {
            try await tag.kind.readImage(keys, password: password, .everything)
          }
        }
        if let missing = content.missing, !tag.kind.isNeverRead, !content.image.isIdentity {
          throw Failure(
            .notAllowed, "not all of the tag was read: \(missing)", tag: tag.name,
            advice: "give its key with --key or its password with --tag-password")
        }
        let files = zip(images, [a, b]).map { image, path in
          image.map { $0.matched(to: content.image, ImageFile.format(of: path)) }
        }
        try compare(files[0] ?? content.image, files[1] ?? content.image)
      }
    }
    let formats = [a, b].map { ImageFile.format(of: $0) }
    try compare(first.matched(to: second, formats[0]), second.matched(to: first, formats[1]))
  }

  private func compare(_ first: TagImage, _ second: TagImage) throws {
    guard first.isComparable(with: second) else {
      let names = [first, second].map { "\($0.kind.name) of \($0.memory.bytes.count) bytes" }
      throw Failure(
        .content, "the images are of different kinds: \(names[0]) and \(names[1])",
        advice: "only images of one kind and size can be compared")
    }
    let unit = first.kind.unit
    let comparison = first.comparison(with: second)
    for change in comparison.changes {
      try Output.line(
        options.json
          ? JSONValue.members([
            unit: .integer(change.number), "before": .string(change.before),
            "after": .string(change.after),
          ]).text
          : "\(unit) \(change.number): \(change.before) → \(change.after)")
    }
    for other in comparison.others {
      try Output.line(
        options.json
          ? JSONValue.members([
            "name": .string(other.name), "before": .string(other.before),
            "after": .string(other.after),
          ]).text
          : "\(other.name): \(other.before) → \(other.after)")
    }
    if !comparison.incomparable.isEmpty {
      let plural = comparison.incomparable.count > 1 ? "s" : ""
      Output.printNotice(
        "unknown in one of the two: \(unit)\(plural) \(NumberList.text(comparison.incomparable))")
    }
    if !comparison.incomparableFiles.isEmpty {
      Output.printNotice(
        "unknown in one of the two: \(comparison.incomparableFiles.joined(separator: ", "))")
    }
    if !comparison.isEqual { throw Difference() }
  }
}

extension TagImage {
  /// Returns the same bytes as an image of the other image's kind, if the file does not specify a kind.
  fileprivate func matched(to other: TagImage, _ format: ImageFormat?) -> TagImage {
    guard format == nil || format == .binary || format == .emulator, kind != other.kind else {
      return self
    }
    if other.kind == .feliCaLite, memory.bytes.count == TagImage.blocksOfFeliCaLite.count * 16 {
      var image = TagImage.feliCaLite()
      image.memory.set(memory.bytes, at: 0)
      return image
    }
    guard memory.bytes.count == other.memory.bytes.count else { return self }
    var image = TagImage(other.kind, memory: memory.regrouped(unitSize: other.memory.unitSize))
    image.removeHiddenSecrets()
    return image
  }
}

/// Indicates that the images differ. This is neither a failure nor a success.
struct Difference: Error {
  static let status: Int32 = 1
}
