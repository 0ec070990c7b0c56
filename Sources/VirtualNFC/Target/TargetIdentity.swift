/// The parameters of TgInitAsTarget: user manual UM0701-02, p. 151.
struct TargetIdentity: Hashable {
  var mode: UInt8
  /// In the order of transmission.
  var atqa: [UInt8]
  var uid: [UInt8]
  var sak: UInt8
  /// NFCID2t, PAD and system code.
  var feliCa: [UInt8]
  var historicalBytes: [UInt8]

  /// The first byte of the UID is the chip's.
  private static let firstByteOfUID: UInt8 = 0x08
  private static let (longestGeneralBytes, longestHistoricalBytes) = (47, 48)

  /// Parses the parameters; `nil` for a wrong length.
  init?(_ parameters: [UInt8]) {
    guard parameters.count >= 37 else { return nil }
    mode = parameters[0]
    atqa = Array(parameters[1..<3])
    uid = [Self.firstByteOfUID] + parameters[3..<6]
    sak = parameters[6]
    feliCa = Array(parameters[7..<25])
    let general = Int(parameters[35])
    let place = 36 + general
    guard general <= Self.longestGeneralBytes, parameters.count > place else { return nil }
    let count = Int(parameters[place])
    guard count <= Self.longestHistoricalBytes, parameters.count == place + 1 + count else {
      return nil
    }
    historicalBytes = Array(parameters[(place + 1)...])
  }

  /// TL, T0, TA1, TB1, TC1: frames of 64 bytes; 212 and 424 kbit/s; 155 ms and 1.2 ms; NAD and CID. Measured with a
  /// second reader (libnfc, `nfc-relay-picc.c`).
  var answerToSelect: [UInt8] {
    let interface: [UInt8] = [0x75, 0x33, 0x92, 0x03]
    return [UInt8(1 + interface.count + historicalBytes.count)] + interface + historicalBytes
  }
}
