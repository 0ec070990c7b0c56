/// Finds the tags in the field, and what they are.
extension Reader {
  /// Switches the carrier off and on, unless it was switched on just before and no tag has been found since. Tags
  /// found before are out of reach from now on.
  func resetField() throws {
    try beginCycle()
    let state = fieldState
    fieldState = pollsContinuously ? .fresh : .used
    if state != .fresh { try resettingField() }
  }

  /// Begins a cycle of polling. Tags found before are out of reach from now on.
  func beginCycle() throws {
    epoch += 1
    connected = nil
    guard pollsContinuously, fieldState == .doubtful else { return }
    // A lost reader is reached again by this.
    fieldState = .fresh
    try resettingField()
  }

  /// Switches the carrier off until the next ``resetField()``, if the driver can.
  func switchFieldOff() throws {
    connected = nil
    fieldState = .used
    try driver.switchFieldOff()
  }

  private func resettingField() throws {
    do {
      try driver.resetField()
    } catch {
      fieldState = .doubtful
      throw error
    }
  }

  /// Searches once for tags of a technology.
  func list(_ technology: TagTechnology) throws -> [Target] {
    connected = nil
    let targets = try searching(technology) { try $0.list(technology) }
    if !targets.isEmpty { fieldState = .used }
    return targets
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
      return (try list(technology), nil, false)
    }
    guard let target = try findOne(technology) else { return ([], nil, false) }
    fieldState = .used
    return ([target], try detectIfPresent(target, operation), true)
  }

  /// Searches for tags of a technology of which some are known.
  ///
  /// - Parameters:
  ///   - found: those that have answered since the carrier was switched off.
  ///   - known: the number of known ones.
  func search(
    _ technology: TagTechnology, excluding found: [Target], known: Int
  ) throws -> [Target] {
    guard technology == .iso14443b, driver.findsOneByOne(technology) else {
      return found.isEmpty
        ? try list(technology) : try list(technology, excluding: found)
    }
    // A card that was put to sleep for the search for others would have to start again.
    guard found.isEmpty, known == 1 else { return try list(technology, excluding: found) }
    connected = nil
    let target = try findOne(technology)
    if target != nil { fieldState = .used }
    return [target].compactMap(\.self)
  }

  private func findOne(
    _ technology: TagTechnology, excluding found: [Target] = []
  ) throws -> Target? {
    try searching(technology) { driver in
      try driver.find(technology, excluding: found).map { [$0] } ?? []
    }.first
  }

  /// Asks a tag that was found before whether it is still there. It need not be connected.
  func isPresent(_ target: Target) throws -> Bool { try driver.isPresent(target) }

  /// Continues a search that has already found some tags.
  ///
  /// - Returns: the tags that it finds now.
  func list(_ technology: TagTechnology, excluding found: [Target]) throws -> [Target] {
    if let handle = connected {
      // The tag is put to sleep. A program must notice what a card loses by that.
      if handle.target.losesStateOnSelect { connected = nil } else { needsSelect = true }
    }
    var targets = found
    while let target = try findOne(technology, excluding: targets) { targets.append(target) }
    return Array(targets.dropFirst(found.count))
  }

  /// Looks for the first tag that fits, in one sweep, and connects to it. No other is looked for.
  ///
  /// - Parameters:
  ///   - resets: whether the carrier is switched off and on first, also if no tag has been found since the last
  ///     time.
  ///   - requestsVersion: whether a tag is asked what it is, if the activation data does not
  ///     show it.
  /// - Returns: the tag; `nil` if there is none, and the unsuitable ones that were found.
  func findFirst(
    of technologies: [TagTechnology], resets: Bool = false, requestsVersion: Bool = true,
    _ operation: Operation, where fits: (DetectedTag) -> Bool
  ) throws -> (tag: DetectedTag?, others: [DetectedTag]) {
    if resets { fieldState = .used }
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
          ? try findOne(technology, excluding: found).map { [$0] } ?? []
          : found.isEmpty ? try searching(technology) { try $0.list(technology) } : []
        if !candidates.isEmpty { fieldState = .used }
        for target in candidates {
          guard
            let handle = try handleIfPresent(target, requestsVersion: requestsVersion, operation)
          else {
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
    _ handle: TagHandle, requestsVersion: Bool = true, _ operation: Operation
  ) throws -> DetectedTag {
    let target = handle.target
    guard requestsVersion, case .iso14443a(let found) = target,
      TypeAIdentification.needsVersion(found)
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
    _ target: Target, requestsVersion: Bool = true, _ operation: Operation
  ) throws -> (handle: TagHandle, tag: DetectedTag)? {
    let handle = TagHandle(reader: self, target: target, epoch: epoch)
    do {
      return (handle, try identify(handle, requestsVersion: requestsVersion, operation))
    } catch let error as NFCError
      where [.tagConnectionLost, .tagResponseError].contains(error.code)
    {
      return nil
    }
  }
}
