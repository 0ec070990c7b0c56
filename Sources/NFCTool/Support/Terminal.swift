import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Output that only a person at a terminal sees.
enum Terminal {
  /// The current status line on standard error, or an empty string.
  private static let status = Mutex("")

  /// Whether standard error is a terminal that can erase a line.
  static let hasStatus = isatty(STDERR_FILENO) == 1 && !isDumb

  /// Whether standard output is a terminal, for which columns are aligned.
  static let isOutput = isatty(STDOUT_FILENO) == 1

  /// Whether standard output is shown in color (no-color.org).
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

  /// The number of columns of the terminal, or 80 if it is not known.
  static var width: Int { width(of: STDERR_FILENO) }

  /// The number of columns of standard output, or `nil` if it is not a terminal.
  static var outputWidth: Int? { isOutput ? width(of: STDOUT_FILENO) : nil }

  private static func width(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  // MARK: Color

  enum Style: String {
    case label = "36"
    case good = "32"
    case bad = "31"
    case faint = "2"
  }

  /// Returns a text for standard output with a color, if colors are used.
  static func styled(_ text: String, _ style: Style) -> String {
    hasColor && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Returns a text for standard output, padded to the width of a column. If standard output is not a
  /// terminal, the text is returned unchanged.
  static func padded(_ text: String, to width: Int) -> String {
    isOutput ? text + String(repeating: " ", count: max(0, width - text.count)) : text
  }

  // MARK: Help

  /// The minimum line length for help texts.
  private static let minimumColumns = 40

  /// Replaces a terminal width that is too small for help texts. The parser breaks help texts at the
  /// terminal's width.
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
