#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A program that is handed tags with links of its domains, as an iPhone does with associated domains.
///
/// A file `nfc/applications/NAME.json` in a data folder (`XDG_DATA_HOME`, or else `~/.local/share`;
/// then those of `XDG_DATA_DIRS`) registers the program NAME:
///
/// ```json
/// {"domains": ["example.com", "*.example.org"], "command": ["/usr/bin/museum-guide"]}
/// ```
///
/// `*.example.org` matches every domain below `example.org`. `command` is started when a tag is
/// tapped and the program is not running; without it, only a running program receives tags.
package struct RegisteredApplication: Hashable, Sendable {
  package let name: String
  package let domains: [String]
  package let command: [String]

  private struct File: Decodable {
    let domains: [String]
    let command: [String]?
  }

  /// Returns whether a link belongs to one of the domains; links with other schemes than `http` and
  /// `https` belong to none.
  package func serves(_ link: String) -> Bool {
    guard let components = URLComponents(string: link),
      ["http", "https"].contains(components.scheme?.lowercased()),
      let host = components.host?.lowercased(), !host.isEmpty
    else { return false }
    return domains.contains { domain in
      let domain = domain.lowercased()
      guard domain.hasPrefix("*.") else { return host == domain }
      return host.hasSuffix(domain.dropFirst()) && host.count > domain.count - 1
    }
  }

  /// A file that is longer is no registration.
  private static let longestFile = 1 << 16

  package init?(file: URL) {
    guard let data = try? Data(contentsOf: file), data.count <= Self.longestFile,
      let content = try? JSONDecoder().decode(File.self, from: data)
    else { return nil }
    name = file.deletingPathExtension().lastPathComponent
    guard Self.isName(name) else { return nil }
    domains = content.domains
    command = content.command ?? []
  }

  /// Returns whether a text is a valid name, which becomes part of a socket's name: letters,
  /// digits, hyphens, underscores and dots.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }

  /// Returns the folders that contain registrations; the first one takes precedence.
  package static func folders(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [URL] {
    func list(_ name: String, _ standard: String) -> [String] {
      let value = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard
      return value.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }
    return
      (list("XDG_DATA_HOME", UserFolder.home(environment) + "/.local/share")
      + list("XDG_DATA_DIRS", "/usr/local/share:/usr/share"))
      .map { URL(fileURLWithPath: $0).appendingPathComponent("nfc/applications") }
  }

  /// Returns the program for a link; `nil` if none is registered.
  package static func serving(_ link: String, in folders: [URL] = folders()) -> Self? {
    var seen: Set<String> = []
    for folder in folders {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for file in files.sorted() where file.hasSuffix(".json") && seen.insert(file).inserted {
        let application = Self(file: folder.appendingPathComponent(file))
        if let application, application.serves(link) { return application }
      }
    }
    return nil
  }
}
