/// The domain of ``NFCReaderError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NFCErrorDomain = "NFCError"

/// The key under which ``NFCReaderError/userInfo`` has a vicinity tag's error code (ISO/IEC 15693-3,
/// 7.4.2) as a number.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NFCISO15693TagResponseErrorKey = "ISO15693TagResponseErrorCode"

/// Contained in ``NFCReaderError/userInfo`` if the tag's answer had an impossible length. Apple's
/// text for the key is not known.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NFCTagResponseUnexpectedLengthErrorKey = "NFCTagResponseUnexpectedLengthErrorKey"
