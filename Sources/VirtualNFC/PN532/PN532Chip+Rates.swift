import SwiftNFCCore

// InPSL, InATR and InJumpForDEP: user manual UM0701-02, 7.3.3, 7.3.6 and 7.3.7.
extension PN532Chip {
  /// PPSS and PPS0 of PPS (ISO/IEC 14443-4, 5.3): the first byte is for CID 0, and PPS0 announces PPS1.
  private static let parameterSelection: [UInt8] = [0xD0, 0x11]
  private static let fastestRate: UInt8 = 2

  /// Runs InPSL. The parameters are Tg and the rates to the target and from it: 0 to 2 for 106, 212 and
  /// 424 kbit/s.
  ///
  /// At 106 kbit/s nothing changes and nothing is sent: a reader program sends this command after each
  /// selection.
  mutating func selectRate(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count == 3, parameters[1] <= Self.fastestRate,
      parameters[2] <= Self.fastestRate
    else { return nil }
    guard let index = targets.firstIndex(where: { $0.number == parameters[0] }) else {
      return .status(.wrongContext)
    }
    let activation = activateAgain(index)
    guard activation == .success else { return .status(activation) }
    let rates = (toCard: parameters[1], toReader: parameters[2])
    guard targets[index].bitRate != 106 << Int(rates.toCard) else { return .status(.success) }
    guard case .typeA = targets[index].kind, targets[index].blocks != nil,
      rates.toCard == rates.toReader
    else { return .status(.operationNotAllowed) }
    let request = Self.parameterSelection + [rates.toReader << 2 | rates.toCard]
    var status = PN532Status.timeOut
    for _ in 0...radio.parameterRetries {
      switch exchange(request, modulation: .typeA) {
      case .payload(let answer) where answer == [Self.parameterSelection[0]]:
        targets[index].bitRate = 106 << Int(rates.toCard)
        return .status(.success)
      case .payload: status = .dataFormat
      case .failure(let failure): status = failure
      }
    }
    return .status(status)
  }

  /// Runs InATR. Without a target nothing can be requested, and none of the targets that are found
  /// supports ISO/IEC 18092.
  mutating func requestAttributes(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count >= 2 else { return nil }
    return targets.contains { $0.number == parameters[0] }
      ? .status(.timeOut) : .status(.wrongContext)
  }

  /// Runs InJumpForDEP. The field never contains a peer of ISO/IEC 18092. In active mode the chip repeats
  /// its request as often as MxRtyATR says, in passive mode always twice (7.3.1).
  mutating func jump(_ parameters: [UInt8]) -> Answer? {
    guard parameters.count >= 3, parameters[0] <= 1, parameters[1] <= Self.fastestRate else {
      return nil
    }
    forgetTargets()
    setCarrier(true)
    let isActive = parameters[0] == 1
    return isActive && radio.attributeRetries == RadioConfiguration.forEver
      ? .neverEnds : .status(.timeOut)
  }
}
