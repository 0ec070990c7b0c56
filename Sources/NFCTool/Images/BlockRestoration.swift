import NFC

/// To a tag of plain blocks: ISO 15693, or FeliCa Lite.
struct BlockRestoration: MemoryRestoration {
  private let tag: MemoryTag
  private let changes: [TagImage.Change]
  private let locked: Set<Int>

  /// Reads the tag, and which of its blocks are locked.
  ///
  /// - Throws: `NFCError` `malformedContent` for an image of another size.
  init(_ tag: MemoryTag, _ image: TagImage, now: TagImage) async throws {
    guard image.bytes.count == now.bytes.count else {
      throw NFCError(
        .malformedContent,
        "it has \(image.bytes.count) bytes, and the tag has \(now.bytes.count)")
    }
    self.tag = tag
    changes = now.changes(
      to: TagImage(kind: now.kind, unitSize: now.unitSize, bytes: image.bytes))
    locked = try await Self.locked(tag, now)
  }

  private static func locked(_ tag: MemoryTag, _ now: TagImage) async throws -> Set<Int> {
    guard case .vicinity(let tag) = tag else { return [] }
    let count = now.bytes.count / max(1, now.unitSize)
    do {
      let status = try await tag.securityStatus(0..<count)
      return Set(status.indices.filter { status[$0] & 1 == 1 })
    } catch let error as NFCError
      where error.code == .unsupported || error.group == .refusal
    {
      return []
    }
  }

  var plan: [RestoredPart] {
    changes.map { change in
      let isLocked = locked.contains(change.number)
      return RestoredPart(
        kind: "block", number: change.number, written: isLocked ? [] : [change.number],
        omissions: isLocked ? [Self.omission("it is locked")] : [])
    }
  }

  private static func omission(_ text: String) -> RestoredPart.Omission {
    RestoredPart.Omission(text: text, isFailure: true, isNotAskedFor: false)
  }

  private static let writeService: UInt16 = 0x0009

  func run() async throws -> [RestoredPart] {
    var parts: [RestoredPart] = []
    for (part, change) in zip(plan, changes) {
      guard part.omissions.isEmpty else {
        parts.append(part)
        continue
      }
      do {
        switch tag {
        case .vicinity(let tag): try await tag.writeBlocks(at: change.number, change.after)
        case .feliCaLite(let tag):
          try await tag.writeBlocks(
            service: Self.writeService, firstBlock: change.number, data: [change.after])
        case .classic, .ultralight, .topaz: throw Self.unsupported
        }
        parts.append(part)
      } catch let error as NFCError where error.group == .refusal {
        parts.append(
          RestoredPart(
            kind: "block", number: change.number, written: [],
            omissions: [Self.omission(error.description)]))
      }
    }
    return parts
  }

  static let unsupported = NFCError(
    .unsupported, "an image cannot be restored to a tag of this kind")
}
