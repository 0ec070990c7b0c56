import ArgumentParser
import NFC

/// `nfc diff`.
struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two images, or an image with the tag on the reader.",
    discussion: """
      One line per page or block that differs. - stands for the tag. Exit code 0 if they are equal, 1 if \
      not, 65 if they are images of different kinds.

      Example:
        nfc diff before.bin - --virtual ntag216
      """)

  @Argument(help: "An image, or - for the tag.") var a: String
  @Argument(help: "Another image, or - for the tag.") var b: String

  @OptionGroup var keys: TagKeys
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard a != File.standard || b != File.standard else {
      throw ValidationError("Only one of the two can be the tag.")
    }
  }

  func run() async throws {
    let images = try [a, b].map { $0 == File.standard ? nil : try ImageFile.read($0) }
    guard let first = images[0], let second = images[1] else {
      let password = try password.bytes
      return try await Session.run(options) { session in
        let tag = try await session.selectMemoryTag(for: .reading, onlyMiFare: false)
        let content = try await tag.work {
          try await Progress.during("Reading \(tag.name)") {
            try await tag.kind.read(keys, password: password)
          }
        }
        if let missing = content.missing {
          throw Failure(.notAllowed, "not all of the tag was read: \(missing)", tag: tag.name)
        }
        // Bytes alone do not tell of which kind of tag they are.
        let files = images.map { image -> TagImage? in
          guard var image, image.bytes.count == content.image.bytes.count else { return image }
          image.kind = content.image.kind
          image.unitSize = content.image.unitSize
          return image
        }
        try compare(files[0] ?? content.image, files[1] ?? content.image)
      }
    }
    try compare(first, second)
  }

  private func compare(_ first: TagImage, _ second: TagImage) throws {
    var first = first
    let kind = first.kind ?? second.kind
    guard first.kind ?? kind == second.kind ?? kind, first.bytes.count == second.bytes.count else {
      let names = [first, second].map { "\($0.kind?.name ?? "a tag") of \($0.bytes.count) bytes" }
      throw Failure(.content, "the images are of different kinds: \(names[0]) and \(names[1])")
    }
    if first.kind == nil, second.kind != nil { first.unitSize = second.unitSize }
    let unit = kind?.unit ?? "block"
    let changes = first.changes(to: second)
    for change in changes {
      let texts = change.texts(isClassic: kind == .classic)
      try Output.line(
        options.json
          ? JSON.members([
            unit: .integer(change.number), "before": .string(texts.before),
            "after": .string(texts.after),
          ]).text
          : "\(unit) \(change.number): \(texts.before) → \(texts.after)")
    }
    if !changes.isEmpty { throw Difference() }
  }
}

/// The images differ: not a failure, but no success either.
struct Difference: Error {
  static let status: Int32 = 1
}
