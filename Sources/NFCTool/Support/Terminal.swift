import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What only a person at a terminal sees.
enum Terminal {
  /// The current status line on standard error; empty for none.
  private static let status = Mutex("")

  /// Whether standard error is a terminal that takes a line back.
  static let hasStatus = isatty(STDERR_FILENO) == 1 && !isDumb

  /// Whether standard output is a terminal, where columns are aligned.
  static let isOutput = isatty(STDOUT_FILENO) == 1

  /// Whether standard output is shown in colour (no-color.org).
  static let hasColor = isatty(STDOUT_FILENO) == 1 && !isDumb && !isSet("NO_COLOR")

  private static var isDumb: Bool { variable("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true }

  private static func isSet(_ name: String) -> Bool { variable(name)?.isEmpty == false }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static let erase = "\r\u{1B}[K"

  /// Shows the current activity in place of the previous one.
  static func show(_ text: String) {
    guard hasStatus else { return }
    let line = String(text.onOneLine.prefix(max(1, width - 1)))
    status.withLock { status in
      guard status != line else { return }
      status = line
      _ = Output.write(erase + line, to: STDERR_FILENO)
    }
  }

  /// Removes the status line.
  static func clearStatus() {
    guard hasStatus else { return }
    status.withLock { status in
      guard !status.isEmpty else { return }
      status = ""
      _ = Output.write(erase, to: STDERR_FILENO)
    }
  }

  /// The columns of the terminal; 80 if unknown.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  // MARK: Colour

  enum Style: String {
    case label = "36"
    case good = "32"
    case bad = "31"
    case faint = "2"
  }

  /// Colors a text of standard output, if colors are wanted.
  static func styled(_ text: String, _ style: Style) -> String {
    hasColor && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Fills a text of standard output up to a column's width; as it is where no person looks at it.
  static func padded(_ text: String, to width: Int) -> String {
    isOutput ? text + String(repeating: " ", count: max(0, width - text.count)) : text
  }

  // MARK: Help

  /// The narrowest lines that help texts can be broken into.
  private static let minimumColumns = 40

  /// Keeps the parser, which breaks help texts by the terminal's width, from one that it cannot use.
  static func widenForHelp() {
    let name = "COLUMNS"
    if let columns = variable(name) {
      guard let number = Int(columns), number >= minimumColumns else {
        setenv(name, "\(minimumColumns)", 1)
        return
      }
    }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col < minimumColumns,
      variable(name) == nil
    else { return }
    setenv(name, "\(minimumColumns)", 1)
  }
}
