extension Type5Mapping: NDEFMapping {
  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    try status(ISO15693Link(link))
  }

  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    try statusForWriting(ISO15693Link(link))
  }

  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    try read(ISO15693Link(link))
  }

  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    try write(message, ISO15693Link(link))
  }

  mutating func format(wipe: Bool, _ link: TagLink) throws {
    try format(wipe: wipe, ISO15693Link(link))
  }

  mutating func lock(_ link: TagLink) throws {
    try lock(ISO15693Link(link))
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    try lockPlan(ISO15693Link(link))
  }
}
