/// A FeliCa card.
public protocol FeliCaTag: NDEFTag {
  /// Eight bytes.
  var idm: [UInt8] { get }
  /// Eight bytes.
  var pmm: [UInt8] { get }
  /// Two bytes, most significant first, as the card sends them: `00 03` for the system 0x0003 of
  /// ``FeliCaSystem/code``. Empty if the card has not reported it.
  var systemCode: [UInt8] { get }

  /// Which chip it is, by the IC code in ``pmm``; `nil` if it is not known.
  ///
  /// - Throws: nothing; it needs no exchange.
  func product() async throws -> TagProduct?

  /// Sends a command: one exchange.
  ///
  /// - Parameters:
  ///   - command: command code and payload, IDm included where the command has one, without the length byte
  ///     and the check.
  ///   - timeout: for the answer; `nil` for 0.5 s.
  /// - Returns: response code and payload, without length byte and check.
  /// - Throws: ``NFCError/Code/tagResponseError`` for no or a broken answer; ``NFCError/Code/commandTooLong`` above
  ///   254 bytes.
  func sendFeliCaCommand(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8]

  /// The card by another one of its systems: the same connection, with that system's IDm in every command.
  /// No exchange.
  func inSystem(_ system: FeliCaSystem) -> any FeliCaTag

  /// Authentication and memory configuration of FeliCa Lite and Lite-S; `nil` on other cards.
  var lite: FeliCaLiteCommands? { get }

  /// Reads blocks of a service that needs no key, as many per exchange as frame and card allow; what the
  /// card refuses is remembered while it is connected.
  ///
  /// - Parameters:
  ///   - blocks: 0 to 65 535.
  ///   - system: `nil` for the one that the card was found by; see ``systems()``.
  /// - Returns: 16 bytes per block.
  /// - Throws: ``NFCError/Code/tagRefused`` with the status flags and the block;
  ///   ``NFCError/Code/invalidParameter``.
  func readBlocks(
    service: UInt16, blocks: Range<Int>, system: FeliCaSystem?
  ) async throws -> [[UInt8]]

  /// Writes blocks of a service that needs no key, as ``readBlocks(service:blocks:system:)``. Each exchange
  /// is written whole or not at all; those before it stay written.
  ///
  /// - Parameter data: 16 bytes per block.
  /// - Throws: ``NFCError/Code/tagRefused`` with the status flags and the block; ``NFCError/Code/invalidParameter``
  ///   before anything is sent.
  func writeBlocks(
    service: UInt16, firstBlock: Int, data: [[UInt8]], system: FeliCaSystem?
  ) async throws
}

extension FeliCaTag {
  /// Sends a command within 0.5 s; see ``sendFeliCaCommand(_:timeout:)``.
  ///
  /// - Throws: as ``sendFeliCaCommand(_:timeout:)``: ``NFCError/Code/tagResponseError``,
  ///   ``NFCError/Code/commandTooLong``.
  public func sendFeliCaCommand(_ command: [UInt8]) async throws -> [UInt8] {
    try await sendFeliCaCommand(command, timeout: nil)
  }
}
