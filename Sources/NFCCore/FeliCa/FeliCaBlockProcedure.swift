/// Reads and writes many blocks of a service in as few exchanges as frame, reader and card allow.
struct FeliCaBlockProcedure {
  let idm: [UInt8]
  /// The maximum length of a packet with its LEN on this reader.
  let maximumCommandLength: Int
  let maximumResponseLength: Int
  /// Sends a packet without LEN.
  let exchange: ([UInt8]) throws -> [UInt8]

  init(
    idm: [UInt8], maximumCommandLength: Int, maximumResponseLength: Int,
    exchange: @escaping ([UInt8]) throws -> [UInt8]
  ) {
    self.idm = idm
    self.maximumCommandLength = maximumCommandLength
    self.maximumResponseLength = maximumResponseLength
    self.exchange = exchange
  }

  init(idm: [UInt8], _ link: TagLink) {
    self.init(
      idm: idm, maximumCommandLength: link.capabilities.maximumCommandLength,
      maximumResponseLength: link.capabilities.maximumResponseLength
    ) { try FeliCaExchange.ask($0, link) }
  }

  /// LEN, code, IDm, two flags and the number of blocks.
  private static let readOverhead = 13
  /// LEN, code, IDm, the number of services and one of them, and the number of blocks.
  private static let writeOverhead = 14
  private static let longestPacket = 255
  private static let longElement = 3
  private static let shortElement = 2

  /// How many blocks one command reads at most, by the frame and the reader.
  var largestRead: Int {
    let fits = (maximumResponseLength - Self.readOverhead) / FeliCaBlock.size
    return max(1, min(FeliCaReadWithoutEncryption.maximumBlocks, fits))
  }

  /// Returns how many blocks with numbers up to `last` one command writes at most, by the frame and
  /// the reader.
  func largestWrite(upTo last: Int) -> Int {
    let element = last > 0xFF ? Self.longElement : Self.shortElement
    let packet = min(Self.longestPacket, maximumCommandLength)
    return max(1, (packet - Self.writeOverhead) / (FeliCaBlock.size + element))
  }

  /// Blocks in the order of their numbers' list.
  ///
  /// If the card refuses the number of blocks, it is halved. The same happens after silence, which
  /// is how some cards refuse: a single block then shows whether the card is still present.
  ///
  /// - Parameter limit: the maximum number of blocks in one command; a refusal of the card lowers
  ///   it.
  /// - Throws: a refusal with the block that is to blame.
  func read(service: UInt16, blocks: [Int], limit: inout Int) throws -> [[UInt8]] {
    limit = max(1, min(limit, largestRead))
    var result: [[UInt8]] = []
    try steps(blocks, limit: &limit, isRepeatable: true) { _, list in
      let command = FeliCaReadWithoutEncryption(
        idm: idm, list: FeliCaBlockList(serviceCodes: [service], blocks: list))
      try command.validate()
      result += try command.answer(exchange(command.encoded))
    }
    return result
  }

  /// The number of blocks of one service that are read if the card does not end it: a real card has some hundred, and
  /// a card that has every block would take minutes.
  static let mostBlocks = 1024
  /// The same for a type 3 tag whose attribute block says that it has more.
  private static let mostBlocksOfType3 = 4096

  /// Reads all blocks of a service from block 0 on, until the card refuses one.
  ///
  /// - Returns: the blocks, and whether the card has ended them.
  func readAll(
    service: UInt16, limit: inout Int
  ) throws -> (blocks: [[UInt8]], isComplete: Bool) {
    limit = max(1, min(limit, largestRead))
    var blocks: [[UInt8]] = []
    var bound = Self.mostBlocks
    // No block from here on exists.
    var end = Int.max
    // Whether flags have said that the block before `end` may be the last one: it is asked for at once.
    var isNamed = false
    while blocks.count < min(end, bound) {
      // Without such flags, half of what is left decides the most.
      let size = end == .max || isNamed ? limit : max(1, (end - blocks.count + 1) / 2)
      let numbers = blocks.count..<min(blocks.count + min(size, limit), end, bound)
      let asked = limit
      do {
        blocks += try read(service: service, blocks: Array(numbers), limit: &limit)
        if numbers.lowerBound == 0, Self.isRandom(service), let first = blocks.first,
          let attributes = try? Type3AttributeBlock(first)
        {
          bound = min(max(bound, Int(attributes.dataBlocks) + 1), Self.mostBlocksOfType3)
        }
      } catch let error as NFCError where error.code == .tagRefused {
        // One of them does not exist; the flags may say which, or which two it may be.
        if case .block(let number) = error.place, numbers.contains(number) {
          (end, isNamed) = (number, true)
        } else if limit == asked, case .statusFlags(let flag, _)? = error.cause,
          let last = Self.marked(Array(numbers), flag: flag).last, last > numbers.lowerBound
        {
          (end, isNamed) = (min(end, last), true)
        } else {
          (end, isNamed) = (min(end, numbers.upperBound - 1), false)
        }
      }
    }
    return (blocks, blocks.count < bound)
  }

