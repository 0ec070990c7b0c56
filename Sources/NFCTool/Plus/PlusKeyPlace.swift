import ArgumentParser
import SecureTags

/// The place of a key of a MIFARE Plus: a sector and a letter, or a name.
struct PlusKeyPlace: KeyPlace, CustomStringConvertible {
  let address: MIFAREPlusKeyAddress

  private static let names: [String: MIFAREPlusKeyAddress] = [
    "master": .cardMaster, "configuration": .cardConfiguration, "level2": .levelTwoSwitch,
    "level3": .levelThreeSwitch, "level1": .levelOneCard,
  ]

  static let sizes = [MIFAREPlusCard.keySize]
  static let sizesText = "16 bytes"
  static let form = "is like 4A:00112233445566778899AABBCCDDEEFF"
  static let help = ArgumentHelp(
    "A key, with its sector and A or B before it; may be given more than once.",
    discussion: """
      The card's own keys are master, configuration, level1, level2 and level3. \(environmentHelp)
      """, valueName: "place:hex")

  init(_ text: Substring, _ name: String) throws {
    let place = text.lowercased()
    if let address = Self.names[place] {
      self.address = address
      return
    }
    guard let letter = place.last, letter == "a" || letter == "b",
      let sector = Int(place.dropLast()),
      let address = MIFAREPlusKeyAddress(sector: sector, isB: letter == "b")
    else {
      throw ValidationError(
        "\(name) begins with a sector from 0 to \(MIFAREPlusCard.mostSectors - 1) and A or B, or with "
          + "master, configuration, level1, level2 or level3.")
    }
    self.address = address
  }

  init(_ address: MIFAREPlusKeyAddress) { self.address = address }

  /// Returns the word for one of the card's own keys on the command line.
  static func name(of address: MIFAREPlusKeyAddress) -> String {
    names.first { $0.value == address }?.key ?? "\(address)"
  }

  var description: String { "\(address)" }
}
