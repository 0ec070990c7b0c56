import SwiftNFCCore

/// A call of a reader's driver, as it is made.
enum DriverCall: Sendable {
  case resetField
  case list(TagTechnology)
  case find(TagTechnology, excluding: [Target])
  case select(Target)
  case isPresent(Target)
  case capabilities(Target)
  case exchange([UInt8], Framing, timeout: Duration)
  case authenticate(block: UInt8, MiFareClassicKeyType, key: [UInt8], uid: [UInt8])
  case random(Int)
  case broadcast(PollingFrame)

  /// The outcome of a call.
  enum Outcome: Hashable, Sendable {
    case done
    case targets([Target])
    case isPresent(Bool)
    case capabilities(ReaderCapabilities)
    case answer([UInt8])
    case failure(NFCError)
    /// It ended because the program, or the test, ended it.
    case cancelled
  }

  /// Makes the call again with another driver.
  func outcome(on driver: any ReaderDriver) -> Outcome {
    do {
      switch self {
      case .resetField: try driver.resetField()
      case .list(let technology): return .targets(try driver.list(technology))
      case .find(let technology, let found):
        return .targets(try driver.find(technology, excluding: found).map { [$0] } ?? [])
      case .select(let target): try driver.select(target)
      case .isPresent(let target): return .isPresent(try driver.isPresent(target))
      case .capabilities(let target): return .capabilities(driver.capabilities(for: target))
      case .exchange(let command, let framing, let timeout):
        return .answer(try driver.exchange(command, framing: framing, timeout: timeout))
      case .authenticate(let block, let type, let key, let uid):
        try driver.authenticate(block: block, keyType: type, key: key, uid: uid)
      case .random(let count):
        return .answer((driver as? any RandomNumberDriver)?.random(count) ?? [])
      case .broadcast(let frame): try driver.broadcast(frame)
      }
      return .done
    } catch let error as NFCError {
      return .failure(error)
    } catch {
      return .cancelled
    }
  }
}
