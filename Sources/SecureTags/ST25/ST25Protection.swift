import SwiftNFCCore

/// The desired protection of the memory of an ST25DV or ST25TV. No description shows the password.
public struct ST25Protection: Sendable {
  /// The new password, of the memory and of the configuration. If the configuration kept the
  /// factory's password, anyone could remove the protection.
  ///
  /// 8 bytes; 4 if only the second area of an ST25TV is protected. The configuration of an ST25TV
  /// gets the first 4.
  public var password: SecretKey
  /// The first block that requires the password: the beginning of an area, or a multiple of 8 on an
  /// ST25DV whose memory is one area. On an ST25TV 0, or the middle of its memory. On an ST25TV512C
  /// or 02KC 0, the beginning of its second area, or any block if its memory is one area.
  public var firstBlock: Int
  /// Whether reading requires the password as well as writing. The first area of an ST25DV can
  /// always be read, and so can block 0 of an ST25TV512C or 02KC.
  public var protectsReading: Bool

  /// Creates a protection. By default it covers the whole memory and protects only writing.
  public init(password: SecretKey, firstBlock: Int = 0, protectsReading: Bool = false) {
    self.password = password
    self.firstBlock = firstBlock
    self.protectsReading = protectsReading
  }

  var access: ST25Access { protectsReading ? .bothPasswords : .writePassword }
}

/// The steps that protect an ST25DV or ST25TV.
///
/// A tag that is removed early is never left closed by an unknown password: first its areas are
/// opened, then a password changes and the tag has to accept the new one, and only then is anything
/// closed. A configuration that is locked is refused before any password changes: each register that
/// is to change is written before, if only with the value that it has.
struct ST25ProtectionPlan: Sendable {
  /// The proofs of the current passwords, before anything is changed.
  let proofs: [PlannedStep<ST25Change>]
  /// The steps after them, in the order in which they are performed.
  let planned: [PlannedStep<ST25Change>]
  let effects: Set<IrreversibleEffect>
  /// The areas after the plan has been carried out.
  let areasAfter: [ST25Area]

  let before: ST25Configuration
  let protection: ST25Protection?

  /// - Parameter protection: `nil` removes the protection and leaves the passwords and the division
  ///   unchanged.
  init(_ protection: ST25Protection?, before: ST25Configuration) throws {
    self.before = before
    self.protection = protection
    let chip = before.chip
    var opened = before
    var after: ST25Configuration
    if let protection {
      try Self.check(protection, before)
      after = before
      if chip.hasJoinedPassword, protection.firstBlock == 0 {
        after.join()
      } else if !before.areas.contains(where: { $0.blocks.lowerBound == protection.firstBlock }) {
        after.divide(at: protection.firstBlock)
      }
      opened = after
      for (index, area) in after.areas.enumerated()
      where area.blocks.lowerBound >= protection.firstBlock {
        after.setAccess(protection.access, index)
        opened.setAccess(.open, index)
      }
    } else {
      after = before
      for index in before.areas.indices { after.setAccess(.open, index) }
    }
    areasAfter = after.areas
    guard protection != nil || after != before else {
      proofs = []
      planned = []
      effects = []
      return
    }
    /// Writes of registers that do not change yet, and will.
    func trials(_ from: ST25Configuration, _ to: ST25Configuration) -> [PlannedStep<ST25Change>] {
      from.changes(to: to).filter { before[$0.register] == $0.before }.map {
        Self.write($0.register.address, $0.before, $0.before)
      }
    }
    let number = chip.configurationPassword
    let configuration = Self.authenticate(number)
    guard protection != nil else {
      proofs = [configuration]
      planned = Self.writes(before, after)
      effects = []
      return
    }
    let area = Self.areaPassword(opened)
    proofs = [Self.authenticate(Self.areaPassword(before)), configuration]
    planned =
      Self.writes(before, opened) + trials(opened, after)
      + [Self.authenticate(area), Self.writePassword(area), configuration]
      + [Self.writePassword(number)] + Self.writes(opened, after)
    effects = [.forgetsPassword]
  }

  /// The steps as people see them.
  var steps: [ChangePlan.Step] { (proofs + planned).map(\.step) }

