import SwiftNFCCore
import Synchronization

/// The reading of a travel document: your own passport, identity card or residence permit.
///
/// ```swift
/// let zone = try MachineReadableZone(text)
/// let reading = DocumentReading(password: try AccessPassword(zone))
/// try await reading.run(on: tag)
/// let content = reading.content
/// print(content.zone?.surname ?? "")
/// ```
///
/// A document that is lifted ends the connection. If ``canContinue`` says so, call ``run(on:progress:)`` again with the
/// tag that was found then: the reading goes on at the byte it had reached.
///
/// The password is used once: a wrong one ends the reading, and nothing tries it again. Data groups 3 and 4,
/// terminal authentication, PIN and PUK are not supported, by intention.
public final class DocumentReading: Sendable {
  private let password: AccessPassword?
  private let options: ReadingOptions
  private let state = Mutex(ReadingState())

  /// Prepares a reading.
  ///
  /// - Parameter password: `nil` for a document that may have no protection.
  public init(password: AccessPassword?, options: ReadingOptions = ReadingOptions()) {
    self.password = password
    self.options = options
  }

  /// Reads the document, or what is missing of it, without another command in between.
  ///
  /// - Parameter progress: is called on the reader's thread.
  /// - Throws: `NFCError` with the code `authenticationFailed` if the password does not match (it is not tried again),
  ///   `notAuthenticated` if the document requires another kind of password, `wrongTag` if it is not a travel document,
  ///   `malformedContent` if an answer was altered on the way, `tagConnectionLost` if it was lifted.
  public func run(
    on tag: any Tag, progress: @escaping @Sendable (ReadingProgress) -> Void = { _ in }
  ) async throws {
    try await tag.exclusively { link in
      try self.run(over: ReaderChipLink(link), progress: progress)
    }
  }

  /// Reads the document, or what is missing of it, over a connection of another kind. The call blocks its thread.
  ///
  /// - Parameters:
  ///   - link: the connection.
  ///   - progress: is called on the same thread.
  /// - Throws: the errors of ``run(on:progress:)``, and those of the connection.
  public func run(
    over link: any ChipLink, progress: @escaping (ReadingProgress) -> Void = { _ in }
  ) throws {
    let procedure = ReadingProcedure(
      link, password, options, state.withLock { $0 }, progress: progress)
    defer { state.withLock { $0 = procedure.state } }
    try procedure.run()
  }

  /// Whether the reading may go on after the connection was lost: the password was not used yet, or it has opened the
  /// chip.
  public var canContinue: Bool {
    state.withLock { !$0.hasUsedPassword || $0.isPasswordProven }
  }

  /// What was read so far.
  public var content: DocumentContent { DocumentContent(state.withLock { $0 }) }
}
