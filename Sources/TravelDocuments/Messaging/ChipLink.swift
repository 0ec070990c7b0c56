import SwiftNFCCore

/// The connection to a chip: sends a command unchanged and returns the answer, whatever the status word.
///
/// A `TagLink` is the usual one. Programs with another kind of connection, such as Core NFC's, have their own.
public protocol ChipLink {
  /// The maximum length of a command in bytes.
  var maximumCommandLength: Int { get }
  /// The maximum length of an answer in bytes, with its status word.
  var maximumResponseLength: Int { get }
  /// Sends a command: one exchange. The chip may request more time, up to half a minute.
  ///
  /// - Throws: `NFCError` with the code `tagConnectionLost` or `tagResponseError` if the document has left.
  func transmit(_ command: APDU) throws -> ResponseAPDU
  /// Returns random bytes from a cryptographic generator.
  ///
  /// - Throws: an error of the generator.
  func random(_ count: Int) throws -> [UInt8]
  /// Activates the chip again, which ends what was selected and opened in it.
  ///
  /// - Throws: `NFCError` with the code `tagConnectionLost` if that is not possible without taking the document away.
  func activateAgain() throws
}

extension ChipLink {
  /// Cannot activate the chip again.
  ///
  /// - Throws: `NFCError` with the code `tagConnectionLost`, always.
  public func activateAgain() throws {
    throw NFCError(.tagConnectionLost, "the document has to be taken away and put back")
  }
}

/// The connection to a tag of a reader.
struct ReaderChipLink: ChipLink {
  private let link: TagLink
  let maximumCommandLength: Int
  let maximumResponseLength: Int

  /// A chip computes for seconds over a large curve, and delays its answer after wrong passwords: 15 s were seen
  /// (Proxmark3, cmdhfemrtd.c).
  private static let patience = Duration.seconds(60)

  init(_ link: TagLink) {
    self.link = link
    let capabilities = link.capabilities
    maximumCommandLength = capabilities.maximumCommandLength
    maximumResponseLength = capabilities.maximumResponseLength
  }

  func transmit(_ command: APDU) throws -> ResponseAPDU {
    try link.send(command, timeout: Self.patience)
  }

  func random(_ count: Int) throws -> [UInt8] { link.random(count) }

  func activateAgain() throws { try link.activateAgain() }
}
