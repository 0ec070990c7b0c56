/// The commands of a PN532: user manual UM0701-02, 7.1.
enum PN532Command: UInt8 {
  case diagnose = 0x00
  case getFirmwareVersion = 0x02
  case getGeneralStatus = 0x04
  case readRegister = 0x06
  case writeRegister = 0x08
  case readGPIO = 0x0C
  case writeGPIO = 0x0E
  case setSerialBaudRate = 0x10
  case setParameters = 0x12
  case samConfiguration = 0x14
  case powerDown = 0x16
  /// Only an RC-S956 has it.
  case resetMode = 0x18
  case rfConfiguration = 0x32
  case inDataExchange = 0x40
  case inCommunicateThru = 0x42
  case inDeselect = 0x44
  case inJumpForPSL = 0x46
  case inListPassiveTarget = 0x4A
  case inPSL = 0x4E
  case inATR = 0x50
  case inRelease = 0x52
  case inSelect = 0x54
  case inJumpForDEP = 0x56
  case rfRegulationTest = 0x58
  case inAutoPoll = 0x60
  case tgGetData = 0x86
  case tgGetInitiatorCommand = 0x88
  case tgGetTargetStatus = 0x8A
  case tgInitAsTarget = 0x8C
  case tgSetData = 0x8E
  case tgResponseToInitiator = 0x90
  case tgSetGeneralBytes = 0x92
  case tgSetMetaData = 0x94

  /// Whether the command uses the antenna. The chip uses it only after SAMConfiguration has ended LowVbat
  /// mode (AN10609_3, appendix on C106). What it does before that is not published.
  var needsRadio: Bool {
    switch self {
    case .inDataExchange, .inCommunicateThru, .inDeselect, .inJumpForPSL, .inListPassiveTarget,
      .inPSL,
      .inATR, .inSelect, .inJumpForDEP, .rfRegulationTest, .inAutoPoll, .tgInitAsTarget:
      true
    default: false
    }
  }

  /// Whether the answer begins with a status byte, which reports the result of an exchange over the air.
  var answersWithStatus: Bool {
    switch self {
    case .inDataExchange, .inCommunicateThru, .inDeselect, .inRelease, .inSelect, .inPSL, .inATR,
      .inJumpForDEP, .inJumpForPSL:
      true
    default: false
    }
  }
}

/// The error codes of a status byte: user manual UM0701-02, 7.1, table 15.
enum PN532Status: UInt8 {
  case success = 0x00
  case timeOut = 0x01
  case crcError = 0x02
  case parityError = 0x03
  case bitCountError = 0x04
  case mifareFraming = 0x05
  case bitCollision = 0x06
  case bufferTooSmall = 0x07
  case rfProtocolError = 0x0B
  case overheated = 0x0D
  case internalBufferOverflow = 0x0E
  case invalidParameter = 0x10
  case dataFormat = 0x13
  case mifareAuthentication = 0x14
  case uidCheckByte = 0x23
  case invalidDeviceState = 0x25
  case operationNotAllowed = 0x26
  case wrongContext = 0x27
  case cardExchanged = 0x2A
  case cardDisappeared = 0x2B
  case overCurrent = 0x2D

  /// A status that ends a command of several steps.
  struct Failure: Error {
    let status: PN532Status
  }

  /// The bit of a status byte that indicates that the chip holds more of the answer.
  static let moreInformation: UInt8 = 0x40
  /// The mask for the error code in a status byte.
  static let mask: UInt8 = 0x3F
}
