import SwiftNFCCore

/// Native commands for files (NT4H2421Gx data sheet, 10.7 and 10.8).
extension NTAG424Core {
  /// The maximum size of an answer or a command including its protection (8.4).
  private static let longestAnswer = 256

  mutating func performFileCommand(
    _ command: NTAG424Command, _ parameters: [UInt8]
  ) throws(NTAG424Status) -> Answer {
    guard let number = parameters.first else { throw .lengthError }
    guard isApplicationSelected else { throw .permissionDenied }
    guard number & 0xE0 == 0 else { throw .parameterError }
    guard let index = files.firstIndex(where: { $0.number == number }) else { throw .fileNotFound }
    switch command {
    case .getFileSettings:
      let data = try unprotect(command, parameters, header: 1, .authenticated)
      guard data.count == 1 else { throw .lengthError }
      return protect(files[index].settings, .authenticated)
    case .changeFileSettings: return try changeSettings(index, parameters)
    case .getFileCounters: return try counters(index, parameters)
    case .readData: return try read(index, parameters)
    default: return try write(index, parameters)
    }
  }

  /// Returns the protection of a command on the air: `protected` if one of the conditions is the
  /// session's key, plain if access is free.
  private func communication(
    _ conditions: [UInt8], _ protected: NTAG424File.Communication
  ) throws(NTAG424Status) -> NTAG424File.Communication {
    if let session, conditions.contains(session.keyNumber) { return protected }
    if conditions.contains(NTAG424File.Access.free) { return .plain }
    throw conditions.allSatisfy { $0 == NTAG424File.Access.never }
      ? .permissionDenied : .authenticationError
  }

  private mutating func changeSettings(
    _ index: Int, _ parameters: [UInt8]
  ) throws(NTAG424Status) -> Answer {
    let communication = try communication([files[index].changeCondition], .encrypted)
    let data = try unprotect(.changeFileSettings, parameters, header: 1, communication)
    var file = files[index]
    try file.change(settings: Array(data.dropFirst()), isLRP: usesLRP)
    files[index] = file
    return protect([], communication)
  }

  private mutating func counters(
    _ index: Int, _ parameters: [UInt8]
  ) throws(NTAG424Status) -> Answer {
    guard let dynamic = files[index].dynamic else { throw .permissionDenied }
    let communication = try communication([dynamic.counterRetrieval], .encrypted)
    let data = try unprotect(.getFileCounters, parameters, header: 1, communication)
    guard data.count == 1 else { throw .lengthError }
    let counter = files[index].readCounter
    return protect(
      [0, 8, 16].map { UInt8(truncatingIfNeeded: counter >> $0) } + [0x00, 0x00], communication)
  }

  // MARK: Data

  private struct Extent {
    let offset: Int
    let length: Int

    static let headerSize = 7

    init(_ header: [UInt8]) {
      func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      offset = number(header[1..<4])
      length = number(header[4..<7])
    }
  }

  private mutating func read(_ index: Int, _ parameters: [UInt8]) throws(NTAG424Status) -> Answer {
    var communication = NTAG424File.Communication.plain
    let file = files[index]
    let isDynamic = session == nil && file.dynamic?.fileReadKey != nil
    if !isDynamic {
      communication = try self.communication(file.readConditions, file.communication)
    }
    let data = try unprotect(
      .readData, parameters, header: Extent.headerSize, communication)
    guard data.count == Extent.headerSize else { throw .lengthError }
    let extent = Extent(data)
    // The data sheet does not name BOUNDARY_ERROR for it (table 80).
    guard extent.offset < file.content.count, extent.length <= file.content.count - extent.offset
    else { throw .parameterError }
    let length = extent.length == 0 ? file.content.count - extent.offset : extent.length
    let content = try content(index, .native)
    let answer = protect(
      Array(content[extent.offset..<extent.offset + length]), communication)
    // It is not confirmed that a longer answer is an error and not truncated.
    guard answer.data.count <= Self.longestAnswer else { throw .lengthError }
    return answer
  }

  /// Returns the current content of the file: static while authenticated, otherwise with mirrored data
  /// and counted.
  mutating func content(
    _ index: Int, _ kind: CountedRead.Kind
  ) throws(NTAG424Status) -> [UInt8] {
    guard session == nil, let dynamic = files[index].dynamic else {
      countedRead = nil
      return files[index].content
    }
    if countedRead?.kind != kind {
      if dynamic.counts {
        if let limit = dynamic.counterLimit, files[index].readCounter >= limit {
          throw .permissionDenied
        }
        // The counter has reached its maximum (table 80).
        guard files[index].readCounter < 0xFF_FFFF else { throw .integrityError }
        files[index].readCounter += 1
      }
      countedRead = CountedRead(
        kind: kind, padding: generator.bytes(16), number: usesLRP ? generator.bytes(8) : [])
    }
    return NTAG424Content(
      file: files[index], settings: dynamic, uid: uid, keys: keys.map(\.bytes),
      padding: countedRead?.padding ?? [], number: countedRead?.number ?? [], isLRP: usesLRP
    ).bytes
  }

  private mutating func write(_ index: Int, _ parameters: [UInt8]) throws(NTAG424Status) -> Answer {
    let communication = try communication(
      files[index].writeConditions, files[index].communication)
    let data = try unprotect(.writeData, parameters, header: Extent.headerSize, communication)
    guard data.count > Extent.headerSize else { throw .lengthError }
    let extent = Extent(data)
    let bytes = data.dropFirst(Extent.headerSize)
    guard bytes.count == extent.length else { throw .lengthError }
    let size = files[index].content.count
    guard extent.offset < size, extent.length <= size - extent.offset else { throw .boundaryError }
    files[index].content.replaceSubrange(
      extent.offset..<extent.offset + extent.length, with: bytes)
    return protect([], communication)
  }
}
