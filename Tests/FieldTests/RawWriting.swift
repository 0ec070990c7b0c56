import NFC

@testable import SwiftNFCCore

/// Tries to write all of a tag's memory that holds a message or leads to one, by commands of the tag's own.
struct RawWriting {
  private let bench: FieldBench
  private let firstPage: Int

  /// - Parameter firstPage: of an Ultralight or NTAG; page 3 holds the container.
  init(_ bench: FieldBench, firstPage: Int = 4) {
    self.bench = bench
    self.firstPage = firstPage
  }

  func tryEverything() async throws {
    switch try await bench.found() {
    case .miFare(let tag):
      if let commands = tag.ultralight { return await write(commands) }
      if let commands = tag.classic { return await write(commands, tag.sak) }
      try await writeFile { try await tag.sendCommand($0) }
    case .iso7816(let tag): try await writeFile { try await tag.sendCommand($0) }
    case .iso15693(let tag): await write(tag)
    case .feliCa(let tag):
      for block in 0..<14 {
        try? await tag.writeBlocks(
          service: 0x0009, at: block, [UInt8](repeating: 0x5A, count: 16))
      }
    case .other(let tag):
      for address in 8..<104 { _ = try? await tag.transceive([0x53, UInt8(address), 0x5A]) }
      guard bench.tag.memory.count > 120 else { return }
      for block in 16..<64 {
        _ = try? await tag.transceive([0x54, UInt8(block)] + [UInt8](repeating: 0x5A, count: 8))
      }
    }
  }

  /// The data that the container names.
  private func write(_ commands: UltralightCommands) async {
    let end = min(4 + Int(bench.tag.memory[14]) * 2, 256)
    for page in firstPage..<end {
      try? await commands.writePage(page, [0x5A, 0xA5, 0x5A, 0xA5])
    }
  }

  private func write(_ commands: MiFareClassicCommands, _ sak: UInt8) async {
    guard let geometry = MiFareClassicGeometry(sak: sak) else { return }
    for sector in geometry.sectors.dropFirst() where isForNFC(sector) {
      for block in geometry.blocks(ofSector: sector) {
        for (type, key) in [
          (MiFareClassicKeyType.a, MiFareClassicKey.ndef), (.b, MiFareClassicKey.factory),
        ] {
          guard
            (try? await commands.authenticate(block: block, with: key, as: type)) != nil
          else { continue }
          try? await commands.writeBlock(block, [UInt8](repeating: 0x5A, count: 16))
        }
      }
    }
  }

  /// By the application directory, in blocks 1 and 2, and 64 to 66 of a larger card (AN10787).
  private func isForNFC(_ sector: Int) -> Bool {
    let place = sector < 16 ? 16 + 2 * sector : 1024 + 2 * (sector - 16)
    return sector != 16 && Array(bench.tag.memory[place..<place + 2]) == [0x03, 0xE1]
  }

  private func write(_ tag: any ISO15693Tag) async {
    guard let size = try? await tag.systemInformation().blockSize else { return }
    // The block that counts on an ICODE SLIX2 has a command of its own.
    let count = bench.tag.name == "icode-slix2" ? 79 : bench.tag.memory.count / size
    let container = bench.tag.memory
    let end = min(count, (4 + Int(container[2]) * 8) / size)
    for block in 0..<end {
      try? await tag.writeBlocks(at: block, [UInt8](repeating: 0x5A, count: size))
    }
  }

  private func writeFile(_ send: (APDU) async throws -> ResponseAPDU) async throws {
    _ = try await send(.select(aid: .ndef))
    for file in [Type4CapabilityContainer.fileIdentifier, 0xE104] {
      _ = try await send(Type4Command.selectFile(file, isVersion1: false))
      _ = try await send(Type4Command.updateBinary(offset: 0, data: [0x5A, 0x5A]))
    }
  }
}
