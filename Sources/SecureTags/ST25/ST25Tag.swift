import SwiftNFCCore

/// An ST25DV or ST25TV: its areas and their passwords.
///
/// ```swift
/// let tag = try await ST25Tag(found)
/// try await tag.authenticate(password)
/// try await tag.tag.writeNDEF(message)
/// ```
///
/// Only one password is open at a time; presenting another, or a wrong one, closes it. Passwords of an
/// ST25DV have 8 bytes. Those of an ST25TV512, 02K, 512C or 02KC have 8 while its memory is one area, and 4
/// while it is two. The chips count no attempts.
///
/// Source: ST25DV data sheet DS10925, 5.6 and 7.6; ST's NFC SDK, ST25DVTag, ST25TVTag and its registers,
/// and ST's application for the way an ST25TV receives its passwords; for ST25TV512C and 02KC, ST's library st25tags
/// (`st25tvc.c`, `st25tvc.h`) and its application NFC Tap. The following is not confirmed for ST25TV: the errors of its
/// commands, and the boundary of the areas of an ST25TV512; and for ST25TV512C and 02KC, whether a password of 8 bytes
/// is written as one or, as on an ST25TV02K, in two halves. Where the tag refuses the halves, it is sent the whole. Not
/// tested on hardware.
public struct ST25Tag: Sendable {
  /// The underlying tag.
  public let tag: any ISO15693Tag
  /// The product that the UID indicates.
  public let product: TagProduct
  let chip: ST25Chip

  /// The size of a password in bytes; on an ST25TV, as long as its memory is one area.
  public static let passwordSize = 8
  /// The size of the passwords of an ST25TV whose memory is two areas, and of its configuration
  /// password.
  public static let shortPasswordSize = 4
  private static let randomSize = 2

  /// Returns whether a product is one of these chips.
  package static func isST25(_ product: TagProduct?) -> Bool { ST25Chip(product) != nil }

  private static let wrongTag = NFCError(
    .wrongTag, "the tag is neither an ST25DV nor an ST25TV whose passwords are supported")

