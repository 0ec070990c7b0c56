import Foundation
import VirtualNFC

/// A reader on a USB bus that is not there, with a virtual chip and tags: the system's own libusb and libnfc
/// talk to it, in a child process.
///
/// umockdev shows the child a made-up `/sys` and `/dev`. A script takes off the reader's framing and hands
/// the rest to the chip.
///
/// ```
///   nfc, nfc-list, …      libnfc, libusb      usb_reader.py           VirtualReader
///   (child process)  ──▶  usbfs requests ──▶  CCID or PN533 frames ─▶ PN532 chip ─▶ tags
/// ```
public final class USBReader: Sendable {
  /// Whose framing and descriptors it has.
  public enum Model: String, Sendable, CaseIterable {
    /// CCID, pseudo-APDUs; answers of 250 bytes at most.
    case acr122u
    /// A PN533's own frames.
    case scl3711
  }

  /// What is wrong with it.
  public enum Condition: Sendable {
    /// Another program has claimed it.
    case busy
    /// The program has no right to use it.
    case denied
    /// An ACR122U that says nothing where a card says nothing.
    case mute
    /// Unplugged at the n-th transfer to the device, counted from 1.
    case unplugged(Int)
    /// Unplugged then, and plugged in again some milliseconds later.
    case unpluggedAndBack(Int, milliseconds: Int)
    /// The same so many times, each time after so many more transfers.
    case comesAndGoes(Int, times: Int, milliseconds: Int)
    /// A module of the kernel has it; the program may unbind that or not.
    case kernelDriver(stays: Bool)
    /// It takes what it is sent, and says nothing until it is reset.
    case hangs
    /// Plugged in some milliseconds after the program has started.
    case arrives(milliseconds: Int)
    /// The answer to the n-th command comes late.
    case late(Int, milliseconds: Int)
    /// So do all answers of tags.
    case slow(milliseconds: Int)
    /// When it arrives, or comes back, its node is there before the program's right to use it, which comes so much
    /// later; nothing reports that.
    case rightsComeLate(milliseconds: Int)
    /// The system has no USB bus until the reader arrives.
    case busArrives
    /// Once an attention request has failed, the chip takes so long to release its targets (a PN533 whose JCOP31 was
    /// taken away, libnfc's issue 267).
    case upset(milliseconds: Int)
    /// Whoever has claimed it has it for itself, within a program too.
    case exclusive
    /// A smart-card service may claim it, and cards are in its slot that come to this port.
    case servesCards(port: UInt16)

    fileprivate var arguments: [String] {
      switch self {
      case .busy: ["--busy"]
      case .denied: ["--denied"]
      case .mute: ["--mute"]
      case .unplugged(let transfer): ["--unplug", "\(transfer)"]
      case .unpluggedAndBack(let transfer, let time):
        ["--unplug", "\(transfer)", "--back", "\(time)"]
      case .comesAndGoes(let transfers, let times, let time):
        ["--unplug", "\(transfers)", "--times", "\(times)", "--back", "\(time)"]
      case .kernelDriver(let stays): [stays ? "--kernel-stays" : "--kernel"]
      case .hangs: ["--hang"]
      case .arrives(let time): ["--arrive", "\(time)"]
      case .late(let command, let time): ["--late", "\(command):\(time)"]
      case .slow(let time): ["--slow", "\(time)"]
      case .rightsComeLate(let time): ["--rights", "\(time)"]
      case .busArrives: ["--late-bus"]
      case .upset(let time): ["--upset", "\(time)"]
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

  /// What has happened to the device: `plugged`, `unplugged`, `reset`, `detached` from a module of the kernel; `rights`
  /// when the program was given them; `claimed` and `released` where it has an owner.
  public var history: [String] {
    ((try? String(contentsOf: notes, encoding: .utf8)) ?? "").split(separator: "\n").map(
      String.init)
  }

  /// What libnfc calls the reader when it is plugged in first.
  public var connectionString: String {
    model == .acr122u ? "acr122_usb:001:002" : "pn53x_usb:001:002"
  }

  public init(_ model: Model, _ tags: VirtualTag...) throws {
    self.model = model
    reader = try VirtualReader(
      field, chip: VirtualPN532(model == .scl3711 ? .pn533 : .pn532C106))
    for tag in tags { field.place(tag) }
  }

  deinit {
    reader.close()
    try? FileManager.default.removeItem(at: notes)
  }

  /// Takes from root what lets it use files that nobody has a right to.
  private static let withoutOverride = [
    "/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search",
  ]

  /// What to run instead of a program, so that it sees the reader: an executable and its arguments.
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
