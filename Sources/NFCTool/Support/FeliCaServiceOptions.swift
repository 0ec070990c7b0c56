import ArgumentParser
import NFC
import TagTools

/// Codes of systems and services on the command line.
enum FeliCaCode {
  static func argument(_ text: String, _ name: String) throws -> UInt16 {
    let bytes = try Hexadecimal.argument(text, name)
    guard bytes.count == 2 else {
      throw ValidationError(
        "\(name) is four digits such as 090F, not \"\(ArgumentText.shown(text))\".")
    }
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }
}

/// The option for the system in which a command works.
struct FeliCaSystemOption: ParsableArguments {
  @Option(
    name: .customLong("system"),
    help: ArgumentHelp(
      "The system's code; the one by which the card was found unless given.", valueName: "hex"),
    transform: { try FeliCaCode.argument($0, "--system") })
  var code: UInt16?

  /// Returns the card in the requested system.
  func card(_ tag: SelectedTag<any FeliCaTag>) async throws -> any FeliCaTag {
    guard let code else { return tag.kind }
    let systems = try await tag.addingTagName { try await FeliCaCard.systems(of: tag.kind) }
    return tag.kind.inSystem(try Self.system(code, of: systems, tag.name))
  }

  /// Returns the system with a code.
  ///
  /// - Throws: ``Failure`` `notThere` if the card does not have it.
  static func system(
    _ code: UInt16, of systems: [FeliCaSystem], _ tag: String
  ) throws -> FeliCaSystem {
    guard let system = systems.first(where: { $0.code == code }) else {
      let codes = systems.map { $0.code.bigEndianBytes.hexadecimal }.joined(separator: ", ")
      throw Failure(
        .notThere, "the card has no system \(code.bigEndianBytes.hexadecimal)", tag: tag,
        advice: "it has \(codes.isEmpty ? "none that it reports" : codes)")
    }
    return system
  }
}

/// The option for the service to which the blocks belong.
struct FeliCaServiceOption: ParsableArguments {
  @Option(
    name: .customLong("service"),
    help: ArgumentHelp("The service's code in hexadecimal.", valueName: "hex"),
    transform: { try FeliCaCode.argument($0, "--service") })
  var optional: UInt16?

  /// - Throws: `ValidationError` if no service was specified.
  func code() throws -> UInt16 {
    guard let optional else {
      throw ValidationError("Missing expected argument '--service <hex>'")
    }
    return optional
  }

  /// Returns the failure for a block that the card has refused.
  static func refusal(_ error: NFCError, _ service: UInt16, _ block: Int, _ tag: String) -> Failure
  {
    guard error.code == .tagRefused else { return Failure(error, tag: tag) }
    let cause = error.cause.map { ": \($0)" } ?? ""
    return Failure(
      .content,
      "the card refuses block \(block) of service \(service.bigEndianBytes.hexadecimal)\(cause)",
      tag: tag,
      advice: "nfc felica info shows its systems and services; --system picks another system")
  }
}
