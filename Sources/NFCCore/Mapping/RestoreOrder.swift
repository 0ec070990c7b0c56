/// The order in which the memory of a tag with its message in TLVs is restored, unit by unit (pages or blocks).
///
/// A tag may be removed between any two writes. In this order, it holds the old message, an empty one or the new one
/// at any time, and none whose length covers old and new bytes. This is the order in which a message is written (see
/// ``MessageReplacement``), for a memory that changes as a whole.
package struct RestoreOrder {
  /// A write of a complete unit.
  package struct Write: Hashable, Sendable {
    package let unit: Int
    package let data: [UInt8]

    package init(unit: Int, data: [UInt8]) {
      self.unit = unit
      self.data = data
    }
  }

  private let now: [UInt8?]
  private let image: [UInt8?]
  private let unitSize: Int
  private let area: [Int]

  /// - Parameters:
  ///   - now: the current content of the memory; `nil` for a byte that is not known.
  ///   - image: the content to restore.
  ///   - area: the addresses that can hold TLVs, in order.
  package init(now: [UInt8?], image: [UInt8?], unitSize: Int, area: [Range<Int>]) {
    self.now = now
    self.image = image
    self.unitSize = max(1, unitSize)
    let end = min(now.count, image.count)
    self.area = area.flatMap { Array($0.clamped(to: 0..<end)) }
  }

  /// Returns the writes in their order. A unit is written twice if it has to make the old message empty first.
  ///
  /// - Parameters:
  ///   - units: the units that differ and may be written, in the order in which they would be written otherwise.
  ///   - isWritable: whether another unit may be written.
  package func writes(of units: [Int], isWritable: (Int) -> Bool) -> [Write] {
    let plain = units.compactMap { write($0, image) }
    let (old, new) = (message(in: now), message(in: image))
    guard let head = head(old, new) else { return plain }
    let covered = covered(old, new)
    guard units.contains(where: { $0 != head.unit && covered.contains($0) }),
      units.contains(head.unit) || isWritable(head.unit),
      let last = write(head.unit, image) ?? write(head.unit, now)
    else { return plain }
    let others = plain.filter { $0.unit != head.unit }
    let isEmpty = content(head.unit, now) == head.empty
    return (isEmpty ? [] : [Write(unit: head.unit, data: head.empty)]) + others
      + (last.data == head.empty ? [] : [last])
  }

  /// The units with a part of the old message or the new one, or with their terminators. If the tag refuses one of
  /// them, the others get their old content back.
  package var messageUnits: Set<Int> { covered(message(in: now), message(in: image), past: 1) }

  private func covered(
    _ old: TagLengthValue?, _ new: TagLengthValue?, past: Int = 0
  ) -> Set<Int> {
    let ranges = [old, new].compactMap { $0.map { $0.offset..<$0.end + past } }
    return Set(ranges.flatMap { $0.compactMap(unit) })
  }

  private func write(_ unit: Int, _ memory: [UInt8?]) -> Write? {
    content(unit, memory).map { Write(unit: unit, data: $0) }
  }

  private func content(_ unit: Int, _ memory: [UInt8?]) -> [UInt8]? {
    let range = unit * unitSize..<(unit + 1) * unitSize
    guard range.upperBound <= memory.count else { return nil }
    let bytes = memory[range].compactMap(\.self)
    return bytes.count == unitSize ? bytes : nil
  }

  private func unit(_ offset: Int) -> Int? {
    area.indices.contains(offset) ? area[offset] / unitSize : nil
  }

  /// Returns the unit that makes the message empty, and its content then: the length becomes 0 if both messages
  /// begin at the same place after the same TLVs; otherwise an empty message at the beginning of the area hides all.
  private func head(
    _ old: TagLengthValue?, _ new: TagLengthValue?
  ) -> (unit: Int, empty: [UInt8])? {
    guard old != nil || new != nil else { return nil }
    var offset = 0
    if let old, let new, old.offset == new.offset,
      (0...old.offset).allSatisfy({ now[area[$0]] == image[area[$0]] })
    {
      offset = old.offset
    }
    let empty = [TagLengthValue.Tag.ndefMessage, 0, TagLengthValue.Tag.terminator]
    guard let head = unit(offset + 1), var content = content(head, now) else { return nil }
    // Where the tag byte is in the unit before, it is there already, and stays.
    guard unit(offset) == head || now[area[offset]] == empty[0] && image[area[offset]] == empty[0]
    else { return nil }
    for (index, byte) in empty.enumerated() where unit(offset + index) == head {
      content[area[offset + index] % unitSize] = byte
    }
    return (head, content)
  }

  private func message(in memory: [UInt8?]) -> TagLengthValue? {
    var offset = 0
    while true {
      let step = try? TagLengthValue.step(at: offset, size: area.count) { memory[area[$0]] }
      guard case .block(let block) = step else { return nil }
      if block.tag == TagLengthValue.Tag.ndefMessage { return block }
      offset = block.end
    }
  }
}

extension RestoreOrder {
  /// Returns the order for a Type 5 tag; `nil` if neither memory begins with a capability container, or if these have
  /// not the same length (NFC Forum Type 5 Tag 1.0, 4.3.1).
  package static func type5(now: [UInt8?], image: [UInt8?], unitSize: Int) -> RestoreOrder? {
    func length(_ memory: [UInt8?]) -> Int? {
      let start = memory.prefix(Type5CapabilityContainer.longLength).compactMap(\.self)
      guard start.count == Type5CapabilityContainer.longLength,
        [Type5CapabilityContainer.narrowMagic, Type5CapabilityContainer.wideMagic]
          .contains(start[0])
      else { return nil }
      return Type5CapabilityContainer.isLong(start)
        ? Type5CapabilityContainer.longLength : Type5CapabilityContainer.shortLength
    }
    let lengths = Set([now, image].compactMap(length))
    guard lengths.count == 1, let first = lengths.first else { return nil }
    return RestoreOrder(
      now: now, image: image, unitSize: unitSize, area: [first..<max(first, now.count)])
  }

  /// Returns the order for a Topaz: the data is in bytes 0C to 67, and from byte 80 on (NFC Forum Type 1 Tag Operation
  /// 1.1, 2.1 and 2.2).
  package static func type1(now: [UInt8?], image: [UInt8?]) -> RestoreOrder {
    RestoreOrder(
      now: now, image: image, unitSize: 8, area: [0x0C..<0x68, 0x80..<max(0x80, now.count)])
  }
}
