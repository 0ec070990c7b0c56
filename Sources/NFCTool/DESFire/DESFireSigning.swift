import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The option `--reader-id`, which requests a transaction that the card signs.
struct DESFireSigningOptions: ParsableArguments {
  private static let nameSize = 16

  @Option(
    name: .customLong("reader-id"),
    help: ArgumentHelp(
      "The terminal's name, 16 bytes, in a transaction that the card signs; prints its code.",
      valueName: "hex"),
    transform: { text in
      let bytes = try Hexadecimal.argument(text, "--reader-id")
      guard bytes.count == nameSize else {
        throw ValidationError("--reader-id takes \(nameSize) bytes, not \(bytes.count).")
      }
      return bytes
    })
  var reader: [UInt8]?
}

extension SelectedDESFire {
  /// The status with which a card refuses to commit a transaction without a terminal's name.
  private static let refusedCommit = NFCError.Cause.desfireStatus(0x9D)

  /// Authenticates with a key that may name a terminal, if the key of the session may not.
  private func openNaming(_ application: DESFireApplication) async throws {
    for number in try await application.files() {
      let settings = try await application.fileSettings(number)
      guard case .transactionMAC = settings.content else { continue }
      guard let keys = keys(for: settings.holders(of: \.readWrite)) else { return }
      return try await authenticate(application, keys, for: "a terminal is named")
    }
    throw Failure(
      .notAllowed, "the card signs no transactions of \(application.identifier.name)",
      tag: tag.name, advice: "leave --reader-id out")
  }

  /// Runs `body` and commits the transaction. The card signs it if a terminal is named.
  func transaction(
    _ application: DESFireApplication, _ signing: DESFireSigningOptions,
    _ body: (DESFireApplication) async throws -> Void
  ) async throws -> DESFireTransactionReceipt? {
    guard let reader = signing.reader else {
      do {
        try await application.transaction(body)
      } catch let error as NFCError where error.cause == Self.refusedCommit {
        throw Failure(
          .notAllowed, error.reason, tag: tag.name,
          advice: "give a key that may, or --reader-id where the card signs transactions")
      }
      return nil
    }
    return try await application.signedTransaction(reader: reader) { application in
      try await body(application)
      try await openNaming(application)
    }
  }
}

extension DESFireTransactionReceipt {
  /// A text for people: the number of the transaction, the card's code, and the bytes that the code covers.
  var text: String { "transaction \(mac.counter)  \(mac.code.hexadecimal)  \(input.hexadecimal)" }

  var json: JSONValue {
    .members([
      "counter": .integer(mac.counter), "mac": .bytes(mac.code), "input": .bytes(input),
      "previousReader": encryptedPreviousReader.map { .bytes($0) },
    ])
  }
}
