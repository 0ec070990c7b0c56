import Foundation

/// The answer of a Wallet to one ``NFCVASCommandConfiguration``.
open class NFCVASResponse: NSObject, NSCopying {
  /// The status word of the answer.
  public enum ErrorCode: Int, Sendable {
    /// `9000`: the answer has data.
    case success = 0x9000
    /// `6A83`: the Wallet has no such pass.
    case dataNotFound = 0x6A83
    /// `6287`: the pass is not activated.
    case dataNotActivated = 0x6287
    /// `6B00`: P1 or P2 of the command is wrong.
    case wrongParameters = 0x6B00
    /// `6700`: the length of the command is wrong.
    case wrongLCField = 0x6700
    /// `6984`: the user has to act first.
    case userIntervention = 0x6984
    /// `6A80`: the data of the command is wrong.
    case incorrectData = 0x6A80
    /// `6340`: the version of the application is not supported.
    case unsupportedApplicationVersion = 0x6340
  }

  /// The status of the answer.
  public let status: ErrorCode
  /// The data of the pass, encrypted for its issuer: the value of the tag 9F27. `VASMessage` of the product `PassMessage`
  /// decrypts it with the issuer's private key.
  public let vasData: Data
  /// The mobile token: the value of the tag 9F2A, which may be empty.
  public let mobileToken: Data

  init(status: ErrorCode, vasData: Data, mobileToken: Data) {
    self.status = status
    self.vasData = vasData
    self.mobileToken = mobileToken
  }

  convenience init(_ answer: PassSessionReading.Answer) {
    self.init(
      status: answer.status, vasData: Data(answer.cryptogram), mobileToken: Data(answer.token))
  }

  /// Itself: an answer does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCVASResponse.ErrorCode {
  /// ``success``
  public static var VASErrorCodeSuccess: Self { .success }
  /// ``dataNotFound``
  public static var VASErrorCodeDataNotFound: Self { .dataNotFound }
  /// ``dataNotActivated``
  public static var VASErrorCodeDataNotActivated: Self { .dataNotActivated }
  /// ``wrongParameters``
  public static var VASErrorCodeWrongParameters: Self { .wrongParameters }
  /// ``wrongLCField``
  public static var VASErrorCodeWrongLCField: Self { .wrongLCField }
  /// ``userIntervention``
  public static var VASErrorCodeUserIntervention: Self { .userIntervention }
  /// ``incorrectData``
  public static var VASErrorCodeIncorrectData: Self { .incorrectData }
  /// ``unsupportedApplicationVersion``
  public static var VASErrorCodeUnsupportedApplicationVersion: Self {
    .unsupportedApplicationVersion
  }
}

/// The name of iOS 13.
public typealias VASErrorCode = NFCVASResponse.ErrorCode
