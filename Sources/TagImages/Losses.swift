extension TagImage {
  /// A part of an image that a file may be unable to hold.
  private struct Part: Sendable {
    let name: String
    /// Returns whether an image has this part and its copy does not.
    let isLost: @Sendable (TagImage, TagImage) -> Bool

    init(_ name: String, isLost: @escaping @Sendable (TagImage, TagImage) -> Bool) {
      self.name = name
      self.isLost = isLost
    }

    init<Value: Hashable & Sendable>(
      _ name: String, _ value: @escaping @Sendable (TagImage) -> Value?
    ) {
      self.name = name
      isLost = { image, copy in
        guard let original = value(image) else { return false }
        return value(copy) != original
      }
    }
  }

  private static let parts: [Part] = [
    Part("UID") { $0.kind == .feliCa || $0.kind == .feliCaLite ? nil : $0.uid },
    Part("IDm") { $0.kind == .feliCa || $0.kind == .feliCaLite ? $0.uid : nil },
    Part("PMm") { $0.feliCa?.pmm },
    Part("ATQA and SAK") { image in image.atqa.map { $0 + [image.sak ?? 0] } },
    Part("ATS") { $0.ats },
    Part("ATR") { $0.answerToReset },
    Part("application data") { $0.applicationData },
    Part("protocol information") { $0.protocolInfo },
    Part("version") { $0.version },
    Part("signature") { $0.signature },
    Part("counter of failed authentications") {
      $0.failedAuthentications == 0 ? nil : $0.failedAuthentications
    },
    Part("header ROM") { $0.headerROM },
    Part("system block") { $0.systemBlock },
    Part("DSFID") { $0.vicinity?.dsfid },
    Part("AFI") { $0.vicinity?.afi },
    Part("IC reference") { $0.vicinity?.icReference },
    Part("locks", isLost: { $0.vicinity?.losesLocks(in: $1.vicinity) ?? false }),
    Part(
      "whether AFI and DSFID are locked",
      isLost: { $0.vicinity?.gainsLocks(in: $1.vicinity) ?? false }),
    Part("passwords") { image in
      image.vicinity.flatMap { $0.passwords.isEmpty ? nil : $0.passwords }
    },
    Part("capabilities for emulation") {
      $0.vicinity?.acceptsAllPasswords == true ? true : nil
    },
    Part("protection", isLost: { $0.vicinity?.losesProtection(in: $1.vicinity) ?? false }),
    Part("systems and services") { image in
      image.feliCa.flatMap { $0.systems.isEmpty ? nil : $0.systems }
    },
    Part("applications and files") { $0.desfire },
    Part("applications and files") { $0.smartCard },
    Part("security level, blocks and keys") { $0.plus },
  ]

  /// Returns the parts of this image that a copy does not have, in words.
  func losses(in copy: TagImage) -> [String] {
    var names = copy.kind == kind ? [] : ["kind of the tag"]
    names += Self.parts.filter { $0.isLost(self, copy) }.map(\.name)
    let lostCounters = zip(counters, copy.counters).contains { original, kept in
      original != nil && original?.value != kept?.value
    }
    if lostCounters { names.append("counters") }
    let lostTearing = zip(counters, copy.counters).contains { original, kept in
      original?.tearing != nil && original?.tearing != kept?.tearing
    }
    if lostTearing, !lostCounters { names.append("tearing flags") }
    return names + memoryLosses(in: copy)
  }

  private func memoryLosses(in copy: TagImage) -> [String] {
    var names: [String] = []
    if kind == .iso15693, copy.memory.unitSize != memory.unitSize {
      names.append("size of a block")
    }
    let count = min(memory.bytes.count, copy.memory.bytes.count)
    let isCut = memory.isKnown.dropFirst(count).contains(true)
    let isForgotten = (0..<count).contains { memory.isKnown[$0] && !copy.memory.isKnown[$0] }
    if isCut || isForgotten {
      let units = (0..<memory.unitCount).filter { unit in
        memory.range(ofUnit: unit).contains {
          memory.isKnown[$0] && ($0 >= count || !copy.memory.isKnown[$0])
        }
      }
      names.append("\(kind.unit)\(units.count > 1 ? "s" : "") \(unitNames(units))")
    }
    if (0..<count).contains(where: { !memory.isKnown[$0] && copy.memory.isKnown[$0] }) {
      names.append("which bytes are unknown")
    }
    return names
  }

  /// Returns numbers as a list of runs: 3, 7-9.
  private func unitNames(_ units: [Int]) -> String {
    guard kind != .feliCaLite else {
      return units.compactMap { Self.feliCaLiteBlocks.indices.contains($0) ? $0 : nil }
        .map { Hexadecimal.text([Self.feliCaLiteBlocks[$0]]) }.joined(separator: ", ")
    }
    var runs: [ClosedRange<Int>] = []
    for unit in units {
      if let last = runs.last, last.upperBound + 1 == unit {
        runs[runs.count - 1] = last.lowerBound...unit
      } else {
        runs.append(unit...unit)
      }
    }
    return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }
}

extension TagImage.Vicinity {
  /// Returns whether a value of this image differs in a copy.
  private func loses<Value: Equatable>(_ copy: Self?, _ value: (Self) -> Value?) -> Bool {
    guard let original = value(self) else { return false }
    return copy.flatMap(value) != original
  }

  fileprivate func losesLocks(in copy: Self?) -> Bool {
    loses(copy, \.isDSFIDLocked) || loses(copy, \.isAFILocked) || loses(copy, \.lockedBlocks)
  }

  /// Returns whether a copy says of a lock that is unknown that it is set or not: a `.nfc` file has no third value.
  fileprivate func gainsLocks(in copy: Self?) -> Bool {
    (isAFILocked == nil && copy?.isAFILocked != nil)
      || (isDSFIDLocked == nil && copy?.isDSFIDLocked != nil)
  }

  fileprivate func losesProtection(in copy: Self?) -> Bool {
    loses(copy, \.protectionPointer) || loses(copy, \.protectionCondition)
      || loses(copy, \.isPrivate) || loses(copy, \.isEASLocked)
      || loses(copy, \.isProtectionLocked)
  }
}
