import Foundation
import NFC

/// Converts a program's arguments into the form of the native commands, before anything is sent.
enum FeliCaParameter {
  private static let codeSize = 2
  private static let nodeCounts = 1...32
  private static let serviceCounts = 1...16
  /// The possible numbers of blocks, which fit into one byte.
  private static let blockCounts = 1...255

  static func systemCode(_ data: Data) throws -> UInt16 {
    let bytes = try bytes(data, count: codeSize)
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  static func nodeCodes(_ list: [Data]) throws -> [UInt16] { try codes(list, nodeCounts) }

  static func serviceCodes(_ list: [Data]) throws -> [UInt16] { try codes(list, serviceCounts) }

  /// - Throws: `readerErrorInvalidParameter` for an element with an invalid form for its size, or
  ///   whose service is not listed.
  static func blocks(_ list: [Data], services: Int) throws -> [FeliCaBlock] {
    guard blockCounts.contains(list.count) else { throw wrongLength }
    return try list.map { element in
      guard FeliCaBlock.encodedSizes.contains(element.count) else { throw wrongLength }
      guard let block = FeliCaBlock(encoded: Array(element)), Int(block.serviceIndex) < services
      else { throw NFCReaderError(.readerErrorInvalidParameter) }
      return block
    }
  }

  static func blockData(_ list: [Data], for blocks: [FeliCaBlock]) throws -> [[UInt8]] {
    guard list.count == blocks.count else { throw wrongLength }
    return try list.map { try bytes($0, count: FeliCaBlock.size) }
  }

  private static func codes(_ list: [Data], _ counts: ClosedRange<Int>) throws -> [UInt16] {
    guard counts.contains(list.count) else { throw wrongLength }
    return try list.map {
      let bytes = try bytes($0, count: codeSize)
      return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    }
  }

  private static func bytes(_ data: Data, count: Int) throws -> [UInt8] {
    guard data.count == count else { throw wrongLength }
    return Array(data)
  }

  private static var wrongLength: NFCReaderError {
    NFCReaderError(.readerErrorInvalidParameterLength)
  }
}

extension Data {
  /// Creates a FeliCa value with the least significant byte first; `FF FF` for a missing one.
  init(feliCa value: UInt16?) {
    let value = value ?? 0xFFFF
    self = Data(value.littleEndianBytes)
  }
}
