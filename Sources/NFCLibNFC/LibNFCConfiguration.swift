import SwiftNFCSystemFacts

/// The files and variables that a configuration is read from.
package protocol ConfigurationFiles {
  /// Returns the value of an environment variable.
  func variable(_ name: String) -> String?

  /// Returns the names in a folder, in order; `nil` if it cannot be read.
  func names(in path: String) -> [String]?

  /// Returns the bytes of a regular file; `nil` if it cannot be read.
  func bytes(_ path: String) -> [UInt8]?

  /// Returns whether a path leads to a regular file; `nil` if it leads to nothing.
  func isRegularFile(_ path: String) -> Bool?
}

/// libnfc's configuration as libnfc 1.8.0 reads it (conf.c, nfc-internal.c), and the parts that it
/// silently ignores.
package struct LibNFCConfiguration {
  package static let folder = "/etc/nfc"
  package static let devicesFolder = folder + "/devices.d"
  /// `MAX_USER_DEFINED_DEVICES`.
  package static let maximumDevices = 4
  package static let defaultDevice = "LIBNFC_DEFAULT_DEVICE"
  package static let onlyDevice = "LIBNFC_DEVICE"
  package static let search = "LIBNFC_AUTO_SCAN"
  package static let intrusiveSearch = "LIBNFC_INTRUSIVE_SCAN"

  /// A reader that is defined by hand, and is opened and listed without being looked for.
  package struct Device: Hashable {
    package var name = ""
    package var connectionString = ""
    package var isOptional = false
    /// The file or variable that defines it.
    package var source: String
  }

  /// Something that has no effect, or another one than was meant.
  package struct Flaw: Hashable {
    /// File and line, or variable.
    package let place: String
    package let reason: String
    package let advice: String
  }

  package private(set) var devices: [Device] = []
  package private(set) var flaws: [Flaw] = []
  /// Whether libnfc looks for USB readers by itself.
  package private(set) var searches = true
  /// Whether it also writes to every serial port.
  package private(set) var searchesIntrusively = false

  package init(_ files: some ConfigurationFiles) {
    if let value = files.variable(Self.defaultDevice) {
      devices.append(
        Device(
          name: "user defined default device", connectionString: value,
          source: "the variable \(Self.defaultDevice)"))
    }
    read(Self.folder + "/libnfc.conf", prefix: "", files)
    for name in files.names(in: Self.devicesFolder) ?? [] {
      let path = "\(Self.devicesFolder)/\(name)"
      // libnfc requires at least one character before the suffix.
      guard name.hasSuffix(".conf"), name != ".conf" else {
        flaws.append(
          Flaw(
            place: path, reason: "libnfc reads only files that end in .conf",
            advice: "rename it, or remove it"))
        continue
      }
      read(path, prefix: "device.", files)
    }
    if let value = files.variable(Self.onlyDevice) {
      devices = [
        Device(
          name: "user defined device", connectionString: value,
          source: "the variable \(Self.onlyDevice)")
      ]
    }
    if let value = files.variable(Self.search) {
      set(\.searches, value, at: "the variable \(Self.search)")
    }
    if let value = files.variable(Self.intrusiveSearch) {
      set(\.searchesIntrusively, value, at: "the variable \(Self.intrusiveSearch)")
    }
  }

  private mutating func read(_ path: String, prefix: String, _ files: some ConfigurationFiles) {
    guard let isFile = files.isRegularFile(path) else { return }
    guard let bytes = files.bytes(path) else {
      flaws.append(
        Flaw(
          place: path,
          reason: isFile ? "this login may not read it" : "it is not a regular file",
          advice: isFile ? "sudo chmod a+r \(path)" : "put a file in its place"))
      return
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let place = "\(path), line \(index + 1)"
      switch ConfigurationLine(line, isEnded: index + 1 < lines.count) {
      case .nothing: continue
      case .flaw(let reason, let advice):
        flaws.append(Flaw(place: place, reason: reason, advice: advice))
      case .entry(let key, let value):
        take(prefix + key, value, at: place, written: key)
      }
    }
  }

  // MARK: Keys

  private mutating func take(_ key: String, _ value: String, at place: String, written: String) {
    switch key {
    case "allow_autoscan": set(\.searches, value, at: place)
    case "allow_intrusive_scan": set(\.searchesIntrusively, value, at: place)
    case "log_level": return
    case "device.name":
      if beginsDevice({ !$0.name.isEmpty }, at: place) { last { $0.name = value } }
    case "device.connstring":
      if beginsDevice({ !$0.connectionString.isEmpty }, at: place) {
        last { $0.connectionString = value }
      }
    case "device.optional":
      guard beginsDevice({ $0.isOptional }, at: place) else { return }
      if ["true", "True", "1"].contains(value) { last { $0.isOptional = true } }
    default:
      let keys =
        place.hasPrefix(Self.devicesFolder)
        ? "name, connstring, optional"
        : "allow_autoscan, allow_intrusive_scan, log_level, device.name, device.connstring, "
          + "device.optional"
      flaws.append(
        Flaw(
          place: place, reason: "libnfc knows no key \"\(written)\" here",
          advice: "the keys of this file are \(keys)"))
    }
  }

  /// Returns whether a value has a device to go to: the last one, or a new one if that has the
  /// value already.
  private mutating func beginsDevice(
    _ isTaken: (Device) -> Bool, at place: String
  ) -> Bool {
    if let last = devices.last, !isTaken(last) { return true }
    guard devices.count < Self.maximumDevices else {
      flaws.append(
        Flaw(
          place: place, reason: "libnfc accepts no more than \(Self.maximumDevices) devices",
          advice: "remove those that are not there"))
      return false
    }
    devices.append(Device(source: place))
    return true
  }

  private mutating func last(_ change: (inout Device) -> Void) {
    guard let index = devices.indices.last else { return }
    change(&devices[index])
  }

  private mutating func set(
    _ setting: WritableKeyPath<LibNFCConfiguration, Bool>, _ value: String, at place: String
  ) {
    switch value {
    case "yes", "true", "1": self[keyPath: setting] = true
    case "no", "false", "0": self[keyPath: setting] = false
    default:
      flaws.append(
        Flaw(
          place: place, reason: "libnfc reads \"\(value)\" as neither yes nor no",
          advice: "write true or false, in small letters"))
    }
  }
}