  // MARK: Steps

  /// PRESENT PASSWORD with the current password, by its number.
  private static func authenticate(_ number: UInt8) -> PlannedStep<ST25Change> {
    PlannedStep(
      .secret(nil, "the tag receives its current password \(number)"),
      marking: { change, _ in
        try ST25Tag.presentOne(
          of: change.secrets.candidates(number), number, change.secrets.chip, change.commands)
      })
  }

  /// WRITE PASSWORD, and PRESENT PASSWORD with the new one.
  private static func writePassword(_ number: UInt8) -> PlannedStep<ST25Change> {
    PlannedStep(
      .secret(nil, "the new password \(number)"),
      marking: { change, hasChanged in
        guard let new = change.secrets.new(number) else { return }
        let chip = change.secrets.chip
        try ST25Tag.write(new, number, chip, change.commands, &hasChanged)
        try ST25Tag.present(new, number, chip, change.commands)
      })
  }

  private static func writes(
    _ from: ST25Configuration, _ to: ST25Configuration
  ) -> [PlannedStep<ST25Change>] {
    from.changes(to: to).map { write($0.register.address, $0.before, $0.after) }
  }

  /// WRITE CONFIGURATION. Where `before` is `after`, it shows whether the register can be changed. The register is
  /// its pointer, or on an ST25TV512C or 02KC its feature and its parameter.
  private static func write(
    _ register: [UInt8], _ before: UInt8, _ after: UInt8
  ) -> PlannedStep<ST25Change> {
    let place = ChangePlan.Place(.register, register.hexadecimal)
    let step =
      before == after
      ? ChangePlan.Step(
        place, "written as it is, which shows whether it can change", after: .bytes([after]))
      : .write(place, [before], [after])
    return PlannedStep(
      step,
      marking: { change, hasChanged in
        do {
          _ = try change.commands.send(ST25Chip.Code.writeConfiguration, register + [after])
        } catch let error as NFCError where error.group == .refusal && !hasChanged {
          throw NFCError(
            .readOnly, "the configuration of this tag cannot be changed: it may be locked",
            cause: error.cause)
        }
        hasChanged = hasChanged || before != after
      })
  }

  /// Returns the number of the password that opens the protected areas.
  static func areaPassword(_ configuration: ST25Configuration) -> UInt8 {
    configuration.chip.hasJoinedPassword && !configuration.isSingle
      ? ST25Chip.secondAreaPassword : ST25Chip.areaPassword
  }

  private static func check(_ protection: ST25Protection, _ before: ST25Configuration) throws {
    let first = protection.firstBlock
    func refusal(_ reason: String) -> NFCError {
      NFCError(.invalidParameter, reason, place: .block(first))
    }
    guard before.chip != .dv || first > 0 || !protection.protectsReading else {
      throw refusal("the first area of an ST25DV can always be read")
    }
    guard let unit = before.unit else {
      guard [0, before.blockCount / 2].contains(first) else {
        throw refusal("an area of this tag begins at block 0 or \(before.blockCount / 2)")
      }
      return try checkPassword(protection, before)
    }
    let starts = before.areas.map(\.blocks.lowerBound)
    guard (0..<before.blockCount).contains(first) else {
      throw refusal("this tag has blocks 0 to \(before.blockCount - 1)")
    }
    guard starts.contains(first) || starts == [0] && first.isMultiple(of: unit) else {
      throw refusal(
        starts == [0]
          ? "an area of an ST25DV begins at a multiple of \(unit)"
          : "the memory is divided already, at blocks "
            + starts.dropFirst().map(String.init).joined(separator: ", "))
    }
    try checkPassword(protection, before)
  }

  private static func checkPassword(
    _ protection: ST25Protection, _ before: ST25Configuration
  ) throws {
    let isShort = before.chip.hasJoinedPassword && protection.firstBlock > 0
    let size = isShort ? ST25Tag.shortPasswordSize : ST25Tag.passwordSize
    guard protection.password.count == size else {
      throw NFCError(
        .invalidParameter,
        "a password for this part of the tag has \(size) bytes, not \(protection.password.count)")
    }
  }
}
