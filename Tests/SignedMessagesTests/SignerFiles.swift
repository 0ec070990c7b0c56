import Foundation
import NDEF
import TestSupport
import Testing

@testable import SignedMessages

/// Keys and certificates that the program `openssl` makes, in a folder of their own.
final class SignerFiles: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "signers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static var now: Int { Int(Date().timeIntervalSince1970) }
  static let day = 86_400

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  @discardableResult
  func openssl(_ arguments: [String]) async throws -> String {
    let result = try await FinishedProgram.run(("/usr/bin/openssl", arguments))
    result.expectSuccess()
    return result.output
  }

  /// Options of `openssl genpkey`.
  enum Kind: String, CaseIterable, Sendable {
    case p192 = "prime192v1"
    case p224 = "secp224r1"
    case p256 = "prime256v1"
    case k233 = "sect233k1"
    case b233 = "sect233r1"
    case p384 = "secp384r1"
    case rsa1024 = "1024"
    case rsa2048 = "2048"
    case rsa4096 = "4096"

    fileprivate var options: [String] {
      switch self {
      case .rsa1024, .rsa2048, .rsa4096:
        ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(rawValue)"]
      default: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(rawValue)"]
      }
    }
  }

  /// Makes `NAME.key` and its certificate.
  ///
  /// - Parameter authority: the name of the authority; `nil` for a certificate that the key gives itself.
  /// - Returns: the certificate in DER.
  func certificate(
    _ name: String, _ kind: Kind = .p256, by authority: String? = nil, days: Int = 30
  ) async throws -> [UInt8] {
    try await openssl(["genpkey", "-out", path("\(name).key")] + kind.options)
    let issuer = authority.map { ["-CA", path("\($0).pem"), "-CAkey", path("\($0).key")] } ?? []
    try await openssl(
      [
        "req", "-x509", "-new", "-key", path("\(name).key"), "-subj", "/CN=\(name)", "-days",
        "\(days)", "-out", path("\(name).pem"),
      ] + issuer)
    try await openssl([
      "x509", "-in", path("\(name).pem"), "-outform", "DER", "-out", path("\(name).der"),
    ])
    return try bytes("\(name).der")
  }

  func signer(_ name: String, _ certificates: [UInt8]...) throws -> MessageSigner {
    try MessageSigner(key: try bytes("\(name).key"), certificates: certificates)
  }
}
