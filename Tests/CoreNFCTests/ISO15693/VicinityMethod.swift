import CoreNFC
import NFC

/// A method of ``NFCISO15693Tag`` in all its forms, the frame that it sends (`U` is the UID, least
/// significant byte first), an answer to it, and what that comes out as.
///
/// Frames by ISO/IEC 15693-3, 7.3 and 10.
struct VicinityMethod: Sendable {
  typealias Form = nonisolated(nonsending) @Sendable (any NFCISO15693Tag) async throws -> String

  let name: String
  let frame: String
  /// `nil` for a command that has none.
  let answer: String?
  let outcome: String
  let forms: [Form]

  init(
    _ name: String, _ frame: String, _ answer: String?, _ outcome: String = "", _ forms: Form...
  ) {
    self.name = name
    self.frame = frame
    self.answer = answer
    self.outcome = outcome
    self.forms = forms
  }
}

func text(_ data: Data) -> String { data.hexadecimal }
func text(_ blocks: [Data]) -> String { blocks.map(\.hexadecimal).joined(separator: " ") }
func text(_ answer: (NFCISO15693ResponseFlag, Data)) -> String {
  "\(answer.0.rawValue) \(answer.1.hexadecimal)"
}
func text(_ answer: (NFCISO15693ResponseFlag, Data?)) -> String {
  "\(answer.0.rawValue) \(answer.1.map(\.hexadecimal) ?? "nil")"
}
func text(_ status: [NSNumber]) -> String { "\(status.map(\.intValue))" }
func text(_ status: NFCISO15693MultipleBlockSecurityStatus) -> String {
  "\(status.blockSecurityStatus)"
}
func text(_ info: NFCISO15693SystemInfo) -> String {
  "\(info.uniqueIdentifier.hexadecimal) \(info.dataStorageFormatIdentifier) "
    + "\(info.applicationFamilyIdentifier) \(info.blockSize) \(info.totalBlocks) "
    + "\(info.icReference)"
}

private let two = NSRange(location: 5, length: 2)
private let far = NSRange(location: 256, length: 2)
private let block = Data([0xAA, 0xBB, 0xCC, 0xDD])
private let blocks = [Data([1, 2, 3, 4]), Data([5, 6, 7, 8])]
private let message = Data([0xAA, 0xBB])

extension VicinityMethod {
  static let all = states + single + several + identifiers + extended + cryptography + makers

