import SwiftNFCCore
import TravelDocuments

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files with authorities that the user trusts.
enum TrustFiles {
  /// Reads the files and folders that the command line names, and those of the user's configuration.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: ``Failure`` for a file that is not there, or that has no certificate.
  static func load(_ paths: [String]) throws -> (store: TrustStore, notes: [String])? {
    var store = TrustStore()
    var notes: [String] = []
    for path in paths { try add(path, &store, &notes) }
    if let folder = configured, File.exists(folder) { try add(folder, &store, &notes) }
    for source in store.sources where source.isListVerified == false {
      notes.append(
        "the signature of the master list \(source.name) was not verified: "
          + "its own authority is not among the trusted files")
    }
    return store.isEmpty && paths.isEmpty ? nil : (store, notes)
  }

  /// Reads the certificates of the files and folders that the command line names.
  ///
  /// - Returns: the certificates in DER, and remarks about files that were left out.
  /// - Throws: ``Failure`` for a file that is not there, or that has no certificate.
  static func certificates(
    _ paths: [String]
  ) throws -> (certificates: [[UInt8]], notes: [String]) {
    var store = TrustStore()
    var notes: [String] = []
    for path in paths { try add(path, &store, &notes) }
    return (store.certificates, notes)
  }

  /// The folder of the user's configuration (XDG Base Directory Specification).
  private static var configured: String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    if let base = variable("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/nfc/trust" }
    return variable("HOME").map { $0 + "/.config/nfc/trust" }
  }

  private static func add(
    _ path: String, _ store: inout TrustStore, _ notes: inout [String]
  ) throws {
    guard let names = File.names(inFolder: path) else {
      do {
        try store.add(try File.read(path), name: File.name(path))
      } catch let error as DataObjectError {
        throw Failure(
          .content, "\(File.name(path)) cannot be used as a trust list: \(error.reason)",
          advice: "give a certificate in PEM or DER, a master list, or an LDIF")
      }
      return
    }
    for name in names where !name.hasPrefix(".") {
      let file = path + "/" + name
      guard File.names(inFolder: file) == nil else { continue }
      do {
        try store.add(try File.read(file), name: File.name(file))
      } catch let error as DataObjectError {
        notes.append("\(File.name(file)) was left out: \(error.reason)")
      }
    }
  }
}

extension File {
  /// Returns the names in a folder, in their order; `nil` if it is not a folder.
  static func names(inFolder path: String) -> [String]? {
    guard path != standard, let folder = opendir(systemName(of: path)) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { ArgumentText.text(of: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Checks before anything is read that a folder is empty, or can be created.
  ///
  /// - Throws: ``Failure`` `usage` for anything else that has the name; that of ``failure(_:_:_:)`` if the nearest folder
  ///   that there is does not let this user create one.
  static func checkEmptyFolder(_ path: String) throws {
    if let names = names(inFolder: path) {
      guard names.isEmpty else {
        throw Failure(
          .usage, "the folder \(name(path)) is not empty", advice: "name a new or an empty one")
      }
    } else if exists(path) {
      throw Failure(.usage, "\(name(path)) is not a folder", advice: "name a new folder")
    } else {
      var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      while let last = parts.last, !last.isEmpty, !exists(parts.joined(separator: "/")) {
        parts = parts.dropLast()
      }
      let parent = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
      if access(systemName(of: parent), W_OK | X_OK) != 0 { throw failure("write", path, errno) }
    }
  }

  /// Creates a folder, unless it is there.
  static func createFolder(_ path: String) throws {
    if let number = makeFolder(of: path + "/file") { throw failure("write", path, number) }
  }
}
