import NFC
import TagTools
import Testing
import VirtualNFC

/// Tests which tag of many is next.
@Suite struct TagBatchTests {
  private struct Field {
    let direct = DirectReader(VirtualField())
    let reader: Reader

    init() async throws { reader = try await direct.open() }

    func show(_ tags: VirtualTag...) async throws -> [DetectedTag] {
      direct.field.removeAll()
      for tag in tags { direct.field.place(tag) }
      return try await reader.tagsInField()
    }
  }

  private static func tag(_ number: UInt8) throws -> VirtualTag {
    try .named("ntag213", uid: [0x04, 1, 2, 3, 4, 5, number])
  }

  @Test func eachTagIsWrittenOnce() async throws {
    let field = try await Field()
    let (one, two, three) = (try Self.tag(1), try Self.tag(2), try Self.tag(3))
    var batch = TagBatch(count: 3)
    var written: [[UInt8]] = []
    for look in [[one], [one, two], [], [two], [one, three], [two]] {
      field.direct.field.removeAll()
      for tag in look { field.direct.field.place(tag) }
      let tags = try await field.reader.tagsInField()
      batch.found(tags)
      for tag in tags where batch.isNext(tag) {
        written.append(tag.identifier)
        batch.succeeded(tag)
      }
    }
    #expect(written == [one, two, three].map(\.identifier))
    #expect(batch.isComplete && batch.writtenCount == 3 && batch.failedCount == 0)
  }

  /// A tag that failed is not counted. It is next again once it was away, or another one is.
  @Test func aTagThatFailedDoesNotUseUpItsRow() async throws {
    let field = try await Field()
    let (one, two) = (try Self.tag(1), try Self.tag(2))
    var batch = TagBatch(count: 2)
    var tags = try await field.show(one)
    batch.found(tags)
    #expect(batch.isNext(tags[0]))
    batch.failed(tags[0])
    #expect(batch.writtenCount == 0 && batch.failedCount == 1)
    tags = try await field.show(one)
    batch.found(tags)
    #expect(!batch.isNext(tags[0]))
    tags = try await field.show(two)
    batch.found(tags)
    #expect(batch.isNext(tags[0]))
    batch.succeeded(tags[0])
    tags = try await field.show(one)
    batch.found(tags)
    #expect(batch.isNext(tags[0]))
    batch.succeeded(tags[0])
    #expect(batch.isComplete && batch.failedCount == 0)
  }

  /// A tag whose UID says nothing has to leave before another one may be taken for it.
  @Test func aTagWithoutALastingUID() async throws {
    let field = try await Field()
    let random = VirtualTag.desfire(uid: [0x08, 1, 2, 3])
    var batch = TagBatch()
    var tags = try await field.show(random)
    try #require(tags.count == 1)
    batch.found(tags)
    #expect(batch.isNext(tags[0]))
    batch.failed(tags[0])
    tags = try await field.show(random)
    batch.found(tags)
    #expect(!batch.isNext(tags[0]))
    // One search can miss a tag.
    batch.found(try await field.show())
    #expect(!batch.isNext(tags[0]))
    batch.found(try await field.show())
    #expect(batch.isNext(tags[0]))
    #expect(!batch.isComplete)
  }
}
