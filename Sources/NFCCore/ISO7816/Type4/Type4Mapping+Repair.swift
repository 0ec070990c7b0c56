/// Writing to a card whose capability container is broken.
extension Type4Mapping {
  /// Returns a container to replace the broken one: with the limits, the file and the access
  /// conditions of the old one if they make sense, otherwise with values that every card accepts,
  /// and the usual file.
  ///
  /// Nothing is changed yet. Writing its first byte unchanged shows whether the container can be
  /// written at all. The size of the NDEF file is found by reading single bytes of it: some 15
  /// exchanges.
  ///
  /// - Parameter error: the error to throw if there is no file to start from.
  /// - Throws: `unsupported` if the card does not let its container be changed.
  func repairedContainer(insteadOf error: NFCError, _ link: TagLink) throws -> [UInt8] {
    let procedure = ISO7816Procedure(link)
    let container = Type4CapabilityContainer.fileIdentifier
    guard try procedure.select(.select(aid: .ndef)),
      try Self.exists(container, procedure),
      let old = try Self.beginning(of: container, procedure)
    else { throw error }
    var limit = 1
    do {
      try procedure.updateBinary(
        file: container, offset: 0, data: Array(old.prefix(1)), limit: &limit)
    } catch let refusal as NFCError
      where refusal.group == .refusal
    {
      throw NFCError(
        .unsupported,
        "the card's capability container is broken, and cannot be changed without a key",
        cause: refusal.cause, place: .file(container))
    }
    for identifier in Type4CapabilityContainer.likelyFiles(old) {
      guard try Self.exists(identifier, procedure),
        let size = try Self.size(of: identifier, procedure)
      else { continue }
      return Type4CapabilityContainer.repaired(old, file: identifier, size: size)
    }
    throw error
  }

  /// Writes the container that replaces the broken one, its length last.
  func writeContainer(_ bytes: [UInt8], _ limit: Int, _ link: TagLink) throws {
    let container = Type4CapabilityContainer.fileIdentifier
    try select(container, isVersion1: false, link)
    let procedure = ISO7816Procedure(link)
    let lengthSize = 2
    var limit = limit
    try procedure.updateBinary(
      file: container, offset: lengthSize, data: Array(bytes.dropFirst(lengthSize)), limit: &limit)
    try procedure.updateBinary(
      file: container, offset: 0, data: Array(bytes.prefix(lengthSize)), limit: &limit)
  }

  /// Selects a file, if it exists.
  private static func exists(_ file: UInt16, _ procedure: ISO7816Procedure) throws -> Bool {
    do {
      return try procedure.select(
        Type4Command.selectFile(file, isVersion1: false), file: file)
    } catch let error as NFCError where error.group == .refusal {
      return false
    }
  }

  /// Returns as many bytes as every container has; `nil` if there are fewer.
  private static func beginning(
    of file: UInt16, _ procedure: ISO7816Procedure
  ) throws -> [UInt8]? {
    let count = Type4CapabilityContainer.minimumLength
    var reading = BinaryReading(limit: count, smallest: 1)
    var bytes: [UInt8] = []
    do {
      while bytes.count < count {
        bytes += try Type4File.part(
          of: file, offset: bytes.count, count: count - bytes.count, &reading, procedure)
      }
    } catch let error as NFCError where error.group == .refusal || error.group == .content {
      return nil
    }
    return bytes
  }

  /// Returns the size of the selected file, from the last byte that can be read; `nil` if it is too
  /// small for a message.
  private static func size(of file: UInt16, _ procedure: ISO7816Procedure) throws -> Int? {
    func reaches(_ offset: Int) throws -> Bool {
      var reading = BinaryReading(limit: 1, smallest: 1)
      do {
        return try !Type4File.part(of: file, offset: offset, count: 1, &reading, procedure).isEmpty
      } catch let error as NFCError where error.group == .refusal || error.group == .content {
        return false
      }
    }
    var last = Type4CapabilityContainer.smallestFile - 1
    guard try reaches(last) else { return nil }
    // The largest file of mapping version 2 has 7FFF bytes.
    var beyond = Type4Command.maximumOffset
    while beyond - last > 1 {
      let middle = last + (beyond - last) / 2
      if try reaches(middle) { last = middle } else { beyond = middle }
    }
    return last + 1
  }
}

extension Type4CapabilityContainer {
  /// A length field of two bytes and one empty record.
  static let smallestFile = 5
  /// What every card reads and writes at once (Type 4 Tag Operation Specification 2.0, 5.1; MLc is at least 13
  /// from mapping version 3 on).
  private static let leastRead = 15
  private static let leastUpdate = 13
  /// NXP AN11004 and most others; ST's M24SR and ST25TA.
  private static let usualFiles: [UInt16] = [0xE104, 0x0001]

  /// Returns the possible identifiers of the NDEF file: that of a broken container first.
  static func likelyFiles(_ old: [UInt8]) -> [UInt16] {
    let said = UInt16(old[9]) << 8 | UInt16(old[10])
    return (isValid(said) ? [said] : []) + usualFiles.filter { $0 != said }
  }

  /// Returns a container of mapping version 2.0 that keeps the valid parts of a broken one of at
  /// least 15 bytes.
  static func repaired(_ old: [UInt8], file: UInt16, size: Int) -> [UInt8] {
    let read = Int(old[3]) << 8 | Int(old[4])
    let update = Int(old[5]) << 8 | Int(old[6])
    let control = Type4FileControl(old[head...]).flatMap { $0.kind == .ndef ? $0 : nil }
    let access = [control?.readAccess, control?.writeAccess].map {
      $0 ?? Type4FileControl.freeAccess
    }
    return UInt16(minimumLength).bigEndianBytes + [0x20]
      + UInt16(read >= leastRead ? read : leastRead).bigEndianBytes
      + UInt16(update > 0 ? update : leastUpdate).bigEndianBytes
      + [Type4FileControl.Kind.ndef.rawValue, UInt8(Type4FileControl.Kind.ndef.entryLength)]
      + file.bigEndianBytes
      + UInt16(size).bigEndianBytes + access
  }
}
