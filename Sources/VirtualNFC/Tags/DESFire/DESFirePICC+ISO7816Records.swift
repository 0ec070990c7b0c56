/// READ RECORD and APPEND RECORD (ISO/IEC 7816-4, 7.3), which EV1 and later cards have.
///
/// The commands are those of Proxmark3, SpringCard's library and NXP's reader library. No public source has answers of
/// a card, so this is not confirmed: record numbers, which ISO/IEC 7816-4 counts from 1, count from the newest record,
/// 0, as Proxmark3 numbers what it has read; a linear file that is full, and a record that does not exist, have the
/// status of an offset outside the file; a commit is required, as for the native command, although Proxmark3 sends
/// none; and transaction codes do not contain these commands.
extension DESFirePICC {
  private static let selectionShift: UInt8 = 3
  private static let selectionMask: UInt8 = 0x07

  /// Returns the file of P2, or the current one.
  private mutating func recordFile(
    _ command: CommandAPDU
  ) throws(Refusal) -> (index: Int, records: DESFireRecords, isCyclic: Bool) {
    let short = command.p2 >> Self.selectionShift
    guard let index = short == 0 ? currentFile : try locate(short: short) else {
      throw Refusal(.conditionsOfUseNotSatisfied)
    }
    switch selected.files[index].kind {
    case .linearRecords(let records): return (index, records, false)
    case .cyclicRecords(let records): return (index, records, true)
    default: throw Refusal(.conditionsOfUseNotSatisfied)
    }
  }

  /// Reads the record of P1, or that one and all older ones; the answer begins with the oldest.
  mutating func readRecords(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
    let selection = command.p2 & Self.selectionMask
    guard selection == Parameter.oneRecord || selection == Parameter.allRecords else {
      throw Refusal(.incorrectParameters)
    }
    guard command.data.isEmpty, command.expectedLength > answerCodeSize else {
      throw Refusal(.wrongLength)
    }
    let (index, records, _) = try recordFile(command)
    let file = selected.files[index]
    try requireAccess(file.readKeys, to: file, readableProtections)
    // The file is empty (SpringCard's library).
    guard !file.content.isEmpty else { throw Refusal(.conditionsOfUseNotSatisfied) }
    let end = file.content.count - Int(command.p1) * records.size
    guard end > 0 else { throw Refusal(.wrongParameters) }
    let start = selection == Parameter.oneRecord ? end - records.size : 0
    let count = command.expectedLength - answerCodeSize
    guard end - start <= count || command.expectsMaximum else { throw Refusal(.wrongLength) }
    return signed(Array(file.content[start..<end].prefix(count)))
  }

  /// Appends a record, which takes effect with CommitTransaction.
  mutating func appendRecord(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
    guard command.p1 == 0, command.p2 & Self.selectionMask == Parameter.appendedRecord else {
      throw Refusal(.incorrectParameters)
    }
    var (index, records, isCyclic) = try recordFile(command)
    let file = selected.files[index]
    try requireAccess(file.writeKeys, to: file, [.plain])
    guard (1...records.size).contains(command.data.count) else { throw Refusal(.wrongLength) }
    do throws(DESFireStatus) {
      try records.write(
        command.data, at: 0, contentSize: file.content.count, isCyclic: isCyclic)
    } catch { throw Refusal(.wrongParameters) }
    selected.files[index].kind = isCyclic ? .cyclicRecords(records) : .linearRecords(records)
    return []
  }
}
