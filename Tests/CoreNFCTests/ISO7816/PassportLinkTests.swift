import CoreNFC
import Foundation
import NFC
import TestSupport
import Testing
import TravelDocuments
import VirtualNFC

/// The connection to a passport that a Core NFC session has found. Its calls block: use it on a thread of its own.
private final class PassportLink: ChipLink {
  private let tag: any NFCISO7816Tag
  let maximumCommandLength = 261
  let maximumResponseLength = 258
  private(set) var count = 0

  init(_ tag: any NFCISO7816Tag) { self.tag = tag }

  func transmit(_ command: APDU) throws -> ResponseAPDU {
    guard let apdu = NFCISO7816APDU(data: Data(command.encoded)) else {
      throw NFCError(.invalidParameter, "the command is not an APDU")
    }
    count += 1
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var answer: Result<ResponseAPDU, NFCError>?
    tag.sendCommand(apdu: apdu) { data, sw1, sw2, error in
      if error == nil {
        answer = .success(ResponseAPDU(data: Array(data), sw1: sw1, sw2: sw2))
      }
      done.signal()
    }
    done.wait()
    guard let answer else { throw NFCError(.tagConnectionLost, "the passport has left") }
    return try answer.get()
  }

  func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}

extension SessionSuites {
  /// A program with Core NFC reads a document with the module for travel documents.
  @Suite struct PassportLinkTests {
    private func read(_ document: IssuedDocument, _ reading: DocumentReading) async throws -> Int {
      let bench = try SessionBench(
        document.tag(),
        information: NFCInformation(
          usageDescription: "Passports", applicationIdentifiers: ["A0000002471001"]))
      nonisolated(unsafe) var result: Result<Int, any Error> = .success(0)
      try await bench.withTag(.iso14443) { _, tag in
        nonisolated(unsafe) let passport = try #require(tag.iso7816)
        #expect(passport.initialSelectedAID == "A0000002471001")
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            let link = PassportLink(passport)
            result = Result {
              try reading.run(over: link)
              return link.count
            }
            continuation.resume()
          }
        }
      }
      return try result.get()
    }

    @Test func everyAccess() async throws {
      let password = try AccessPassword(MachineReadableZone(IssuedDocument.zone))
      for (change, access, chip):
        (
          (inout IssuedDocument.Order) -> Void, String, Verdict.Chip
        ) in [
          ({ $0.agreements = [.init(.aes128, 13)] }, "PACE-GM AES-128 brainpoolP256r1", .genuine),
          (
            {
              $0.chip.passwordProtocols = [
                .init(.chipAuthentication, .aes256, domainParameters: 15)
              ]
              $0.hasMappingKey = true
            }, "PACE-CAM AES-256 secp384r1", .genuine
          ),
          (
            {
              $0.chip.passwordProtocols = []
              $0.signature = .rsa(bits: 1024)
            }, "BAC", .genuine
          ),
        ]
      {
        let document = try IssuedDocument(change)
        let reading = DocumentReading(password: password)
        let count = try await read(document, reading)
        let content = reading.content
        #expect(content.exchangeCount == count)
        #expect(content.access?.description.hasPrefix(access) == true)
        #expect(content.zone?.surname == "ERIKSSON")
        var trust = TrustStore()
        try trust.add(document.authority, name: "authority")
        let verdict = content.verdict(trust: trust)
        #expect(verdict.isTrusted && verdict.chip == chip, "\(verdict)")
      }
    }
  }
}