  static let states = [
    VicinityMethod("stayQuiet", "2202 U ", nil, "") { tag in
      try await handled { tag.stayQuiet(completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.stayQuiet()
      return ""
    },
    VicinityMethod("select", "2225 U ", "00", "") { tag in
      try await handled { tag.select(requestFlags: .select, completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.select(requestFlags: .highDataRate)
      return ""
    },
    VicinityMethod("resetToReady", "2226 U ", "00", "") { tag in
      try await handled { tag.resetToReady(requestFlags: [], completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.resetToReady(requestFlags: .address)
      return ""
    },
  ]

  static let single = [
    VicinityMethod("readSingleBlock", "2220 U 05", "0011223344", "11223344") { tag in
      text(
        try await handled {
          tag.readSingleBlock(requestFlags: [], blockNumber: 5, completionHandler: $0)
        })
    } _: { tag in
      text(try await tag.readSingleBlock(requestFlags: [.highDataRate, .address], blockNumber: 5))
    } _: { tag in
      text(
        try await handled {
          tag.readSingleBlock(requestFlags: .address, blockNumber: 5, resultHandler: $0)
        })
    },
    VicinityMethod("readSingleBlock, option", "6220 U 05", "000111223344", "0111223344") { tag in
      text(try await tag.readSingleBlock(requestFlags: .option, blockNumber: 5))
    },
    VicinityMethod("readSingleBlock, selected", "122005", "0011223344", "11223344") { tag in
      text(try await tag.readSingleBlock(requestFlags: [.select, .address], blockNumber: 5))
    },
    VicinityMethod("writeSingleBlock", "2221 U 05AABBCCDD", "00", "") { tag in
      try await handled {
        tag.writeSingleBlock(
          requestFlags: [], blockNumber: 5, dataBlock: block, completionHandler: $0)
      }
      return ""
    } _: { tag in
      // A part of something larger: its indices do not begin at 0.
      let part = (Data([0xFF]) + block).dropFirst()
      try await tag.writeSingleBlock(requestFlags: [], blockNumber: 5, dataBlock: part)
      return ""
    },
    VicinityMethod("lockBlock", "2222 U 05", "00", "") { tag in
      try await handled { tag.lockBlock(requestFlags: [], blockNumber: 5, completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.lockBlock(requestFlags: [], blockNumber: 5)
      return ""
    },
  ]

  static let several = [
    VicinityMethod("readMultipleBlocks", "2223 U 0501", "000102030405060708", "01020304 05060708") {
      tag in
      text(
        try await handled {
          tag.readMultipleBlocks(requestFlags: [], blockRange: two, completionHandler: $0)
        })
    } _: { tag in
      text(try await tag.readMultipleBlocks(requestFlags: [], blockRange: two))
    } _: { tag in
      text(
        try await handled {
          tag.readMultipleBlocks(requestFlags: [], blockRange: two, resultHandler: $0)
        })
    },
    VicinityMethod(
      "readMultipleBlocks, option", "6223 U 0501", "0000010203040105060708", "0001020304 0105060708"
    ) { tag in
      text(try await tag.readMultipleBlocks(requestFlags: .option, blockRange: two))
    },
    VicinityMethod("fastReadMultipleBlocks", "222D U 0501", "0001020304", "0102 0304") { tag in
      text(try await tag.fastReadMultipleBlocks(requestFlags: [], blockRange: two))
    } _: { tag in
      text(
        try await handled {
          tag.fastReadMultipleBlocks(requestFlags: [], blockRange: two, resultHandler: $0)
        })
    },
    VicinityMethod("writeMultipleBlocks", "2224 U 05010102030405060708", "00", "") { tag in
      try await handled {
        tag.writeMultipleBlocks(
          requestFlags: [], blockRange: two, dataBlocks: blocks, completionHandler: $0)
      }
      return ""
    } _: { tag in
      try await tag.writeMultipleBlocks(requestFlags: [], blockRange: two, dataBlocks: blocks)
      return ""
    },
    VicinityMethod("getMultipleBlockSecurityStatus", "222C U 0501", "000100", "[1, 0]") { tag in
      text(try await tag.getMultipleBlockSecurityStatus(requestFlags: [], blockRange: two))
    } _: { tag in
      text(
        try await handled {
          tag.getMultipleBlockSecurityStatus(
            requestFlags: [], blockRange: two, completionHandler: $0)
        })
    },
  ]

  static let identifiers = [
    VicinityMethod("writeAFI", "2227 U 42", "00", "") { tag in
      try await handled { tag.writeAFI(requestFlags: [], afi: 0x42, completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.writeAFI(requestFlags: [], afi: 0x42)
      return ""
    },
    VicinityMethod("lockAFI", "2228 U ", "00", "") { tag in
      try await handled { tag.lockAFI(requestFlags: [], completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.lockAFI(requestFlags: [])
      return ""
    },
    VicinityMethod("writeDSFID", "2229 U 07", "00", "") { tag in
      try await handled { tag.writeDSFID(requestFlags: [], dsfid: 7, completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.writeDSFID(requestFlags: [], dsfid: 7)
      return ""
    },
    VicinityMethod("lockDSFID", "222A U ", "00", "") { tag in
      try await handled { tag.lockDSFID(requestFlags: [], completionHandler: $0) }
      return ""
    } _: { tag in
      try await handled { tag.lockDFSID(requestFlags: [], completionHandler: $0) }
      return ""
    } _: { tag in
      try await tag.lockDSFID(requestFlags: [])
      return ""
    },
    VicinityMethod(
      "getSystemInfo", "222B U ", "000F06050403020167E001024F0307",
      "06050403020167E0 1 2 4 80 7"
    ) { tag in
      try await systemInfo(tag)
    } _: { tag in
      text(try await tag.systemInfo(requestFlags: []))
    } _: { tag in
      text(try await handled { tag.getSystemInfo(requestFlags: [], resultHandler: $0) })
    },
    VicinityMethod(
      "getSystemInfo, nothing reported", "222B U ", "000006050403020167E0",
      "06050403020167E0 -1 -1 -1 -1 -1"
    ) { tag in
      try await systemInfo(tag)
    } _: { tag in
      text(try await tag.systemInfo(requestFlags: []))
    },
  ]

  /// The form with five numbers, which does not report the UID.
  private nonisolated(nonsending) static func systemInfo(_ tag: any NFCISO15693Tag) async throws
    -> String
  {
    let numbers: [Int] = try await handled { handler in
      tag.getSystemInfo(requestFlags: []) { dsfid, afi, size, count, reference, error in
        handler([dsfid, afi, size, count, reference], error)
      }
    }
    return (["06050403020167E0"] + numbers.map { "\($0)" }).joined(separator: " ")
  }

  static let extended = [
    VicinityMethod("extendedReadSingleBlock", "2230 U 0001", "0011223344", "11223344") { tag in
      text(
        try await handled {
          tag.extendedReadSingleBlock(requestFlags: [], blockNumber: 256, completionHandler: $0)
        })
    } _: { tag in
      text(try await tag.extendedReadSingleBlock(requestFlags: [], blockNumber: 256))
    } _: { tag in
      text(
        try await handled {
          tag.extendedReadSingleBlock(requestFlags: [], blockNumber: 256, resultHandler: $0)
        })
    },
    VicinityMethod("extendedWriteSingleBlock", "2231 U FFFFAABBCCDD", "00", "") { tag in
      try await handled {
        tag.extendedWriteSingleBlock(
          requestFlags: [], blockNumber: 65535, dataBlock: block, completionHandler: $0)
      }
      return ""
    } _: { tag in
      try await tag.extendedWriteSingleBlock(
        requestFlags: [], blockNumber: 65535, dataBlock: block)
      return ""
    },
    VicinityMethod("extendedLockBlock", "2232 U 0001", "00", "") { tag in
      try await handled {
        tag.extendedLockBlock(requestFlags: [], blockNumber: 256, completionHandler: $0)
      }
      return ""
    } _: { tag in
      try await tag.extendedLockBlock(requestFlags: [], blockNumber: 256)
      return ""
    },
    VicinityMethod(
      "extendedReadMultipleBlocks", "2233 U 00010100", "000102030405060708", "01020304 05060708"
    ) { tag in
      text(
        try await handled {
          tag.extendedReadMultipleBlocks(requestFlags: [], blockRange: far, completionHandler: $0)
        })
    } _: { tag in
      text(try await tag.extendedReadMultipleBlocks(requestFlags: [], blockRange: far))
    },
    VicinityMethod(
      "extendedFastReadMultipleBlocks", "223D U 00010100", "0001020304", "0102 0304"
    ) { tag in
      text(try await tag.extendedFastReadMultipleBlocks(requestFlags: [], blockRange: far))
    } _: { tag in
      text(
        try await handled {
          tag.extendedFastReadMultipleBlocks(requestFlags: [], blockRange: far, resultHandler: $0)
        })
    },
    VicinityMethod(
      "extendedWriteMultipleBlocks", "2234 U 000101000102030405060708", "00", ""
    ) { tag in
      try await handled {
        tag.extendedWriteMultipleBlocks(
          requestFlags: [], blockRange: far, dataBlocks: blocks, completionHandler: $0)
      }
      return ""
    } _: { tag in
      try await tag.extendedWriteMultipleBlocks(
        requestFlags: [], blockRange: far, dataBlocks: blocks)
      return ""
    },
    VicinityMethod(
      "extendedGetMultipleBlockSecurityStatus", "223C U 00010100", "000001", "[0, 1]"
    ) { tag in
      text(try await tag.extendedGetMultipleBlockSecurityStatus(requestFlags: [], blockRange: far))
    } _: { tag in
      text(
        try await handled {
          tag.extendedGetMultipleBlockSecurityStatus(
            requestFlags: [], blockRange: far, resultHandler: $0)
        })
    },
  ]

  static let cryptography = [
    VicinityMethod("authenticate", "2235 U 10AABB", "04CCDD", "4 CCDD") { tag in
      text(
        try await tag.authenticate(requestFlags: [], cryptoSuiteIdentifier: 0x10, message: message))
    } _: { tag in
      text(
        try await handled {
          tag.authenticate(
            requestFlags: [], cryptoSuiteIdentifier: 0x10, message: message, resultHandler: $0)
        })
    },
    VicinityMethod("keyUpdate", "2236 U 03AABB", "04", "4 ") { tag in
      text(try await tag.keyUpdate(requestFlags: [], keyIdentifier: 3, message: message))
    } _: { tag in
      text(
        try await handled {
          tag.keyUpdate(requestFlags: [], keyIdentifier: 3, message: message, resultHandler: $0)
        })
    },
    VicinityMethod("challenge", "2239 U 10AABB", nil, "") { tag in
      try await tag.challenge(requestFlags: [], cryptoSuiteIdentifier: 0x10, message: message)
      return ""
    } _: { tag in
      try await handled {
        tag.challenge(
          requestFlags: [], cryptoSuiteIdentifier: 0x10, message: message, completionHandler: $0)
      }
      return ""
    },
    VicinityMethod("readBuffer", "223A U ", "02CCDD", "2 CCDD") { tag in
      text(try await tag.readBuffer(requestFlags: []))
    } _: { tag in
      text(try await handled { tag.readBuffer(requestFlags: [], resultHandler: $0) })
    },
  ]

  static let makers = [
    VicinityMethod("customCommand", "22A067 U AABB", "00CCDD", "CCDD") { tag in
      text(
        try await handled {
          tag.customCommand(
            requestFlags: [], customCommandCode: 0xA0, customRequestParameters: message,
            completionHandler: $0)
        })
    } _: { tag in
      text(
        try await tag.customCommand(
          requestFlags: [], customCommandCode: 0xA0, customRequestParameters: message))
    } _: { tag in
      text(
        try await handled {
          tag.customCommand(
            requestFlags: [], customCommandCode: 0xA0, customRequestParameters: message,
            resultHandler: $0)
        })
    },
    VicinityMethod("sendRequest", "01E0AABB", "20CCDD", "32 CCDD") { tag in
      text(try await tag.sendRequest(requestFlags: 1, commandCode: 0xE0, data: message))
    } _: { tag in
      text(
        try await handled {
          tag.sendRequest(requestFlags: 1, commandCode: 0xE0, data: message, resultHandler: $0)
        })
    },
    VicinityMethod("sendRequest, no data", "02E0", "00", "0 nil") { tag in
      text(try await tag.sendRequest(requestFlags: 2, commandCode: 0xE0, data: nil))
    },
  ]
}
