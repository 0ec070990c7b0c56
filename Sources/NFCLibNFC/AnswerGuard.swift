import CSwiftNFCLibNFC
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands between libnfc and the driver of a reader, and lets no answer pass that libnfc would not survive.
///
/// libnfc's code for the chip calls its drivers through a table of two functions, to which the data of an open device
/// point (`struct pn53x_io`, chips/pn53x.h). The guard puts a table of its own in that place. It costs a look at a few
/// bytes per exchange, and spares a program the process that `isolated:` takes for a chip that lies.
///
/// The place of the pointer is not part of libnfc's interface. It is therefore looked for and only used if everything
/// around it is as expected; see ``Table/find(in:_:name:)``. Otherwise there is no guard, as with a build of libnfc that
/// nobody has tried.
///
/// Unchecked because all calls on a device are made from one thread.
final class AnswerGuard: @unchecked Sendable {
  private let table: Table
  private let own: UnsafeMutablePointer<DriverFunctions>
  private let reportsSilence: Bool
  private var command = ChipAnswer.Command()
  /// The technology that is being searched for.
  var search: nfc_modulation_type?

  private static let guards = Mutex<[UInt: AnswerGuard]>([:])

  /// Puts a guard in front of the driver of a device that was opened.
  ///
  /// - Parameter name: libnfc's own copy of the device's name.
  /// - Returns: `nil` if the place for it was not found.
  static func begin(
    _ device: OpaquePointer, in context: OpaquePointer, name: UnsafePointer<CChar>,
    reportsSilence: Bool
  ) -> AnswerGuard? {
    guard let table = Table.find(in: device, context, name: name) else { return nil }
    let guarding = AnswerGuard(table, reportsSilence)
    guards.withLock { $0[UInt(bitPattern: device)] = guarding }
    table.place.pointee = UnsafePointer(guarding.own)
    return guarding
  }

  /// To be called after the device was closed.
  static func end(_ device: OpaquePointer) {
    _ = guards.withLock { $0.removeValue(forKey: UInt(bitPattern: device)) }
  }

  private init(_ table: Table, _ reportsSilence: Bool) {
    self.table = table
    self.reportsSilence = reportsSilence
    own = .allocate(capacity: 1)
    own.initialize(
      to: DriverFunctions(
        send: { AnswerGuard.of($0)?.send($0, $1, $2, $3) ?? Int32(NFC_ESOFT) },
        receive: { AnswerGuard.of($0)?.receive($0, $1, $2, $3) ?? Int32(NFC_ESOFT) }))
  }

  deinit { own.deallocate() }

  private static func of(_ device: OpaquePointer?) -> AnswerGuard? {
    guards.withLock { $0[UInt(bitPattern: device)] }
  }

  private func send(
    _ device: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ count: Int, _ timeout: Int32
  ) -> Int32 {
    let bytes = UnsafeBufferPointer(start: data, count: count)
    command = ChipAnswer.Command(bytes)
    command.length = count
    return table.original.send(device, data, count, timeout)
  }

  private func receive(
    _ device: OpaquePointer?, _ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ timeout: Int32
  ) -> Int32 {
    let count = table.original.receive(device, data, size, timeout)
    guard count >= 0, let data, size > 0 else { return count }
    let answer = ChipAnswer(command: command, search: search, reportsSilence: reportsSilence)
    switch answer.verdict(on: UnsafeBufferPointer(start: data, count: min(Int(count), size))) {
    case .use(let count): return Int32(count)
    case .noTarget:
      data[0] = 0
      return min(count, 1)
    case .broken:
      data[0] = Self.checksumError
      return 1
    case .silence: return Int32(NFC_ETIMEOUT)
    case .cutShort: return Int32(NFC_ERFTRANS)
    case .malformed: return Int32(NFC_EIO)
    }
  }

  /// The status for an answer with wrong check bytes (UM0701-02, 7.1, table 15).
  private static let checksumError: UInt8 = 0x02
}

/// `struct pn53x_io` (libnfc 1.7.0 to 1.8.0, chips/pn53x.h).
private struct DriverFunctions {
  typealias Send =
    @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, Int, Int32) -> Int32
  typealias Receive =
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, Int, Int32) -> Int32

  var send: Send
  var receive: Receive
}

/// The pointer of a device to its driver's functions.
private struct Table {
  let place: UnsafeMutablePointer<UnsafePointer<DriverFunctions>?>
  let original: DriverFunctions

  private typealias Word = UInt
  private static let size = MemoryLayout<Word>.size

  /// `struct nfc_device` begins with its context, its driver, the driver's data and the chip's data, and its name
  /// follows (libnfc 1.7.0 to 1.8.0, nfc-internal.h).
  private enum Part: Int {
    case context, driver, driverData, chipData, name
  }

  /// The words at the beginning of `struct pn53x_data` (chips/pn53x.h) among which the pointer is looked for. It is
  /// longer: two bytes for each of 69 registers come after the pointer.
  private static let words = 14

  /// Returns the pointer, if the device begins with its context and has its name where it is expected, and exactly one
  /// of the first words of its chip's data leads to a pair of functions within libnfc.
  static func find(
    in device: OpaquePointer, _ context: OpaquePointer, name: UnsafePointer<CChar>
  ) -> Table? {
    let start = UnsafeRawPointer(device)
    func part(_ part: Part) -> Word {
      start.load(fromByteOffset: part.rawValue * size, as: Word.self)
    }
    guard UnsafeRawPointer(name) == start + Part.name.rawValue * size,
      part(.context) == Word(bitPattern: context), let library = Library(containing: part(.driver)),
      part(.chipData) % Word(size) == 0,
      let chip = UnsafeMutableRawPointer(bitPattern: part(.chipData))
    else { return nil }
    let places = (0..<words).map { chip + $0 * size }.filter { place in
      let pointer = place.load(as: Word.self)
      guard pointer % Word(size) == 0, library.contains(pointer),
        let functions = UnsafeRawPointer(bitPattern: pointer)
      else { return false }
      let pair = (0..<2).map { functions.load(fromByteOffset: $0 * size, as: Word.self) }
      return pair[0] != pair[1] && pair.allSatisfy(library.contains)
    }
    guard places.count == 1, let place = places.first else { return nil }
    let pointer = place.assumingMemoryBound(to: UnsafePointer<DriverFunctions>?.self)
    guard let original = pointer.pointee?.pointee else { return nil }
    return Table(place: pointer, original: original)
  }

  /// The library whose memory an address is in.
  private struct Library {
    /// `dladdr`, which Glibc declares only with `_GNU_SOURCE`.
    private typealias Lookup =
      @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Int32

    private static let lookup: Lookup? = {
      guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "dladdr") else {
        return nil
      }
      return unsafeBitCast(symbol, to: Lookup.self)
    }()

    /// `Dl_info` of `dlfcn.h`.
    private struct Information {
      var fileName: UnsafePointer<CChar>?
      var base: UnsafeMutableRawPointer?
      var symbolName: UnsafePointer<CChar>?
      var symbol: UnsafeMutableRawPointer?
    }

    private let base: UnsafeMutableRawPointer

    init?(containing address: Word) {
      guard let base = Self.base(of: address) else { return nil }
      self.base = base
    }

    func contains(_ address: Word) -> Bool { Self.base(of: address) == base }

    private static func base(of address: Word) -> UnsafeMutableRawPointer? {
      var information = Information()
      guard let lookup, let pointer = UnsafeRawPointer(bitPattern: address),
        lookup(pointer, &information) != 0
      else { return nil }
      return information.base
    }
  }
}
