import TestSupport
import Testing

@testable import TravelDocuments

/// Lists of revoked certificates.
@Suite struct RevocationTests {
  private func verdict(_ files: [[UInt8]], _ document: IssuedDocument) throws -> Verdict {
    var state = ReadingState()
    let groups = document.document.dataGroups.map { number, bytes in
      (DataGroup(number).map { DocumentFile.group($0) }, bytes)
    }
    for (file, bytes) in groups + [(.securityObject, document.document.securityObject ?? [])] {
      guard let file else { continue }
      state.files[file] = PartialFile(bytes: bytes, total: bytes.count)
    }
    state.access = .basic
    var trust = TrustStore()
    for (index, file) in files.enumerated() { try trust.add(file, name: "file \(index)") }
    return DocumentContent(state).verdict(trust: trust)
  }

  private static func ldif(_ list: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: list.count, by: 3) {
      let part = list[start..<min(start + 3, list.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for index in 0...part.count { text.append(alphabet[bits >> (18 - 6 * index) & 0x3F]) }
      text += [UInt8](repeating: UInt8(ascii: "="), count: 3 - part.count)
    }
    var lines = Array("dn: o=crl\ncertificateRevocationList;binary:: ".utf8)
    for (index, character) in text.enumerated() {
      if index > 0, index.isMultiple(of: 60) { lines += Array("\n ".utf8) }
      lines.append(character)
    }
    return lines + Array("\n\n".utf8)
  }

  @Test func revokedSigners() throws {
    let document = try IssuedDocument()
    let issuer = document.issuer
    let list = issuer.revocationList(revokesSigner: true)
    #expect(try verdict([issuer.certificate], document).isTrusted)
    #expect(
      try verdict([issuer.certificate, issuer.revocationList(revokesSigner: false)], document)
        .isTrusted)
    for file in [list, Self.ldif(list)] {
      let result = try verdict([issuer.certificate, file], document)
      #expect(result.issuer == .invalid && !result.isTrusted)
      #expect(result.remarks.contains { $0.contains("revoked on 2022-01-01") })
      #expect(try verdict([file, issuer.certificate], document).issuer == .invalid)
    }
    // Another authority's list, and one whose signature is wrong, say nothing.
    let other = DocumentIssuer().revocationList(revokesSigner: true)
    #expect(try verdict([issuer.certificate, other], document).isTrusted)
    var changed = list
    changed[changed.count - 1] ^= 1
    #expect(try verdict([issuer.certificate, changed], document).isTrusted)
    // A list alone makes nobody trusted.
    #expect(try verdict([list], document).issuer == .notChecked)
  }

  @Test func whatIsNoList() throws {
    let issuer = DocumentIssuer()
    #expect(RevocationList(issuer.certificate) == nil)
    let list = issuer.revocationList(revokesSigner: true)
    #expect(RevocationList(list) != nil)
    for count in 0..<list.count { #expect(RevocationList(Array(list.prefix(count))) == nil) }
    #expect(Certificate(list) == nil)
  }
}
