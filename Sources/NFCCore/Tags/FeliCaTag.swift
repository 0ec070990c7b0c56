/// A FeliCa card.
public protocol FeliCaTag: NDEFTag {
  /// The IDm, eight bytes.
  var idm: [UInt8] { get }
  /// The PMm, eight bytes.
  var pmm: [UInt8] { get }
  /// The system code, two bytes, most significant first, as the card sends them: `00 03` for the
  /// system 0x0003 of ``FeliCaSystem/code``. Empty if the card has not reported it.
  var systemCode: [UInt8] { get }

  /// Identifies the chip, by the IC code in ``pmm``; `nil` if it is not known.
  ///
  /// - Throws: nothing; no exchange is needed.
  func product() async throws -> TagProduct?

  /// Sends a command: one exchange.
  ///
  /// - Parameters:
  ///   - command: command code and payload, including the IDm if the command has one, without the
  ///     length byte and the check bytes.
  ///   - timeout: the time limit for the answer; `nil` for 0.5 s.
  /// - Returns: response code and payload, without the length byte and the check bytes.
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer;
  ///   ``NFCError/Code/commandTooLong`` above 254 bytes.
  func sendFeliCaCommand(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8]

  /// Returns the card with another one of its systems: the same connection, with that system's IDm
  /// in every command. No exchange.
  func inSystem(_ system: FeliCaSystem) -> any FeliCaTag

  /// Authentication and memory configuration of FeliCa Lite and Lite-S; `nil` on other cards.
  var lite: FeliCaLiteCommands? { get }

  /// Reads blocks of a service that requires no key, as many per exchange as frame and card allow.
  /// If the card refuses a number of blocks, that is remembered while it is connected.
  ///
  /// - Parameters:
  ///   - blocks: the numbers of the blocks, 0 to 65 535.
  ///   - system: the system; `nil` for the one that the card was found with. See ``systems()``.
  /// - Returns: 16 bytes per block.
  /// - Throws: ``NFCError/Code/tagRefused`` with the status flags, and the block if they name one;
  ///   ``NFCError/Code/invalidParameter``.
  func readBlocks(
    service: UInt16, blocks: Range<Int>, system: FeliCaSystem?
  ) async throws -> [[UInt8]]

  /// Writes blocks of a service that requires no key; see ``readBlocks(service:blocks:system:)``.
  /// Each exchange is performed completely or not at all; earlier ones are not undone.
  ///
  /// - Parameters:
  ///   - first: the number of the first block.
  ///   - data: 16 bytes per block.
  /// - Throws: ``NFCError/Code/tagRefused`` with the status flags, and the block if they name one;
  ///   ``NFCError/Code/invalidParameter`` before anything is sent for data that does not fill whole blocks.
  func writeBlocks(
    service: UInt16, at first: Int, _ data: [UInt8], system: FeliCaSystem?
  ) async throws
}

extension FeliCaTag {
  /// Sends a command within 0.5 s; see ``sendFeliCaCommand(_:timeout:)``.
  ///
  /// - Throws: the errors of ``sendFeliCaCommand(_:timeout:)``: ``NFCError/Code/tagResponseError``,
  ///   ``NFCError/Code/commandTooLong``.
  public func sendFeliCaCommand(_ command: [UInt8]) async throws -> [UInt8] {
    try await sendFeliCaCommand(command, timeout: nil)
  }
}
