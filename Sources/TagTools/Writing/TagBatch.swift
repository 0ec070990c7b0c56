import NFC

/// Writes tag after tag, each once: decides which of the tags on the reader comes next, and which row of a table it gets.
///
/// ```swift
/// var batch = TagBatch(count: texts.count)
/// while !batch.isComplete {
///   let tags = try await reader.tagsInField()
///   batch.found(tags)
///   for tag in tags where batch.isNext(tag) {
///     do {
///       try await tag.connect()
///       try await tag.write(NDEFMessage(.text(texts[batch.writtenCount])))
///       batch.succeeded(tag)
///     } catch is NFCError {
///       batch.failed(tag)
///     }
///   }
/// }
/// ```
///
/// A tag that failed is not counted, and the next tag gets its row. It may be presented again after it was removed.
///
/// A tag whose UID changes, or is not reported, cannot be told from the next one: it is next again only once no such tag
/// was there in two searches.
public struct TagBatch: Sendable {
  /// The number of tags that are to be written; `nil` for no limit.
  public let count: Int?

  private var written: Set<[UInt8]> = []
  /// The tags that failed and were not written since.
  private var failures: Set<[UInt8]> = []
  /// The tags that failed and are still present.
  private var waiting: Set<[UInt8]> = []
  /// Whether a tag that failed has left, if its UID does not distinguish it from the next one.
  private var departure: TagDeparture?

  /// Creates a batch.
  public init(count: Int? = nil) { self.count = count }

  /// The number of tags that were written, which is the index of the next row.
  public var writtenCount: Int { written.count }

  /// The number of tags that failed and were not written since.
  public var failedCount: Int { failures.count }

  /// Whether the number of tags was written.
  public var isComplete: Bool { count.map { writtenCount >= $0 } ?? false }

  /// Takes note of all tags that a search has found, and so of those that have left.
  public mutating func found(_ tags: [DetectedTag]) {
    waiting.formIntersection(tags.map(\.identifier))
    if departure?.isComplete(tags) == true { departure = nil }
  }

  /// Returns whether a tag is to be written now.
  public func isNext(_ tag: DetectedTag) -> Bool {
    guard !isComplete else { return false }
    guard tag.hasLastingUID else { return departure == nil }
    return !written.contains(tag.identifier) && !waiting.contains(tag.identifier)
  }

  /// Takes note of a tag that was written.
  public mutating func succeeded(_ tag: DetectedTag) {
    written.insert(tag.identifier)
    failures.remove(Self.key(of: tag))
  }

  /// Takes note of a tag that could not be written.
  public mutating func failed(_ tag: DetectedTag) {
    failures.insert(Self.key(of: tag))
    waiting.insert(tag.identifier)
    if !tag.hasLastingUID { departure = TagDeparture() }
  }

  /// Returns the UID; nothing for a tag that comes back with another one.
  private static func key(of tag: DetectedTag) -> [UInt8] {
    tag.hasLastingUID ? tag.identifier : []
  }
}
