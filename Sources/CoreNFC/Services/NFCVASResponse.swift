import Foundation

/// The answer of a Wallet to one ``NFCVASCommandConfiguration``.
open class NFCVASResponse: NSObject, NSCopying {
  /// The status word of the answer.
  public enum ErrorCode: Int, Sendable {
    case success = 0x9000
    case dataNotFound = 0x6A83
    case dataNotActivated = 0x6287
    case wrongParameters = 0x6B00
    case wrongLCField = 0x6700
    case userIntervention = 0x6984
    case incorrectData = 0x6A80
    case unsupportedApplicationVersion = 0x6340
  }

  public let status: ErrorCode
  public let vasData: Data
  public let mobileToken: Data

  init(status: ErrorCode, vasData: Data, mobileToken: Data) {
    self.status = status
    self.vasData = vasData
    self.mobileToken = mobileToken
  }

  /// Itself: an answer does not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The names of iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCVASResponse.ErrorCode {
  public static var VASErrorCodeSuccess: Self { .success }
  public static var VASErrorCodeDataNotFound: Self { .dataNotFound }
  public static var VASErrorCodeDataNotActivated: Self { .dataNotActivated }
  public static var VASErrorCodeWrongParameters: Self { .wrongParameters }
  public static var VASErrorCodeWrongLCField: Self { .wrongLCField }
  public static var VASErrorCodeUserIntervention: Self { .userIntervention }
  public static var VASErrorCodeIncorrectData: Self { .incorrectData }
  public static var VASErrorCodeUnsupportedApplicationVersion: Self {
    .unsupportedApplicationVersion
  }
}

/// The name of iOS 13.
public typealias VASErrorCode = NFCVASResponse.ErrorCode
