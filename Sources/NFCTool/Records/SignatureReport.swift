import ArgumentParser
import NFC
import TagTools
import SignedMessages
import SwiftNFCJSONText
import TravelDocuments

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options for the signature records of a message.
struct SignatureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Verify signature records by these certificates: PEM, DER, or a folder of them.",
      discussion: "Those of signers, or of authorities above them. May be given more than once.",
      valueName: "path"), completion: .file())
  var trust: [String] = []

  @Flag(help: "Fail unless every record is signed by somebody who is trusted.")
  var verify = false

  /// Reads the certificates; `nil` if nothing is to be verified.
  ///
  /// - Throws: ``Failure`` for a file that is not there, or that has no certificate.
  func load() throws -> SignatureCheck? {
    guard verify || !trust.isEmpty else { return nil }
    let (certificates, notes) = try TrustFiles.certificates(trust)
    return SignatureCheck(certificates: certificates, notes: notes, isRequired: verify)
  }
}

/// What the signatures of a message are verified by.
struct SignatureCheck: Sendable {
  /// Certificates in DER.
  let certificates: [[UInt8]]
  /// Remarks about the files.
  let notes: [String]
  /// Whether every record has to be signed.
  let isRequired: Bool

  func report(on message: NDEFMessage) -> SignatureReport {
    SignatureReport(
      verdicts: message.signatureVerdicts(trusting: certificates, at: time(nil)),
      unsigned: message.unsignedRecords, isRequired: isRequired, notes: notes)
  }
}

/// What the signatures of a message say.
struct SignatureReport: Sendable {
  let verdicts: [SignatureVerdict]
  /// The positions of the records that no signature covers.
  let unsigned: [Int]
  let isRequired: Bool
  let notes: [String]

  /// The member `signatures` of `nfc read --json`.
  var json: JSONValue {
    .array(
      verdicts.map { verdict in
        .members([
          "record": .integer(verdict.record),
          "covers": .array(verdict.coveredRecords.map { .integer($0) }),
          "content": .string(verdict.content.rawValue), "issuer": .string(verdict.issuer.rawValue),
          "signer": verdict.certificate.flatMap { Certificate($0) }.map { .string($0.subjectText) },
          "remark": verdict.remark.map { .string($0) },
        ])
      })
  }

  var lines: [String] {
    let signatures = verdicts.map { verdict in
      let covered =
        verdict.coveredRecords.isEmpty ? "" : " of \(Self.records(verdict.coveredRecords))"
      let signer = verdict.certificate.flatMap { Certificate($0) }?.subjectText.onOneLine
      let words = [Self.words(verdict.content), signer.map { "signed by \($0)" }, issuer(verdict)]
      return "signature\(covered): " + words.compactMap(\.self).joined(separator: ", ")
    }
    guard !unsigned.isEmpty else { return signatures }
    return signatures + ["not signed: " + Self.records(unsigned)]
  }

  func print() throws {
    for note in notes { Output.printError("nfc: " + note) }
    for line in lines { try Output.line(line) }
  }

  /// - Throws: ``Failure`` `content` if a record was changed, and `notAllowed` if not everything is signed as required.
  func check(tag: String? = nil) throws {
    if let changed = verdicts.first(where: { $0.content == .changed }) {
      throw Failure(
        .content,
        "\(Self.records(changed.coveredRecords)) of the message: \(Self.words(.changed))",
        tag: tag)
    }
    guard isRequired else { return }
    let reason: String
    if verdicts.isEmpty {
      reason = "it is not signed"
    } else if let verdict = verdicts.first(where: { !$0.isTrusted }) {
      reason = [Self.words(verdict.content), issuer(verdict)].compactMap(\.self)
        .joined(separator: ", ")
    } else if !unsigned.isEmpty {
      let verb = unsigned.count == 1 ? "is" : "are"
      reason = "\(Self.records(unsigned)) \(verb) not covered by a signature"
    } else {
      return
    }
    let isUnknown = verdicts.contains { [.unknown, .notChecked].contains($0.issuer) }
    throw Failure(
      .notAllowed, "the message is not trusted: \(reason)", tag: tag,
      advice: isUnknown ? "give the certificate of the signer or its authority with --trust" : nil)
  }

  // MARK: Words

  /// Returns the records for people, who count from 1.
  private static func records(_ positions: some Collection<Int>) -> String {
    let numbers = positions.map { $0 + 1 }
    return (numbers.count == 1 ? "record " : "records ") + NumberList.text(numbers)
  }

  private static func words(_ content: SignatureVerdict.Content) -> String {
    switch content {
    case .unchanged: "unchanged"
    case .changed: "changed since the signature, or signed by another key"
    default: "not verified"
    }
  }

  private func issuer(_ verdict: SignatureVerdict) -> String? {
    let remark = verdict.remark
    return switch verdict.issuer {
    case .trusted: "trusted"
    case .unknown: "which no trusted certificate confirms"
    case .notValidNow: "whose certificate is not valid now: \(remark ?? "")"
    case .invalid: "whose certificate is wrong: \(remark ?? "")"
    default: remark ?? (verdict.content == .unchanged ? "by nobody who is trusted" : nil)
    }
  }
}
