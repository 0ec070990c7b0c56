/// Contactless readers that libccid supports, whether or not it is installed.
enum LibCCID {
  /// Their names, by vendor and product number. libccid's Info.plist lists them, and has names for others, too.
  static let names = [
    "072F:2303": acr1552, "072F:2308": acr1552, "072F:223B": "ACS ACR1252 Dual Reader",
    "072F:223E": "ACS ACR1252 Reader", "072F:221A": "ACS ACR1251 Dual Reader",
    "072F:2224": "ACS ACR1281U", "072F:223F": "ACS ACR1255U-J1", "054C:0DC8": "Sony RC-S300/S",
    "054C:0DC9": "Sony RC-S300/P", "054C:0D8F": "Sony RC-S660/U",
    "04E6:5790": "Identiv uTrust 3700 F", "04E6:5791": "Identiv uTrust 3701 F",
    "04E6:5720": "Identiv CLOUD 4500 F", "04E6:5721": "Identiv CLOUD 4510 F",
    "04E6:5724": "Identiv uTrust 4701 F", "04E6:5725": "Identiv uTrust 4711 F",
    "096E:0608": "Feitian 502-CL", "096E:060D": "Feitian R502",
  ]
  private static let acr1552 = "ACS ACR1552U"

  /// Returns the first version that supports a reader, for those that Debian 12's (1.5.2) does not support (history
  /// in its README).
  static func firstVersion(for name: String?) -> String? { name == acr1552 ? "1.5.3" : nil }
}
