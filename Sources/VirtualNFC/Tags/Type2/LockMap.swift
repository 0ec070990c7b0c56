/// The functions of a chip's lock bits: the pages that each makes read-only, and the bits that each
/// freezes.
///
/// A lock bit can be set and never cleared. After its block-locking bit has been set, it cannot be set
/// any more. Bits without a function remain 0.
struct LockMap: Sendable {
  /// The position of a bit in the memory.
  struct Position: Hashable, Sendable {
    let byte: Int
    let bit: Int

    init(page: Int, byte: Int, bit: Int) {
      self.byte = page * Type2Memory.pageSize + byte
      self.bit = bit
    }

    var page: Int { byte / Type2Memory.pageSize }
    var mask: UInt8 { 1 << UInt8(truncatingIfNeeded: bit) }

    func isSet(in memory: [UInt8]) -> Bool {
      memory.indices.contains(byte) && memory[byte] & mask != 0
    }
  }

  struct Lock: Hashable, Sendable {
    let position: Position
    let pages: ClosedRange<Int>
    /// The block-locking bit that freezes this one.
    let frozenBy: Position
  }

  let locks: [Lock]

  /// The pages that contain lock bytes, with their four bytes as a mask: 1 for each bit with a function.
  /// They are compared after every frame, so they are computed in advance.
  private(set) var allBits: [Int: [UInt8]] = [:]

  init(locks: [Lock]) {
    self.locks = locks
    for page in Set(locks.map(\.position.page)) {
      allBits[page] = settableBits(page: page, inForce: [])
    }
  }

  func isLocked(_ page: Int, inForce memory: [UInt8]) -> Bool {
    locks.contains { $0.pages.contains(page) && $0.position.isSet(in: memory) }
  }

  /// Returns the four bytes of a lock page with a 1 for each bit that can still be set.
  func settableBits(page: Int, inForce memory: [UInt8]) -> [UInt8] {
    var masks = [UInt8](repeating: 0, count: Type2Memory.pageSize)
    for lock in locks {
      if lock.position.page == page, !lock.frozenBy.isSet(in: memory) {
        masks[lock.position.byte % Type2Memory.pageSize] |= lock.position.mask
      }
      if lock.frozenBy.page == page {
        masks[lock.frozenBy.byte % Type2Memory.pageSize] |= lock.frozenBy.mask
      }
    }
    return masks
  }

  static func + (first: LockMap, second: LockMap) -> LockMap {
    LockMap(locks: first.locks + second.locks)
  }
}

extension LockMap {
  /// Lock bytes 0 and 1, in page 2: one bit for each of pages 3 to 15. Bit 0 freezes the bit of page 3,
  /// bit 1 those of pages 4 to 9, bit 2 those of pages 10 to 15.
  ///
  /// Source: MF0ICU2 rev. 3.3, table 6; NTAG213/215/216 rev. 3.2, section 8.5.2.
  static let `static` = LockMap(
    locks: (3...15).map { page in
      let block = page == 3 ? 0 : page <= 9 ? 1 : 2
      return Lock(
        position: Position(
          page: Type2Memory.staticLockPage, byte: 2 + page / 8, bit: page % 8),
        pages: page...page,
        frozenBy: Position(page: Type2Memory.staticLockPage, byte: 2, bit: block))
    })

  /// Returns the dynamic lock bytes 0 to 2 of NTAG and Ultralight EV1: one bit per `granularity` pages
  /// from page 16 to `last`, and in byte 2 one bit that freezes two of them.
  ///
  /// Source: NTAG213/215/216 rev. 3.2, section 8.5.3; MF0ULx1 rev. 3.3, section 8.5.3.
  static func dynamic(page: Int, granularity: Int, last: Int) -> LockMap {
    let first = 16
    let starts = Array(stride(from: first, through: last, by: granularity))
    return LockMap(
      locks: starts.enumerated().map { index, start in
        Lock(
          position: Position(page: page, byte: index / 8, bit: index % 8),
          pages: start...min(start + granularity - 1, last),
          frozenBy: Position(page: page, byte: 2, bit: index / 2))
      })
  }

  /// The page of lock bytes 2 and 3 in NTAG203 and Ultralight C.
  private static let firstGenerationPage = 0x28

  /// Lock byte 2 of NTAG203 and Ultralight C, in page 28h: one bit per four pages; bit 0 freezes bits 1
  /// to 3, bit 4 freezes bits 5 to 7.
  ///
  /// Source: NTAG203 rev. 3.0, figure 7; MF0ICU2 rev. 3.3, section 7.5.3.
  static let fourPageBlocks = LockMap(
    locks: [1, 2, 3, 5, 6, 7].map { bit in
      let start = 16 + 4 * (bit < 4 ? bit - 1 : bit - 2)
      return Lock(
        position: Position(page: firstGenerationPage, byte: 0, bit: bit),
        pages: start...(start + 3),
        frozenBy: Position(page: firstGenerationPage, byte: 0, bit: bit < 4 ? 0 : 4))
    })

  /// Returns lock byte 3 of the same chips: the bits from 4 on lock the areas from page 29h on; the bits
  /// from 0 on freeze them.
  static func configuration(_ areas: [ClosedRange<Int>]) -> LockMap {
    LockMap(
      locks: areas.enumerated().map { index, pages in
        Lock(
          position: Position(page: firstGenerationPage, byte: 1, bit: 4 + index), pages: pages,
          frozenBy: Position(page: firstGenerationPage, byte: 1, bit: index))
      })
  }
}
