import Foundation
import NFC

/// The methods of the session of iOS 11.
extension ISO15693TagObject {
  func sendCustomCommand(
    commandConfiguration: NFCISO15693CustomCommandConfiguration,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    let code = commandConfiguration.customCommandCode
    let manufacturer = commandConfiguration.manufacturerCode
    let parameters = Array(commandConfiguration.requestParameters)
    performLegacy(commandConfiguration, completionHandler) { [vicinity] repetition in
      guard let code = try? ISO15693Parameter.customCode(code),
        let manufacturer = try? ISO15693Parameter.byte(manufacturer)
      else { throw NFCReaderError(.tagCommandConfigurationErrorInvalidParameters) }
      let command = ISO15693Command.custom(
        code: code, manufacturer: manufacturer, parameters: parameters)
      return try await repetition.run { Data(try await vicinity.sendCommand(command).payload) }
    }
  }

  func readMultipleBlock(
    readConfiguration: NFCISO15693ReadMultipleBlocksConfiguration,
    completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void
  ) {
    let (range, chunkSize) = (readConfiguration.range, readConfiguration.chunkSize)
    performLegacy(readConfiguration, completionHandler) { [vicinity] repetition in
      guard let blocks = try? ISO15693Parameter.ordinary(range), chunkSize > 0 else {
        throw NFCReaderError(.tagCommandConfigurationErrorInvalidParameters)
      }
      var data = Data()
      var rest = blocks.numbers
      while !rest.isEmpty {
        let numbers = rest.prefix(chunkSize)
        rest = rest.dropFirst(chunkSize)
        let chunk = try ISO15693Parameter.ordinary(NSRange(numbers))
        let read = try await repetition.run {
          try await vicinity.sendCommand(.readMultipleBlocks(chunk))
        }
        data += try read.blocks(chunk.count, []).joined()
      }
      return data
    }
  }

  /// Runs a command on a tag of the legacy session. Programs do not connect to these tags, so this
  /// does.
  private func performLegacy(
    _ configuration: NFCTagCommandConfiguration,
    _ completionHandler: @escaping @Sendable (Data, (any Error)?) -> Void,
    _ operation: @escaping @Sendable (Repetition) async throws -> Data
  ) {
    let repetition = Result { try Repetition(configuration) }
    core.submit({ completionHandler((try? $0.get()) ?? Data(), $0.failure) }) { [self] in
      guard isLegacy else { throw NFCReaderError(.readerErrorUnsupportedFeature) }
      guard core.isReachable(self) else {
        throw NFCReaderError(.readerTransceiveErrorTagConnectionLost)
      }
      do {
        let repetition = try repetition.get()
        try await native.connect()
        return try await operation(repetition)
      } catch {
        throw core.noting(NFCReaderError(error), of: self)
      }
    }
  }

  /// How often an exchange is repeated, and after which time.
  private struct Repetition: Sendable {
    private static let allowedRetries = 0...256
    /// Longer than any session lasts, and short enough for every clock.
    private static let longestInterval: TimeInterval = 86_400

    private let maximumRetries: Int
    private let interval: Duration

    /// - Throws: `tagCommandConfigurationErrorInvalidParameters`.
    init(_ configuration: NFCTagCommandConfiguration) throws {
      guard Self.allowedRetries.contains(configuration.maximumRetries),
        configuration.retryInterval >= 0
      else { throw NFCReaderError(.tagCommandConfigurationErrorInvalidParameters) }
      maximumRetries = configuration.maximumRetries
      interval = .seconds(min(configuration.retryInterval, Self.longestInterval))
    }

    /// Runs an exchange, again if the tag has not answered or the answer was broken; a refusal is an
    /// answer.
    func run<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer {
      var left = maximumRetries
      while true {
        do {
          return try await body()
        } catch let error as NFCError where error.code == .tagResponseError && maximumRetries > 0 {
          guard left > 0 else {
            throw NFCReaderError(
              .readerTransceiveErrorRetryExceeded, userInfo: [NSUnderlyingErrorKey: error])
          }
          left -= 1
          try await Pause.sleep(interval)
        }
      }
    }
  }
}
