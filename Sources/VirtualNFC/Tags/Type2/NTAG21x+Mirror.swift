import SwiftNFCCore

/// The mirror: UID and counter as hexadecimal text in place of the user memory in the answers to READ and
/// FAST_READ, so that a link changes at every tap.
///
/// Source: NTAG213/215/216 rev. 3.2, section 8.7; NTAG210/212 rev. 3.0, section 8.6.
extension NTAG21x {
  struct Mirror: Hashable, Sendable {
    /// The offset of the text in the memory.
    let offset: Int
    let text: [UInt8]
  }

  /// Bits 7 and 6 of the MIRROR byte.
  private enum Content: UInt8 {
    case nothing, uid, counter, both
  }

  /// The last page number that switches the mirror off.
  private static let lastPageOff: UInt8 = 0x03
  private static let separator = UInt8(ascii: "x")

  /// The text that currently replaces a part of the memory; `nil` if the mirror is off or would exceed
  /// the user memory, for which the data sheet specifies nothing.
  var mirror: Mirror? {
    let configuration = product.configurationPage * Type2Memory.pageSize
    let setting = pages[configuration]
    let page = pages[configuration + 2]
    guard page > Self.lastPageOff else { return nil }
    // NTAG210 and NTAG212 mirror only the UID, and do so as soon as a page is set.
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
    // A counter that may not be read is left out, and so is the separator; the latter is not confirmed.
    case .both: return count.isEmpty ? uid : uid + [Self.separator] + count
    }
  }
}