  /// Costs the exchanges of ``ISO15693Tag/product()``.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: DetectedTag) async throws {
    guard case .iso15693(let tag) = tag else { throw Self.wrongTag }
    try await self.init(tag)
  }

  /// Costs the exchanges of ``ISO15693Tag/product()``.
  ///
  /// - Throws: `wrongTag` for a tag of another kind.
  public init(_ tag: any ISO15693Tag) async throws {
    guard let product = try await tag.product(), let chip = ST25Chip(product) else {
      throw Self.wrongTag
    }
    self.tag = tag
    self.product = product
    self.chip = chip
  }

  /// The possible sizes of a password for the memory, in bytes. No exchange.
  public var passwordSizes: [Int] {
    chip.hasJoinedPassword ? [Self.passwordSize, Self.shortPasswordSize] : [Self.passwordSize]
  }

  // MARK: Asking

  /// Reads the areas that the memory is divided into: seven exchanges, two on an ST25TV512 and 02K, three on an
  /// ST25TV512C and 02KC, and one for its size unless that is known.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` if the tag does not report its size or its areas,
  ///   ``NFCError/Code/tagRefused`` if it refuses.
  public func areas() async throws -> [ST25Area] {
    try await configuration().areas
  }

  private func blockCount() async throws -> Int? {
    if let known = tag.reportedBlockCount { return known }
    return try await tag.systemInformation().blockCount
  }

  func configuration() async throws -> ST25Configuration {
    guard let count = try await blockCount(), count > 0 else {
      throw NFCError(.tagResponseError, "the tag does not report its size")
    }
    let chip = chip
    return try await run { try Self.configuration(chip, count, $0) }
  }

  static func configuration(
    _ chip: ST25Chip, _ blockCount: Int, _ commands: VicinityCommands
  ) throws -> ST25Configuration {
    let values = try chip.registers.map { register in
      guard let value = try commands.send(ST25Chip.Code.readConfiguration, register.address).first
      else {
        throw NFCError(.tagResponseError, "the tag's answer about its configuration is empty")
      }
      return value
    }
    return ST25Configuration(chip: chip, blockCount: blockCount, values: values)
  }

  // MARK: Passwords

  /// Presents the password of the memory, which opens protected areas until the field is turned off
  /// or another password is presented: one exchange, two on an ST25TV.
  ///
  /// - Parameter password: 8 bytes; 4 for the second area of an ST25TV with two.
  /// - Throws: ``NFCError/Code/authenticationFailed``; ``NFCError/Code/invalidParameter`` for another number of bytes.
  public func authenticate(_ password: SecretKey) async throws {
    guard passwordSizes.contains(password.count) else {
      throw NFCError(
        .invalidParameter, "a password has \(Self.passwordSize) bytes, not \(password.count)")
    }
    let chip = chip
    let number =
      password.count == Self.passwordSize ? ST25Chip.areaPassword : ST25Chip.secondAreaPassword
    try await run { try Self.present(password, number, chip, $0) }
  }

  // MARK: Procedures

  /// Runs a procedure on the reader without interruption.
  func run<Result: Sendable>(
    _ body: @Sendable (VicinityCommands) throws -> Result
  ) async throws -> Result {
    let tag = tag
    return try await tag.exclusively { link in
      try body(VicinityCommands(link, tag, manufacturer: ST25Chip.manufacturer))
    }
  }

  static func present(
    _ password: SecretKey, _ number: UInt8, _ chip: ST25Chip, _ commands: VicinityCommands
  ) throws {
    var random: [UInt8] = [0x00]
    if chip.coversPasswords {
      random = try commands.send(ST25Chip.Code.getRandomNumber)
      guard random.count == randomSize else {
        throw NFCError(.tagResponseError, "the random number has \(random.count) bytes")
      }
    }
    var covered = password.covered(by: random)
    defer { covered.wipe() }
    do {
      _ = try commands.send(ST25Chip.Code.presentPassword, [number], password: covered)
    } catch let error as NFCError where error.group == .refusal {
      throw NFCError(
        .authenticationFailed,
        number == chip.configurationPassword
          ? "the password of the configuration is wrong" : "the password is wrong",
        cause: error.cause)
    }
  }

  /// Presents the first of several passwords that the tag accepts.
  static func presentOne(
    of passwords: [SecretKey], _ number: UInt8, _ chip: ST25Chip, _ commands: VicinityCommands
  ) throws {
    var failure: NFCError?
    for password in passwords {
      do {
        return try present(password, number, chip, commands)
      } catch let error as NFCError where error.code == .authenticationFailed {
        failure = failure ?? error
      }
    }
    throw failure ?? NFCError(.invalidParameter, "there is no password to present")
  }

  /// Writes a password while the previous one is open. On an ST25TV, a password of 8 bytes is
  /// written in two halves, under the numbers of both areas; on an ST25TV512C or 02KC that refuses the first half, as a
  /// whole.
  ///
  /// - Parameter hasChanged: is set as soon as the tag has a part of the password.
  static func write(
    _ password: SecretKey, _ number: UInt8, _ chip: ST25Chip, _ commands: VicinityCommands,
    _ hasChanged: inout Bool
  ) throws {
    try password.withBytes { bytes in
      func write(_ part: [UInt8], _ number: UInt8) throws {
        _ = try commands.send(ST25Chip.Code.writePassword, [number], password: part)
        hasChanged = true
      }
      guard chip.hasJoinedPassword, bytes.count == passwordSize else {
        return try write(bytes, number)
      }
      var first = Array(bytes.prefix(shortPasswordSize))
      var second = Array(bytes.dropFirst(shortPasswordSize))
      defer {
        first.wipe()
        second.wipe()
      }
      do {
        try write(first, number)
      } catch let error as NFCError where error.group == .refusal && chip == .tvc {
        // If it refuses the whole, too, one of the two answers may be wrong.
        hasChanged = true
        return try write(bytes, number)
      }
      try write(second, ST25Chip.secondAreaPassword)
    }
  }
}
