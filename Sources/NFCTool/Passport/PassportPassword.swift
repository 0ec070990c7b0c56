import ArgumentParser
import TravelDocuments

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options for what opens a document. An error does not show it.
struct PassportPassword: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with the lines of the machine readable zone; - for standard input.",
      discussion: "The environment variable NFC_MRZ has the lines themselves.", valueName: "file"),
    completion: .file())
  var mrz: String?

  @Option(help: ArgumentHelp("The document number.", valueName: "number")) var document: String?
  @Option(help: ArgumentHelp("The date of birth.", valueName: "yymmdd")) var birth: String?
  @Option(help: ArgumentHelp("The date of expiry.", valueName: "yymmdd")) var expiry: String?

  @Option(
    help: ArgumentHelp(
      "The card access number.", discussion: "The environment variable NFC_CAN does the same.",
      valueName: "number"))
  var can: String?

  private static let (zoneVariable, numberVariable) = ("NFC_MRZ", "NFC_CAN")

  mutating func validate() throws {
    let fields = [document, birth, expiry].compactMap(\.self).count
    guard [mrz != nil, can != nil, fields > 0].filter({ $0 }).count <= 1 else {
      throw ValidationError("Give one of --mrz, --can, and --document with --birth and --expiry.")
    }
    guard fields == 0 || fields == 3 else {
      throw ValidationError("--document, --birth and --expiry belong together.")
    }
  }

  /// Returns the password; `nil` if none is given and nobody can be asked.
  ///
  /// - Throws: ``Failure`` `usage` with the place of what is wrong.
  func password() throws -> AccessPassword? {
    if let mrz { return try Self.password(zone: try File.readText(mrz), File.name(mrz)) }
    if let can { return try Self.password(number: can, "--can") }
    if let document, let birth, let expiry {
      do {
        return try AccessPassword(documentNumber: document, birth: birth, expiry: expiry)
      } catch {
        throw Failure(.usage, error.description, advice: "nothing was sent to the document")
      }
    }
    if let text = Self.variable(Self.zoneVariable) {
      return try Self.password(zone: text, Self.zoneVariable)
    }
    if let text = Self.variable(Self.numberVariable) {
      return try Self.password(number: text, Self.numberVariable)
    }
    return try Self.asked()
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func password(zone text: String, _ source: String) throws -> AccessPassword {
    do {
      return try AccessPassword(MachineReadableZone(text))
    } catch {
      throw Failure(
        .usage, "\(source): \(error)", advice: "nothing was sent to the document")
    }
  }

  private static func password(number text: String, _ source: String) throws -> AccessPassword {
    let digits = text.filter { !$0.isWhitespace }
    guard let password = AccessPassword(cardAccessNumber: digits) else {
      throw Failure(
        .usage, "\(source): a card access number has only digits, usually six",
        advice: "nothing was sent to the document")
    }
    return password
  }

  /// The number of lines for the length of the first.
  private static let lineCounts = [30: 3, 36: 2, 44: 2]

  /// Asks at a terminal, without showing what is typed.
  private static func asked() throws -> AccessPassword? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
    let first = try SecretPrompt.line("CAN, or first line of the machine readable zone: ")
    let packed = first.filter { !$0.isWhitespace }
    guard !packed.isEmpty else { return nil }
    if packed.allSatisfy(\.isNumber), packed.count < 30 {
      return try password(number: packed, "the card access number")
    }
    var lines = [packed]
    while lines.count < lineCounts[packed.count] ?? 1 {
      lines.append(try SecretPrompt.line("Line \(lines.count + 1): "))
    }
    return try password(zone: lines.joined(separator: "\n"), "the zone")
  }
}
