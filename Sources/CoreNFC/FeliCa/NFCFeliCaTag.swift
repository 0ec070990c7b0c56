import Foundation

/// A FeliCa card.
///
/// Service, node and key version values are two bytes with the least significant one first, as the
/// card expects them; a system code has the most significant one first. Commands are addressed to
/// ``currentIDm``; only that of ``sendFeliCaCommand(commandPacket:completionHandler:)`` is sent
/// unchanged. A refusal of the card is not an error: its two status flags report it, and the rest
/// of the answer is empty. The flags are 0 if the card has not refused.
///
/// In addition to the errors of the reader, `readerErrorInvalidParameterLength` reports a list with
/// a wrong number of elements or an element of a wrong size, and `readerErrorInvalidParameter` an
/// invalid element; nothing is sent then. The numbers in the command descriptions are paragraphs of
/// the FeliCa Card User's Manual, excerpted edition.
public protocol NFCFeliCaTag: NFCNDEFTag, __NFCTag {
  /// The system that was selected last; initially the first system of Info.plist that the card has.
  var currentSystemCode: Data { get }
  /// The identifier of that system; empty if the card has not answered the last polling.
  var currentIDm: Data { get }

  /// Selects another system of the card. 4.4.2.
  ///
  /// A system that Info.plist does not list, and FF in either byte, end in
  /// `readerErrorSecurityViolation` with nothing sent, and the system before stays selected.
  ///
  /// - Parameter completionHandler: receives PMm, and the data for `requestCode`; empty if the card
  ///   does not report it.
  @preconcurrency func polling(
    systemCode: Data, requestCode: NFCFeliCaPollingRequestCode,
    timeSlot: NFCFeliCaPollingTimeSlot,
    completionHandler: @escaping @Sendable (Data, Data, (any Error)?) -> Void)

  /// Requests the key versions of 1 to 32 areas and services; `FF FF` for one that does not exist.
  /// 4.4.3.
  @preconcurrency func requestService(
    nodeCodeList: [Data], completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

  /// Requests the mode of the card, 0 to 3. 4.4.4.
  @preconcurrency func requestResponse(
    completionHandler: @escaping @Sendable (Int, (any Error)?) -> Void)

  /// Reads blocks of 1 to 16 services that need no key. 4.4.5.
  ///
  /// - Parameter blockList: elements of two or three bytes, 4.2.1.
  @preconcurrency func readWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data],
    completionHandler: @escaping @Sendable (Int, Int, [Data], (any Error)?) -> Void)

  /// Writes blocks of 1 to 16 services that need no key. 4.4.6.
  ///
  /// - Parameter blockData: 16 bytes for each element of `blockList`.
  @preconcurrency func writeWithoutEncryption(
    serviceCodeList: [Data], blockList: [Data], blockData: [Data],
    completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void)

  /// Requests the codes of the card's systems. 4.4.8.
  ///
  /// Each code has the byte order in which the card sends it and polling uses it, most significant
  /// byte first. Apple's header says the opposite; this is not confirmed on an iPhone.
  @preconcurrency func requestSystemCode(
    completionHandler: @escaping @Sendable ([Data], (any Error)?) -> Void)

  /// Requests the key versions of 1 to 32 areas and services: those of their AES keys, then of
  /// their DES keys, `FF FF` for one that does not exist. 4.4.10.
  @preconcurrency func requestServiceV2(
    nodeCodeList: [Data],
    completionHandler:
      @escaping @Sendable (
        Int, Int, NFCFeliCaEncryptionId, [Data], [Data], (any Error)?
      ) -> Void)

  /// Requests the version of the card's operating system: two bytes for the basic version, two for
  /// each option. 4.4.13.
  @preconcurrency func requestSpecificationVersion(
    completionHandler: @escaping @Sendable (Int, Int, Data, Data, (any Error)?) -> Void)

  /// Puts the card back into mode 0. 4.4.14.
  @preconcurrency func resetMode(
    completionHandler: @escaping @Sendable (Int, Int, (any Error)?) -> Void)

  /// Sends a command of 1 to 254 bytes, the code first; the reader adds the length byte and the check.
  ///
  /// The answer keeps the card's length byte before the code, as programs for the iPhone expect it
  /// (Metrodroid's, for one, looks for the code in the second byte). `readerTransceiveErrorPacketTooLong` for
  /// a command that is longer.
  @preconcurrency func sendFeliCaCommand(
    commandPacket: Data, completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void)
}
