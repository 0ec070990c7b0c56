/// The search for the NDEF message among the TLVs of a data area.
///
/// It does no I/O: it asks for the bytes that it needs next, and continues from there when they are
/// available. Lock and memory control TLVs on the way remove bytes from the area.
///
/// Source: NFC Forum Type 2 Tag, 4.4, and Type 1 Tag, 4.5, for control TLVs.
struct MessageSearch: Hashable, Sendable {
  /// The result of the search.
  enum Result: Hashable, Sendable {
    case message(TagLengthValue)
    /// There is no message; one can begin at this offset.
    case place(Int)
    /// These bytes of the area must be read before more can be said.
    case needs(Range<Int>)
  }

  /// The area, without the bytes that control TLVs have removed so far.
  private(set) var area: TagDataArea
  /// The first lock control TLV.
  private(set) var lockControl: ControlledArea?
  private var offset = 0
  private let hasControlTLVs: Bool
  private let repairing: Bool

  /// - Parameters:
  ///   - hasControlTLVs: the tag's type has them: types 1 and 2.
  ///   - repairing: a TLV that does not end within the area is no error, but the place for a new message.
  init(_ area: TagDataArea, hasControlTLVs: Bool = false, repairing: Bool = false) {
    self.area = area
    self.hasControlTLVs = hasControlTLVs
    self.repairing = repairing
  }

  /// Continues the search.
  ///
  /// - Parameters:
  ///   - byte: by its address; `nil` if it is not known.
  ///   - place: what an error calls an address.
  /// - Throws: `malformedContent` for a TLV that does not end within the area.
  mutating func advance(
    _ byte: (Int) -> UInt8?, place: (Int) -> NFCError.Place
  ) throws(NFCError) -> Result {
    while true {
      let step: TagLengthValue.Step
      do throws(NFCError) {
        step = try area.step(at: offset, byte: byte, place: place)
      } catch {
        guard repairing else { throw error }
        return .place(afterFillers(byte))
      }
      switch step {
      case .needs(let offsets): return .needs(offsets)
      // Nothing but fillers is left: a message may begin before them.
      case .end: return .place(offset)
      case .terminator: return .place(afterFillers(byte))
      case .block(let block) where block.tag == TagLengthValue.Tag.ndefMessage:
        return .message(block)
      case .block(let block):
        if let missing = take(block, byte) { return .needs(missing) }
        offset = block.end
      }
    }
  }

  /// Removes the bytes that a control TLV specifies from the area; returns the bytes of its value
  /// if they are not known.
  private mutating func take(
    _ block: TagLengthValue, _ byte: (Int) -> UInt8?
  ) -> Range<Int>? {
    guard hasControlTLVs, ControlledArea.tags.contains(block.tag) else { return nil }
    let value = block.value.compactMap { area.address($0).flatMap(byte) }
    guard value.count == block.length else { return block.value }
    guard let control = ControlledArea(tag: block.tag, value: value) else { return nil }
    if control.lockBits != nil, lockControl == nil { lockControl = control }
    area = area.excluding(control.bytes, after: block.end)
    return nil
  }

  private func afterFillers(_ byte: (Int) -> UInt8?) -> Int {
    var offset = offset
    while area.address(offset).flatMap(byte) == TagLengthValue.Tag.null { offset += 1 }
    return offset
  }
}
