import ArgumentParser
import NFC

/// The kind of message `contact`.
struct ContactKind: RecordKind {
  static let name = "contact"
  static let abstract = "Writes a business card (vCard)."
  static let usage = "[<file>] [--name <text>]"
  static let details = """
    Phones make the contact from the given and the family name. Of a --name with two words, the last one is the \
    family name; give longer names with --given and --family, with which --name is only what is displayed.
    """
  static let phones =
    "Phones: an Android phone offers to save the contact; an iPhone does nothing with such a tag, and would open a link to the contact."
  static let examples = [
    "contact --name \"Ada Lovelace\" --phone +441234567890 --virtual ntag215",
    "contact --given \"Maria Luisa\" --family \"de la Cruz\" --virtual ntag216",
    "contact card.vcf --virtual ntag216",
  ]

  @Argument(help: "A vCard file; - for standard input.", completion: .file())
  var file: String?
  @Option(help: ArgumentHelp("The name as it is displayed.", valueName: "text"))
  var name: String?
  @Option(help: ArgumentHelp("The given name.", valueName: "text"))
  var given: String?
  @Option(help: ArgumentHelp("The family name.", valueName: "text"))
  var family: String?
  @Option(
    help: ArgumentHelp("A telephone number; may be given more than once.", valueName: "number"))
  var phone: [String] = []
  @Option(
    help: ArgumentHelp("An e-mail address; may be given more than once.", valueName: "address"))
  var email: [String] = []
  @Option(help: ArgumentHelp("Where the person works.", valueName: "text"))
  var organization: String?
  @Option(help: ArgumentHelp("A link.", valueName: "link"))
  var url: String?

  var templates: [String] {
    phone + email + [name, given, family, organization, url].compactMap(\.self)
  }

  private var hasFields: Bool {
    [name, given, family, organization, url].contains { $0 != nil } || !phone.isEmpty
      || !email.isEmpty
  }

  mutating func validate() throws {
    guard (file != nil) != hasFields else {
      throw ValidationError(
        file == nil
          ? "A file, or at least one of --name, --given, --family, --phone, --email, --organization and --url, is needed."
          : "Give either a file or the card's fields.")
    }
  }

  func message(_ values: Placeholders, isForced: Bool) throws -> NDEFMessage {
    if let file { return try message(of: file) }
    func text(_ value: String, _ name: String) throws -> String {
      values.fill(try TextArgument.checked(value, name))
    }
    let link = try url.map { try LinkText.checked(text($0, "--url"), isForced: isForced) }
    let record = VCardRecord(
      name: try name.map { try text($0, "--name") },
      given: try given.map { try text($0, "--given") },
      family: try family.map { try text($0, "--family") },
      telephones: try phone.map { try text($0, "--phone") },
      emails: try email.map { try text($0, "--email") },
      organization: try organization.map { try text($0, "--organization") }, url: link)
    return NDEFMessage(record.record)
  }

  private func text(of file: String) throws -> String {
    do {
      return try File.readText(file)
    } catch var failure as Failure where failure.status == .notThere && !File.exists(file) {
      // A name is given without its option more often than a file that is missing.
      failure.advice =
        "check the name of the file, or give a person's name as --name \(file.shellWord)"
      throw failure
    }
  }

  private func message(of file: String) throws -> NDEFMessage {
    // Programs for Windows begin a text file with a byte order mark, which phones do not expect before BEGIN:VCARD.
    let text = Array(try text(of: file).unicodeScalars)
    let card = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    let message = NDEFMessage(
      VCardRecord(text: String(String.UnicodeScalarView(card))).record)
    do {
      _ = try message.records.map { try $0.decoded }
    } catch {
      throw Failure(
        .content, "\(File.name(file)) is not a vCard: \(error)", advice: "nothing was written")
    }
    return message
  }
}
