import TagImages

extension FeliCaLiteChip {
  /// IDm, PMm and the blocks in the card's memory, except those that the card computes at each reading.
  var tagImage: TagImage {
    var image = TagImage.feliCaLite()
    image.uid = core.idm
    image.feliCa = .init(pmm: core.pmm)
    let size = FeliCaBlockAccess.blockSize
    let numbers = FeliCaLiteBlock.stored + [FeliCaLiteBlock.writeCounter]
    for (index, number) in numbers.enumerated() where !core.unknownBlocks.contains(number) {
      let block = core.memory.dropFirst(index * size).prefix(size)
      if block.count == size { image.setFeliCaLiteBlock(number, Array(block)) }
    }
    return image
  }
}

extension FeliCaLite: ImagedChip {}
extension FeliCaLiteS: ImagedChip {}

extension VirtualTag {
  /// The IC type in the second byte of PMm (FeliCa Lite-S User's Manual).
  private static let icTypeOfLite: UInt8 = 0xF0
  /// The first byte of an NDEF tag's attribute block is its version (NFC Forum Type 3 Tag, 6.1).
  private static let attributeVersion: UInt8 = 0x10

  static func feliCaLite(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    let pmm = image.feliCa?.pmm.flatMap { $0.count == 8 ? $0 : nil }
    let isLite = pmm?[1] == icTypeOfLite
    let idm =
      image.uid.flatMap { $0.count == 8 ? $0 : nil }
      ?? (isLite ? FeliCaLite.defaultIDm : FeliCaLiteS.defaultIDm)
    let isNDEF = image.feliCaLiteBlock(0)?.first == attributeVersion
    var lite = FeliCaLite(idm: idm, formatted: isNDEF)
    var liteS = FeliCaLiteS(idm: idm, formatted: isNDEF)
    var core = isLite ? lite.core : liteS.core
    if let pmm {
      core = FeliCaLiteCore(
        generation: isLite ? .lite : .liteS, idm: idm, pmm: pmm, formatted: isNDEF)
    }
    let size = FeliCaBlockAccess.blockSize
    var memory = core.memory
    for (index, number) in (FeliCaLiteBlock.stored + [FeliCaLiteBlock.writeCounter]).enumerated() {
      guard let block = image.feliCaLiteBlock(number), (index + 1) * size <= memory.count else {
        continue
      }
      memory.replaceSubrange(index * size..<(index + 1) * size, with: block)
    }
    core.memory = memory
    core.unknownBlocks = Set(
      FeliCaLiteBlock.userBlocks.filter { image.feliCaLiteBlock($0) == nil })
    lite.core = core
    liteS.core = core
    return isLite ? VirtualTag(lite) : VirtualTag(liteS)
  }
}

extension Type3Tag: ImagedChip {
  /// Both services give access to the same blocks.
  var tagImage: TagImage {
    var image = TagImage(.feliCa)
    image.uid = identifier
    var system = TagImage.FeliCa.System(code: Self.systemCode)
    system.services = [Self.readWriteService, Self.readOnlyService]
    let size = FeliCaBlockAccess.blockSize
    let memory = memory
    for service in system.services {
      system.blocks += stride(from: 0, to: memory.count, by: size).enumerated().map {
        .init(
          service: service, number: $0.offset, data: Array(memory[$0.element..<$0.element + size]))
      }
    }
    var details = TagImage.FeliCa(pmm: Self.pmm)
    details.systems = [system]
    image.feliCa = details
    return image
  }
}

extension FeliCaStandard: ImagedChip {
  /// Systems with their nodes, and the blocks that can be read without a key. Each block is listed under
  /// the first such service.
  var tagImage: TagImage {
    var image = TagImage(.feliCa)
    image.uid = identifier
    var details = TagImage.FeliCa(pmm: pmm)
    details.systems = systems.map { system in
      var part = TagImage.FeliCa.System(code: system.code)
      for node in system.nodes {
        switch node {
        case .area(let code, let last): part.areas.append(.init(code: code, end: last))
        case .service(let code):
          part.services.append(code)
          guard code & 1 == 1 else { continue }
          let blocks = system.blocks[System.serviceNumber(code)] ?? []
          part.blocks += blocks.enumerated().map {
            .init(service: code, number: $0.offset, data: $0.element)
          }
        }
      }
      return part
    }
    image.feliCa = details
    return image
  }

  private static let largestSystemCount = 16
  private static let transitOfJapan: UInt16 = 0x0003

  init(_ image: TagImage) throws(VirtualTagNameError) {
    guard let uid = image.uid, uid.count == 8, let pmm = image.feliCa?.pmm, pmm.count == 8,
      let parts = image.feliCa?.systems, (1...Self.largestSystemCount).contains(parts.count)
    else { throw .notADump("it has no IDm, no PMm or no system, which every FeliCa card has") }
    let systems = parts.map { part in
      var system = System(code: part.code ?? Self.transitOfJapan, nodes: [], blocks: [:])
      system.nodes = part.areas.map { .area($0.code, last: $0.end ?? 0xFFFE) }
      for service in part.services {
        system.nodes.append(.service(service))
        let number = System.serviceNumber(service)
        if system.blocks[number] == nil { system.blocks[number] = [] }
      }
      for block in part.blocks.sorted(by: { $0.number < $1.number }) {
        let number = System.serviceNumber(block.service)
        var blocks = system.blocks[number] ?? []
        let zeros = [UInt8](repeating: 0, count: FeliCaBlockAccess.blockSize)
        while blocks.count <= block.number { blocks.append(zeros) }
        blocks[block.number] = block.data
        system.blocks[number] = blocks
      }
      return system
    }
    self.init(name: "felica", idm: uid, pmm: pmm, systems: systems)
  }
}
