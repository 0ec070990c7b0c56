/// The lock bits of a chip, with the pages that each bit closes, and the bit that freezes it.
///
/// A lock bit can be set and never cleared. Once the bit that freezes it is set, it cannot be set
/// any more, either.
package struct Type2LockBits: Hashable, Sendable {
  /// A bit of the memory.
  package struct Bit: Hashable, Sendable {
    package let page: Int
    package let byte: Int
    package let mask: UInt8

    package init(page: Int, byte: Int, bit: Int) {
      self.page = page
      self.byte = byte
      mask = 1 << UInt8(truncatingIfNeeded: bit)
    }

    package var address: Int { page * Type2PageMap.pageSize + byte }
  }

  package struct Lock: Hashable, Sendable {
    package let bit: Bit
    package let pages: ClosedRange<Int>
    /// The bit that freezes it; `nil` if it is not known.
    package let frozenBy: Bit?

    package init(bit: Bit, pages: ClosedRange<Int>, frozenBy: Bit?) {
      self.bit = bit
      self.pages = pages
      self.frozenBy = frozenBy
    }
  }

  package let locks: [Lock]

  package init(locks: [Lock]) { self.locks = locks }

  /// The page of the dynamic lock bits; `nil` for a chip whose static lock bits cover all pages.
  package var dynamicPage: Int? {
    locks.first { $0.bit.page != Type2PageMap.staticLockPage }?.bit.page
  }

  /// The pages that hold lock bits.
  package var lockPages: [Int] { Array(Set(locks.map(\.bit.page))).sorted() }

  /// Returns the pages that are closed.
  ///
  /// - Parameter byte: returns a byte by its address; `nil` if it is not known, which counts as
  ///   open.
  package func closedPages(_ byte: (Int) -> UInt8?) -> [Int] {
    var closed: Set<Int> = []
    for lock in locks where isSet(lock.bit, byte) { closed.formUnion(lock.pages) }
    return closed.sorted()
  }

  package func isSet(_ bit: Bit, _ byte: (Int) -> UInt8?) -> Bool {
    byte(bit.address).map { $0 & bit.mask != 0 } ?? false
  }

  package static func + (first: Type2LockBits, second: Type2LockBits) -> Type2LockBits {
    Type2LockBits(locks: first.locks + second.locks)
  }
}

extension Type2LockBits {
  /// Bytes 2 and 3 of page 2, the same in every chip: a bit for each of pages 3 to 15. The lowest three bits
  /// freeze those of page 3, of pages 4 to 9 and of pages 10 to 15.
  ///
  /// Source: MF0ICU1 data sheet, 7.5.2; NTAG213/215/216 data sheet, 8.5.2.
  package static let `static` = Type2LockBits(
    locks: (3...15).map { page in
      let freezing =
        switch page {
        case 3: 0
        case 4...9: 1
        default: 2
        }
      return Lock(
        bit: Bit(page: Type2PageMap.staticLockPage, byte: 2 + page / 8, bit: page % 8),
        pages: page...page,
        frozenBy: Bit(page: Type2PageMap.staticLockPage, byte: 2, bit: freezing))
    })

  /// Returns the dynamic lock bytes of NTAG21x, NTAG I²C and Ultralight EV1: in bytes 0 and 1 a bit
  /// for each `pagesPerBit` pages from page 16 on, in byte 2 a bit that freezes two of those.
  ///
  /// Source: NTAG213/215/216 data sheet, 8.5.3; NTAG210/212 data sheet, 8.5.3; MF0ULx1 data sheet, 8.5.3;
  /// NT3H1101/1201 data sheet, 8.3.8; NT3H2111/2211 data sheet, 8.3.7.
  static func dynamic(page: Int, pagesPerBit: Int, last: Int) -> Type2LockBits {
    let starts = Array(stride(from: 16, through: last, by: pagesPerBit))
    return .static
      + Type2LockBits(
        locks: starts.enumerated().map { index, start in
          Lock(
            bit: Bit(page: page, byte: index / 8, bit: index % 8),
            pages: start...min(start + pagesPerBit - 1, last),
            frozenBy: Bit(page: page, byte: 2, bit: index / 2))
        })
  }

  /// NTAG203 and Ultralight C: in byte 0 of page 28h, bits 1 to 3 and 5 to 7 close four pages each
  /// from page 16 on; bits 0 and 4 freeze them. Byte 1 closes the pages after the user's pages.
  ///
  /// Source: NTAG203 data sheet, figure 7; MF0ICU2 data sheet, 7.5.3.
  ///
  /// - Parameter others: what bits 4 and up of byte 1 close; bits 0 and up freeze them.
  package static func firstGeneration(others: [ClosedRange<Int>]) -> Type2LockBits {
    let page = 0x28
    let blocks = [1, 2, 3, 5, 6, 7].enumerated().map { index, bit in
      let start = 16 + 4 * index
      return Lock(
        bit: Bit(page: page, byte: 0, bit: bit), pages: start...(start + 3),
        frozenBy: Bit(page: page, byte: 0, bit: bit < 4 ? 0 : 4))
    }
    let rest = others.enumerated().map { index, pages in
      Lock(
        bit: Bit(page: page, byte: 1, bit: 4 + index), pages: pages,
        frozenBy: Bit(page: page, byte: 1, bit: index))
    }
    return .static + Type2LockBits(locks: blocks + rest)
  }
}

// MARK: - By the standard

extension Type2LockBits {
  /// The static bits and, in a page of a chip, dynamic ones as the standard has them: a bit for each two pages from
  /// page 16 on. What freezes those is not known.
  static func standard(page: Int, last: Int) -> Type2LockBits {
    .static
      + Type2LockBits(
        locks: stride(from: 16, through: last, by: 2).enumerated().map { index, start in
          Lock(
            bit: Bit(page: page, byte: index / 8, bit: index % 8),
            pages: start...min(start + 1, last), frozenBy: nil)
        })
  }
}
