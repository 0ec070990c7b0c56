import NFCCore

/// The mirror: UID and counter as hexadecimal text laid over the user memory that READ and
/// FAST_READ see, so that a link in it differs at every tap.
///
/// Source: NTAG213/215/216 rev. 3.2, section 8.7; NTAG210/212 rev. 3.0, section 8.6.
extension NTAG21x {
  struct Mirror: Hashable, Sendable {
    /// Where the text begins in the memory.
    let offset: Int
    let text: [UInt8]
  }

  /// Bits 7 and 6 of the MIRROR byte.
  private enum Content: UInt8 {
    case nothing, uid, counter, both
  }

  /// Pages up to this one switch the mirror off.
  private static let lastPageOff: UInt8 = 0x03
  private static let separator = UInt8(ascii: "x")

  /// What is laid over the memory at present; `nil` if the mirror is off or would leave the user
  /// memory, in which case the data sheet promises nothing.
  var mirror: Mirror? {
    let configuration = product.configurationPage * Type2Memory.pageSize
    let setting = pages[configuration]
    let page = pages[configuration + 2]
    guard page > Self.lastPageOff else { return nil }
    // The small ones mirror nothing but the UID, and do so as soon as a page is given.
    let content = product.hasCounter ? Content(rawValue: setting >> 6) ?? .nothing : .uid
    let text = text(content)
    let offset = Int(page) * Type2Memory.pageSize + Int(setting >> 4 & 0x03)
    guard !text.isEmpty, offset + text.count <= (product.lastUserPage + 1) * Type2Memory.pageSize
    else { return nil }
    return Mirror(offset: offset, text: text)
  }

  private func text(_ content: Content) -> [UInt8] {
    let uid = Array(identifier.hexadecimal.utf8)
    let digits = [16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
    let count = isCounterReadable ? Array(digits.hexadecimal.utf8) : []
    switch content {
    case .nothing: return []
    case .uid: return uid
    case .counter: return count
    // A counter that may not be seen is left out, and with it the separator; the latter is not
    // confirmed.
    case .both: return count.isEmpty ? uid : uid + [Self.separator] + count
    }
  }
}