  /// Writes blocks in the order of their numbers' list, as ``read(service:blocks:limit:)`` reads them.
  ///
  /// If writing twice does no harm, a command that was not answered is repeated with fewer blocks.
  func write(service: UInt16, blocks: [Int], data: [[UInt8]], limit: inout Int) throws {
    guard data.count == blocks.count, data.allSatisfy({ $0.count == FeliCaBlock.size }) else {
      throw NFCError(.invalidParameter, "a block has \(FeliCaBlock.size) bytes")
    }
    limit = max(1, min(limit, largestWrite(upTo: blocks.max() ?? 0)))
    try steps(blocks, limit: &limit, isRepeatable: Self.isRandom(service)) { part, list in
      let command = FeliCaWriteWithoutEncryption(
        idm: idm, list: FeliCaBlockList(serviceCodes: [service], blocks: list),
        data: Array(data[part]))
      try command.validate()
      try command.answer(exchange(command.encoded))
    }
  }

  /// Returns whether a service has random access, so that its blocks may be written twice; a cyclic
  /// service would get two records, and a purse would change twice. The low six bits of its code
  /// indicate this (FeliCa Card User's Manual, excerpted edition, 3.4.1).
  private static func isRandom(_ service: UInt16) -> Bool {
    let attribute = service & 0x3F
    return (0x08...0x0B).contains(attribute)
  }

  /// Passes the numbers to `step` in parts, with their positions in the list.
  private func steps(
    _ numbers: [Int], limit: inout Int, isRepeatable: Bool,
    _ step: (Range<Int>, [FeliCaBlock]) throws -> Void
  ) throws {
    let blocks = try numbers.map { number in
      guard let number = UInt16(exactly: number) else {
        throw NFCError(.invalidParameter, "block numbers are 0 to \(UInt16.max)")
      }
      return FeliCaBlock(number)
    }
    var next = 0
    /// Whether the card was silent to more than one block, so that a single one has to show whether
    /// it is still present.
    var isProbe = false
    while next < blocks.count {
      let part = next..<min(next + (isProbe ? 1 : limit), blocks.count)
      do {
        try step(part, Array(blocks[part]))
        next = part.upperBound
        isProbe = false
      } catch let error as NFCError {
        switch error.cause {
        case .statusFlags(_, FeliCaStatusFlag.illegalNumberOfBlocks)? where part.count > 1:
          limit = part.count / 2
        case .statusFlags(let first, _)?:
          throw Self.placed(error, Array(numbers[part]), flag: first)
        case .noAnswer? where part.count > 1 && isRepeatable:
          limit = part.count / 2
          isProbe = true
        default: throw error
        }
      }
    }
  }

  /// Names the block if flag 1 leaves no doubt: it has a bit for the element that is to blame, and the ninth
  /// element has the bit of the first one again.
  private static func placed(_ error: NFCError, _ numbers: [Int], flag: UInt8) -> NFCError {
    var error = error
    let blamed = numbers.count == 1 ? numbers : marked(numbers, flag: flag)
    error.place = blamed.count == 1 ? blamed.first.map { .block($0) } : nil
    return error
  }

  /// Returns the elements of a list that flag 1 may mean.
  private static func marked(_ numbers: [Int], flag: UInt8) -> [Int] {
    numbers.indices.filter { flag == 1 << UInt8($0 % 8) }.map { numbers[$0] }
  }
}
