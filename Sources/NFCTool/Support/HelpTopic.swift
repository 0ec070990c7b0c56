/// Help that belongs to no command: `nfc help exit-codes`, and sections of the man page nfc(1).
enum HelpTopic: String, CaseIterable {
  case exitCodes = "exit-codes"
  case environment
  case files

  /// The heading of the section in the man page.
  var heading: String {
    switch self {
    case .exitCodes: "EXIT STATUS"
    case .environment: "ENVIRONMENT"
    case .files: "FILES"
    }
  }

  /// What there is, each with its meaning.
  var rows: [(name: String, meaning: String)] {
    switch self {
    case .exitCodes: Self.codes
    case .environment: Self.variables
    case .files: Self.paths
    }
  }

  private static let codes = [
    ("0", "done"),
    ("1", "nfc diff: the two are different"),
    ("64", "the command line is wrong, or a file would be overwritten"),
    ("65", "the content of the tag or file is wrong, or does not fit"),
    ("66", "no tag came within --timeout, it is not of the kind asked for, or a file is not there"),
    ("69", "there is no reader, or it cannot do what was asked"),
    ("70", "a program that the command needs has failed"),
    ("74", "the tag or the reader was lost, or a file could not be written"),
    ("77", "not allowed: read-only, locked, or a wrong key or password"),
    ("130", "interrupted; 143 and 129 after SIGTERM and SIGHUP"),
  ]

  private static let variables = [
    ("NFC_READER", "the connection string of the reader, as --reader takes it"),
    ("NFC_PASSWORD", "the tag's password, as --tag-password takes it"),
    ("NFC_KEYS", "keys, as --key takes them, with commas between them"),
    ("NFC_MRZ, NFC_CAN", "the password of a passport or identity card"),
    ("NFC_MQTT_PASSWORD", "the broker's password for nfc watch --mqtt"),
    ("SSL_CERT_FILE", "the certificate authorities for nfc watch --mqtt"),
    ("LIBNFC_LOG_LEVEL", "libnfc's log, from 1 to 3; 0 is none"),
    ("PCSCLITE_CSOCK_NAME", "the socket of the PC/SC service"),
  ]

  private static let paths = [
    ("/etc/nfc/libnfc.conf", "libnfc's settings; devices.d beside it names readers"),
    ("~/.config/nfc/watch.env", "variables for the unit of nfc watch --install"),
    ("/etc/nfc/watch.env", "variables for the unit of nfc watch --install --system"),
    ("~/.local/state/nfc/watch.spool", "taps that wait for the broker of nfc watch"),
    ("~/.config/nfc/trust", "certificates that nfc passport trusts"),
  ]

  /// The help as lines of at most 80 columns.
  var text: String {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    return rows.map { name, meaning in
      name + String(repeating: " ", count: width - name.count)
        + Self.wrapped(meaning, indent: width)
    }.joined(separator: "\n")
  }

  private static let columns = 80

  private static func wrapped(_ text: String, indent: Int) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if !line.isEmpty, indent + line.count + 1 + word.count > columns {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = line.isEmpty ? String(word) : line + " " + word
      }
    }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  /// Returns the topic that `nfc help WORD` names.
  init?(_ arguments: [String]) {
    let words = arguments.filter { !$0.hasPrefix("-") }
    guard arguments.first == "help", words.count == 2 else { return nil }
    self.init(rawValue: words[1])
  }
}
