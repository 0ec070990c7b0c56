import NFCCore

/// How a PC/SC reader takes commands for an ISO/IEC 15693 tag, best first.
public enum PCSCDialect: Hashable, Sendable, CaseIterable {
  /// Frames as they are: a transparent session of PC/SC part 3, supplement 2.02 (ACS ACR1552U).
  case transparentSession
  /// `FF FB 00 00`, command code and parameters (ACS ACR1552U, reference manual, 5.3.4.2).
  case acsPassThrough
  /// `FF FC 00 00`, command code and parameters (Identiv uTrust 3720F, reference manual, 6.3.7).
  case identivPassThrough
  /// `FF F6`, command code, parameters (SpringCard PMD2271).
  case springCardPassThrough
  /// Read and update binary of PC/SC part 3, block number in P1 and P2: no locks, no custom
  /// commands, no flags.
  case storageCard

  // MARK: Requests

  private static let readBinary: [UInt8] = [0xFF, 0xB0]
  private static let updateBinary: [UInt8] = [0xFF, 0xD6]

  /// The APDU for a request, which loses its flags and UID; `nil` if the dialect has none.
  ///
  /// - Parameter request: a frame as it would go over the air, without check.
  func command(for request: [UInt8]) -> [UInt8]? {
    guard let parts = RequestParts(request) else { return nil }
    let body = [parts.code] + parts.parameters
    let count = UInt8(exactly: body.count)
    switch self {
    case .transparentSession: return nil
    case .acsPassThrough:
      guard let count, !parts.hasOption else { return nil }
      return [0xFF, 0xFB, 0x00, 0x00, count] + body
    case .identivPassThrough:
      guard let count, !parts.hasOption else { return nil }
      return [0xFF, 0xFC, 0x00, 0x00, count] + body + [0x00]
    case .springCardPassThrough:
      guard let count = UInt8(exactly: parts.parameters.count), !parts.hasOption else { return nil }
      return [0xFF, 0xF6, parts.code, 0x00, count] + parts.parameters + [0x00]
    case .storageCard:
      guard !parts.hasOption, let block = parts.parameters.first else { return nil }
      switch parts.code {
      case ISO15693CommandCode.readSingleBlock where parts.parameters.count == 1:
        return Self.readBinary + [0x00, block, 0x00]
      case ISO15693CommandCode.writeSingleBlock:
        let data = parts.parameters.dropFirst()
        return Self.updateBinary + [0x00, block, UInt8(truncatingIfNeeded: data.count)] + data
      default: return nil
      }
    }
  }

  /// The parts of a request that a reader does not put itself.
  private struct RequestParts {
    let code: UInt8
    let parameters: [UInt8]
    let hasOption: Bool

    init?(_ request: [UInt8]) {
      guard request.count >= 2 else { return nil }
      let flags = ISO15693RequestFlags(rawValue: request[0])
      guard !flags.contains(.inventory), !flags.contains(.protocolExtension) else { return nil }
      let isCustom = ISO15693CommandCode.custom.contains(request[1])
      // The maker's code of a custom command stands before the UID.
      let maker = isCustom ? Array(request.dropFirst(2).prefix(1)) : []
      let uidLength = flags.contains(.address) ? 8 : 0
      code = request[1]
      parameters = maker + Array(request.dropFirst(2 + maker.count + uidLength))
      hasOption = flags.contains(.option)
    }
  }

  // MARK: Answers

  private static let statusDone: UInt16 = 0x9000

  /// What a status word says of the tag. Readers lose the tag's error code on the way, so this is
  /// as close as can be: PC/SC part 3, 3.2.2.1, and ISO/IEC 7816-4, 5.6.
  static func outcome(_ answer: [UInt8]) -> TransparentSession.Outcome {
    guard answer.count >= 2 else { return .malformed }
    let data = Array(answer.dropLast(2))
    let word = UInt16(answer[answer.count - 2]) << 8 | UInt16(answer[answer.count - 1])
    switch word {
    case statusDone: return .answer([0x00] + data)
    case 0x6400, 0x6401: return .noAnswer
    case 0x6A82: return refusal(.blockNotAvailable)
    case 0x6982, 0x6986: return refusal(.locked)
    case 0x6A81, 0x6D00: return refusal(.commandNotSupported)
    case 0x6300: return refusal(.unknown)
    default: return .refused(word)
    }
  }

  private static func refusal(_ code: ISO15693ErrorCode) -> TransparentSession.Outcome {
    .answer(ISO15693Response(code).encoded)
  }
}
