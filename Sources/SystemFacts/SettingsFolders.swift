/// Settings that are files of one folder of several, as modprobe and udev read them: of files with the
/// same name the one in the first folder counts.
package struct SettingsFolders {
  /// A line that is not a comment, and its position.
  package struct Line: Hashable {
    package let path: String
    package let text: String
  }

  package let lines: [Line]

  /// modprobe.d(5).
  package static func modules(_ files: SystemFiles) -> SettingsFolders {
    SettingsFolders(
      files, ["/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"],
      suffix: ".conf")
  }

  /// udev(7).
  package static func rules(_ files: SystemFiles) -> SettingsFolders {
    SettingsFolders(
      files,
      ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"],
      suffix: ".rules")
  }

  private init(_ files: SystemFiles, _ folders: [String], suffix: String) {
    var seen = Set<String>()
    var lines: [Line] = []
    for folder in folders {
      for name in files.names(in: folder) ?? [] where name.hasSuffix(suffix) {
        guard seen.insert(name).inserted else { continue }
        let path = "\(folder)/\(name)"
        let text = (files.text(path) ?? "").replacing("\\\n", with: " ")
        lines += text.split(whereSeparator: \.isNewline).map(\.trimmed)
          .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { Line(path: path, text: $0) }
      }
    }
    self.lines = lines
  }

  /// Returns whether modprobe is configured not to load a module automatically.
  package func blocks(_ module: String) -> Bool {
    lines.contains { line in
      let words = line.text.split(whereSeparator: \.isWhitespace)
      guard words.count >= 2, words[1].replacing("-", with: "_") == module else { return false }
      return words[0] == "blacklist"
        || words[0] == "install" && ["/bin/false", "/bin/true"].contains(words.dropFirst(2).first)
    }
  }

  /// A udev rule that gives a USB device to a group, or to the person at the machine.
  package struct AccessRule: Hashable {
    package let path: String
    package let group: String?
  }

  package func access(vendor: UInt16, product: UInt16) -> AccessRule? {
    for line in lines {
      let text = line.text.lowercased()
      guard Self.value("idvendor}==", in: text) == USBDevice.digits(vendor).lowercased(),
        Self.value("idproduct}==", in: text) == USBDevice.digits(product).lowercased()
      else { continue }
      let group = Self.value(
        "group=", in: line.text.replacing("GROUP", with: "group").replacing(":=", with: "="))
      guard group != nil || text.contains("mode=") || text.contains("\"uaccess\"") else { continue }
      return AccessRule(path: line.path, group: group)
    }
    return nil
  }

  /// Returns the text in quotation marks after a key and its operator.
  private static func value(_ key: String, in text: String) -> String? {
    guard let range = text.firstRange(of: key) else { return nil }
    let rest = text[range.upperBound...]
    guard rest.first == "\"" else { return nil }
    return rest.dropFirst().firstIndex(of: "\"").map { String(rest.dropFirst()[..<$0]) }
  }
}
