/// Finds the tags in the field, and what they are.
extension Reader {
  /// Begins a round of polling: switches the carrier off and on, unless the reader has only just been
  /// opened. Tags found before are out of reach from now on.
  func resetField() throws {
    epoch += 1
    connected = nil
    if isFieldFresh {
      isFieldFresh = false
    } else {
      try driver.resetField()
    }
  }

  /// Searches once for tags of a technology.
  func list(_ technology: TagTechnology) throws -> [Target] {
    connected = nil
    return try driver.list(technology)
  }

  /// Searches for tags of a technology, none of which is known: until the first one, if the driver
  /// finds them one by one, so that it can be used at once.
  ///
  /// - Returns: the tags, whether there may be more, and in this case the first tag; `nil` if it
  ///   has left meanwhile.
  func find(
    _ technology: TagTechnology, _ operation: Operation
  ) throws -> (targets: [Target], first: DetectedTag?, hasMore: Bool) {
    connected = nil
    guard driver.findsOneByOne(technology) else {
      return (try driver.list(technology), nil, false)
    }
    guard let target = try driver.find(technology, excluding: []) else { return ([], nil, false) }
    return ([target], try detectIfPresent(target, operation), true)
  }

  /// Continues a search that has already found some tags.
  ///
  /// - Returns: the tags that it finds now.
  func list(_ technology: TagTechnology, excluding found: [Target]) throws -> [Target] {
    if let handle = connected {
      // The tag is put to sleep. A program must notice what a card loses by that.
      if handle.target.losesStateOnSelect { connected = nil } else { needsSelect = true }
    }
    var targets = found
    while let target = try driver.find(technology, excluding: targets) { targets.append(target) }
    return Array(targets.dropFirst(found.count))
  }

  /// Looks for the first tag that fits, in one round, and connects to it. No other is looked for.
  ///
  /// - Parameter asksVersion: whether a tag is asked what it is, if the activation data does not
  ///   show it.
  /// - Returns: the tag; `nil` if there is none, and the unsuitable ones that were found.
  func findFirst(
    of technologies: [TagTechnology], asksVersion: Bool = true, _ operation: Operation,
    where fits: (DetectedTag) -> Bool
  ) throws -> (tag: DetectedTag?, others: [DetectedTag]) {
    try resetField()
    var others: [DetectedTag] = []
    for technology in technologies {
      try operation.checkCancellation()
      var found: [Target] = []
      var candidates: [Target]
      repeat {
        connected = nil
        candidates =
          driver.findsOneByOne(technology)
          ? try driver.find(technology, excluding: found).map { [$0] } ?? []
          : found.isEmpty ? try driver.list(technology) : []
        for target in candidates {
          guard let handle = try handleIfPresent(target, asksVersion: asksVersion, operation) else {
            continue
          }
          if fits(handle.tag), try connectIfPresent(handle.handle, operation) {
            return (handle.tag, others)
          }
          others.append(handle.tag)
        }
        found += candidates
      } while !candidates.isEmpty
    }
    return (nil, others)
  }

  /// Searches for further tags of a technology, and wakes the original tag again.
  func findOthers(than handle: TagHandle, _ operation: Operation) throws -> [Target] {
    try connect(handle, operation)
    let technology = handle.target.technology
    let others =
      driver.findsOneByOne(technology)
      ? try list(technology, excluding: [handle.target])
      : try driver.list(technology).filter { !$0.isSame(as: handle.target) }
    connected = nil
    try connect(handle, operation)
    return others
  }

  private func connectIfPresent(_ handle: TagHandle, _ operation: Operation) throws -> Bool {
    do {
      try connect(handle, operation)
      return true
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }

  /// Asks a tag what it is, if the activation data does not show it, and makes it a tag of this
  /// connection.
  func detect(_ target: Target, _ operation: Operation) throws -> DetectedTag {
    try identify(TagHandle(reader: self, target: target, epoch: epoch), operation)
  }

  private func identify(
    _ handle: TagHandle, asksVersion: Bool = true, _ operation: Operation
  ) throws -> DetectedTag {
    let target = handle.target
    guard asksVersion, case .iso14443a(let found) = target, TypeAIdentification.needsVersion(found)
    else {
      return DetectedTag(handle, version: nil)
    }
    try driver.select(target)
    connected = handle
    needsSelect = false
    let link = TagLink(driver: driver, target: target, operation: operation)
    if TypeAIdentification.mayBeEmulated(found), try Type4Mapping.hasApplication(link) {
      return DetectedTag(handle, version: nil)
    }
    let version = try TypeAIdentification.desfireVersion(link)
    handle.knowledge.withLock { $0.version = .some(version?.bytes) }
    return DetectedTag(handle, version: version)
  }

  /// Detects a tag like ``detect(_:_:)``; `nil` if it has left meanwhile.
  func detectIfPresent(_ target: Target, _ operation: Operation) throws -> DetectedTag? {
    try handleIfPresent(target, operation)?.tag
  }

  private func handleIfPresent(
    _ target: Target, asksVersion: Bool = true, _ operation: Operation
  ) throws -> (handle: TagHandle, tag: DetectedTag)? {
    let handle = TagHandle(reader: self, target: target, epoch: epoch)
    do {
      return (handle, try identify(handle, asksVersion: asksVersion, operation))
    } catch let error as NFCError
      where [.tagConnectionLost, .tagResponseError].contains(error.code)
    {
      return nil
    }
  }
}
