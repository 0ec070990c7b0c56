/// Smart cards: the message of a Type 4 tag as Flipper Zero stores it since firmware 1.4
/// (lib/nfc/protocols/type_4_tag), and all files that could be read, under keys that Flipper Zero
/// ignores.
extension FlipperFile {
  /// The key of a line of the message; there are as many lines with this key as needed.
  static let messageKey = "NDEF Data"
  static let messageSizeKey = "NDEF Data Size"
  static let messageLineLength = 16
  /// The maximum size of a message, whose length has two bytes.
  static let largestMessage = 0xFFFF
  static let largestFileCount = 256

  /// Returns whether an image is a Type 4 file. Flipper Zero has no such file for type B.
  static func isType4(_ image: TagImage) -> Bool {
    guard image.kind == .smartCard, image.applicationData == nil,
      let message = image.smartCard?.ndefFile?.message
    else { return false }
    return message.count <= largestMessage
  }
}

extension FlipperFile.Writer {
  mutating func smartCard(_ image: TagImage) {
    if FlipperFile.isType4(image), let message = image.smartCard?.ndefFile?.message {
      line(FlipperFile.messageSizeKey, message.count)
      for first in stride(from: 0, to: message.count, by: FlipperFile.messageLineLength) {
        let end = min(first + FlipperFile.messageLineLength, message.count)
        line(FlipperFile.messageKey, Array(message[first..<end]))
      }
    }
    let applications = image.smartCard?.applications ?? []
    comment("Files of ISO/IEC 7816-4")
    line("Application Count", applications.count)
    for (index, application) in applications.enumerated() {
      let prefix = "Application \(index)"
      line("\(prefix) AID", application.name)
      line("\(prefix) File IDs", application.files.flatMap { $0.identifier.bytes })
      for file in application.files {
        guard let data = file.data else { continue }
        line("\(prefix) File \(Hexadecimal.text(file.identifier.bytes))", data)
      }
    }
  }
}

extension FlipperFile.Reader {
  var hasFiles: Bool { entry("Application Count") != nil }

  func smartCardImage() throws(ImageError) -> TagImage {
    var image = TagImage(.smartCard)
    image.smartCard = try smartCard()
    return image
  }

  private func smartCard() throws(ImageError) -> TagImage.SmartCard {
    guard
      let count = try optionalNumber("Application Count", in: 0...FlipperFile.largestFileCount)
    else { return try smartCardOfMessage() }
    var card = TagImage.SmartCard()
    for index in 0..<count {
      let prefix = "Application \(index)"
      let name = try required("\(prefix) AID")
      var application = TagImage.SmartCard.Application(name: try bytes(name))
      guard application.name.isEmpty || (5...16).contains(application.name.count) else {
        throw ImageError("an application identifier has 5 to 16 bytes", at: .line(name.line))
      }
      let list = try required("\(prefix) File IDs")
      let identifiers = try bytes(list)
      guard identifiers.count % 2 == 0, identifiers.count / 2 <= FlipperFile.largestFileCount else {
        throw ImageError("file identifiers have two bytes each", at: .line(list.line))
      }
      var seen: Set<UInt16> = []
      for first in stride(from: 0, to: identifiers.count, by: 2) {
        let identifier = UInt16(identifiers[first]) << 8 | UInt16(identifiers[first + 1])
        guard seen.insert(identifier).inserted else {
          throw ImageError(
            "the file \(Hexadecimal.text(identifier.bytes)) occurs twice", at: .line(list.line))
        }
        application.files.append(
          .init(
            identifier: identifier,
            data: try optionalBytes("\(prefix) File \(Hexadecimal.text(identifier.bytes))")))
      }
      card.applications.append(application)
    }
    try consultMessage(of: card)
    return card
  }

  /// Takes note that the lines of the message repeat one of the files, if they do.
  private func consultMessage(of card: TagImage.SmartCard) throws(ImageError) {
    guard let message = card.ndefFile?.message, hasMessage, try self.message() == message else {
      return
    }
    consult(FlipperFile.messageSizeKey)
    consult(FlipperFile.messageKey)
  }

  private var hasMessage: Bool { entries.contains { $0.key == FlipperFile.messageSizeKey } }

  /// Reads a file that Flipper Zero wrote: only a message.
  private func smartCardOfMessage() throws(ImageError) -> TagImage.SmartCard {
    let message = try message()
    consult(FlipperFile.messageKey)
    guard let card = TagImage.SmartCard(message: message) else {
      throw ImageError("the message is too long for a file", at: .line(lastLine))
    }
    return card
  }

  private func message() throws(ImageError) -> [UInt8] {
    let size = try required(FlipperFile.messageSizeKey)
    let count = try number(size, in: 0...FlipperFile.largestMessage)
    var message: [UInt8] = []
    for entry in entries where entry.key == FlipperFile.messageKey {
      let part = min(count - message.count, FlipperFile.messageLineLength)
      message += try bytes(entry, count: part)
    }
    guard message.count == count else {
      throw ImageError(
        "the message has \(message.count) bytes, not \(count)", at: .line(size.line))
    }
    return message
  }
}

extension UInt16 {
  /// The bytes, most significant first.
  fileprivate var bytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