extension LibNFCConfiguration {
  /// The current configuration of the system that the program runs on.
  static var own: LibNFCConfiguration { LibNFCConfiguration(SystemFiles.own) }

  /// Returns the name of a reader in the configuration.
  func name(of connectionString: String) -> String? {
    devices.first { $0.connectionString == connectionString && !$0.name.isEmpty }?.name
  }
}

extension SystemFiles: ConfigurationFiles {
  package func isRegularFile(_ path: String) -> Bool? { node(path).map { $0.kind == .file } }
}

/// libnfc's interpretation of a line (conf.c, `parse_line`).
package enum ConfigurationLine: Hashable {
  case nothing
  case entry(key: String, value: String)
  /// Ignored, or not interpreted as it is written.
  case flaw(reason: String, advice: String)

  /// `BUFSIZ` of glibc, less the zero at the end.
  private static let longestLine = 8191
  private static let quotationMark = UInt8(ascii: "\"")

  /// - Parameter isEnded: whether a line feed follows.
  package init(_ line: ArraySlice<UInt8>, isEnded: Bool) {
    guard line.count <= Self.longestLine else {
      self = .flaw(
        reason: "libnfc breaks a line of more than \(Self.longestLine) bytes", advice: "shorten it")
      return
    }
    // A string of C ends at a zero.
    let text = line.prefix { $0 != 0 }.drop(while: Self.isSpace)
    guard let first = text.first, first != UInt8(ascii: "#") else {
      self = .nothing
      return
    }
    let key = text.prefix(while: Self.isOfKey)
    let following = text[key.endIndex...].drop(while: Self.isSpace)
    guard !key.isEmpty, following.first == UInt8(ascii: "=") else {
      self = .flaw(
        reason: "libnfc drops it: it is not KEY = VALUE", advice: "correct it, or put # before it")
      return
    }
    let value = following.dropFirst().drop(while: Self.isSpace)
    guard !value.isEmpty else {
      self = .flaw(
        reason: "libnfc drops it: it has no value", advice: "complete it, or put # before it")
      return
    }
    self = Self.entry(String(decoding: key, as: UTF8.self), value, isEnded: isEnded)
  }

  private static func entry(
    _ key: String, _ value: ArraySlice<UInt8>, isEnded: Bool
  ) -> ConfigurationLine {
    if value.first == quotationMark,
      let end = value.dropFirst().firstIndex(of: quotationMark),
      value[(end + 1)...].allSatisfy(isSpace)
    {
      return .entry(
        key: key, value: String(decoding: value[(value.startIndex + 1)..<end], as: UTF8.self))
    }
    let word = value.prefix { !isSpace($0) }
    let rest = value[word.endIndex...].drop(while: isSpace)
    guard rest.isEmpty else {
      return rest.first == UInt8(ascii: "#")
        ? .flaw(
          reason: "libnfc drops it: a comment follows the value",
          advice: "put the comment on its own line")
        : .flaw(
          reason: "libnfc drops it: there is a blank in the value",
          advice: "put the value in quotation marks")
    }
    guard !word.contains(quotationMark) else {
      return .flaw(
        reason: "its quotation marks do not match, and libnfc treats them as part of the value",
        advice: "put them around the whole value")
    }
    // libnfc reads past the end of such a line, into what the previous line has left.
    guard isEnded || word.count < value.count else {
      return .flaw(
        reason: "the file ends without a line feed, and libnfc may read on into an older line",
        advice: "end the line")
    }
    return .entry(key: key, value: String(decoding: word, as: UTF8.self))
  }

  /// `isspace` of the C locale.
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
