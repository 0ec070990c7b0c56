import TagImages

/// An Ultralight or NTAG of which only the pages are known, and what its image reports: READ, WRITE and the lock bits of
/// page 2, as all these chips have them. One with GET_VERSION also has FAST_READ, as those of all makers do.
struct UnknownType2Chip: VirtualChip, Type2Chip, ImagedChip {
  private static let fewestPages = 4
  /// The number of pages that a command can name.
  private static let mostPages = 256

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  private let counters: [TagImage.Counter?]

  init(_ image: TagImage, facts: Type2Facts) throws(VirtualTagNameError) {
    let size = Self.fewestPages * Type2Memory.pageSize
    let bytes = image.memory.bytes
    guard bytes.count >= size, bytes.count.isMultiple(of: Type2Memory.pageSize) else {
      throw .notADump("an Ultralight or NTAG has at least \(Self.fewestPages) pages of 4 bytes")
    }
    let stored = VirtualTag.hasValidUID(bytes) ? Type2Memory.uid(ofDump: bytes) : nil
    guard let uid = stored ?? image.uid, uid.count == 7 else {
      throw .notADump("a check byte of the UID, the fourth or the ninth byte, is wrong")
    }
    activation = Self.activation(uid: uid)
    pages = bytes
    counters = image.counters
    self.facts = facts
  }

  let name = "type2"
  var lockMap: LockMap { .static }
  var readEnd: Int { min(pageCount, Self.mostPages) }
  var tagImage: TagImage {
    image(version: nil, signature: nil, counters: counters)
  }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    switch (command.first, command.count) {
    case (Type2Command.fastRead, _) where facts?.version != nil: return fastRead(command)
    case (Type2Command.readCounter, 2):
      let number = Int(command[1])
      guard counters.indices.contains(number), let counter = counters[number] else {
        return .refusal(.invalidArgument)
      }
      return .data((0..<3).map { UInt8(truncatingIfNeeded: counter.value >> (8 * $0)) })
    default: return executeBasic(command)
    }
  }
}
