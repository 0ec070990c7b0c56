import Foundation
import VirtualNFC

/// A simulated reader on a USB bus, with a virtual chip and tags. The system's own libusb and libnfc
/// communicate with it in a child process.
///
/// umockdev shows a simulated `/sys` and `/dev` to the child. A script removes the reader's framing and
/// passes the rest to the chip.
///
/// ```
///   nfc, nfc-list, …      libnfc, libusb      usb_reader.py           VirtualReader
///   (child process)  ──▶  usbfs requests ──▶  CCID or PN533 frames ─▶ PN532 chip ─▶ tags
/// ```
public final class USBReader: Sendable {
  /// The model whose framing and descriptors the reader has.
  public enum Model: String, Sendable, CaseIterable {
    /// CCID with pseudo-APDUs, and answers of at most 250 bytes.
    case acr122u
    /// A PN533 with its own frames.
    case scl3711
    /// The frames of a PN533, and firmware of Sony's own.
    case rcs360

    /// The models that every test runs on.
    public static let allCases: [Model] = [.acr122u, .scl3711]

    fileprivate var firmware: VirtualPN532.Firmware {
      switch self {
      case .acr122u: .pn532C106
      case .scl3711: .pn533
      case .rcs360: .rcs956
      }
    }
  }

  /// A fault or a special condition of the reader.
  public enum Condition: Sendable {
    /// Another program has claimed the reader.
    case busy
    /// The program is not permitted to use the reader.
    case denied
    /// An ACR122U that answers nothing at all if no card answers its chip: an exchange, and perhaps a search that
    /// finds none. The messages without content have this error; the chip's own answer may follow (libnfc's issues
    /// 263, 570 and 646).
    case mute(searches: Bool = true, error: UInt8 = 0xFE, belatedMilliseconds: Int? = nil)
    /// The reader is unplugged at the n-th transfer to the device, counted from 1.
    case unplugged(Int)
    /// The reader is unplugged at that transfer, and plugged in again some milliseconds later.
    case unpluggedAndBack(Int, milliseconds: Int)
    /// The reader is unplugged and plugged in this many times, each time after as many further transfers.
    case comesAndGoes(Int, times: Int, milliseconds: Int)
    /// Each time, another reader of the same model is plugged into the same port. Its serial number is the number
    /// that the kernel gives it, `0002` for the first.
    case replaced
    /// A kernel module uses the reader. The program may or may not be permitted to unbind the module.
    case kernelDriver(stays: Bool)
    /// The reader accepts all data, and does not answer until it is reset.
    case hangs
    /// The reader accepts all data, and never answers.
    case isDead
    /// The reader is plugged in some milliseconds after the program has started.
    case arrives(milliseconds: Int)
    /// The answer to the n-th command is late.
    case late(Int, milliseconds: Int)
    /// All answers of tags are late.
    case slow(milliseconds: Int)
    /// When the reader is plugged in, its node exists before the program has permission to use it. The
    /// permission is granted this much later, and nothing reports that.
    case rightsComeLate(milliseconds: Int)
    /// The system has no USB bus until the reader is plugged in.
    case busArrives
    /// After a failed attention request, the chip takes this long to release its targets (a PN533 whose
    /// JCOP31 was removed, libnfc's issue 267).
    case upset(milliseconds: Int)
    /// The device has these descriptors, beginning with that of the device.
    case descriptors([UInt8])
    /// Only one claim of the reader is possible, even within a program.
    case exclusive
    /// A smart-card service may claim the reader. The cards in its slot are those that connect to this port.
    case servesCards(port: UInt16)

    fileprivate var arguments: [String] {
      switch self {
      case .busy: ["--busy"]
      case .denied: ["--denied"]
      case .mute(let searches, let error, let time):
        ["--mute", "--empty-error", String(error, radix: 16)]
          + (searches ? ["--empty-searches"] : [])
          + (time.map { ["--belated", "\($0)"] } ?? [])
      case .unplugged(let transfer): ["--unplug", "\(transfer)"]
      case .unpluggedAndBack(let transfer, let time):
        ["--unplug", "\(transfer)", "--back", "\(time)"]
      case .comesAndGoes(let transfers, let times, let time):
        ["--unplug", "\(transfers)", "--times", "\(times)", "--back", "\(time)"]
      case .replaced: ["--replaced"]
      case .kernelDriver(let stays): [stays ? "--kernel-stays" : "--kernel"]
      case .hangs: ["--hang"]
      case .isDead: ["--dead"]
      case .arrives(let time): ["--arrive", "\(time)"]
      case .late(let command, let time): ["--late", "\(command):\(time)"]
      case .slow(let time): ["--slow", "\(time)"]
      case .rightsComeLate(let time): ["--rights", "\(time)"]
      case .busArrives: ["--late-bus"]
      case .upset(let time): ["--upset", "\(time)"]
      case .descriptors(let bytes):
        [
          "--descriptors",
          bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
        ]
      case .exclusive: ["--exclusive"]
      case .servesCards(let port): ["--cards", "\(port)"]
      }
    }
  }

  public let field = VirtualField()
  public let reader: VirtualReader
  public let model: Model

  let notes = FileManager.default.temporaryDirectory.appending(
    path: "usb-\(UUID().uuidString).txt")

  /// The events of the device: `plugged`, `unplugged`, `reset`, `detached` from a kernel module, `rights`
  /// when the program was given permission, and `claimed` and `released` if the device has an owner.
  public var history: [String] {
    ((try? String(contentsOf: notes, encoding: .utf8)) ?? "").split(separator: "\n").map(
      String.init)
  }

  /// The name of the reader in libnfc when it is plugged in for the first time.
  public var connectionString: String {
    model == .acr122u ? "acr122_usb:001:002" : "pn53x_usb:001:002"
  }

  public init(_ model: Model, _ tags: VirtualTag...) throws {
    self.model = model
    reader = try VirtualReader(
      field, chip: VirtualPN532(model.firmware))
    for tag in tags { field.place(tag) }
  }

  deinit {
    reader.close()
    try? FileManager.default.removeItem(at: notes)
  }

  /// The command that removes root's capability to use files without permission.
  private static let withoutOverride = [
    "/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search",
  ]

  /// Returns the command line that runs a program so that it finds the reader: an executable and its
  /// arguments.
  public func command(
    _ program: [String], _ conditions: [Condition] = []
  ) throws -> (executable: String, arguments: [String]) {
    let hasLateRights = conditions.contains { condition in
      if case .rightsComeLate = condition { true } else { false }
    }
    let prefix = hasLateRights ? Self.withoutOverride : []
    return try Rig.command(
      "usb_reader.py",
      ["--reader", model.rawValue, "--port", reader.path, "--notes", notes.path]
        + conditions.flatMap(\.arguments),
      running: prefix + program)
  }
}
