import SwiftNFCCore
import TagImages

/// A card of which only the identity is known. It answers polling and activation with the image's values
/// and refuses every command.
struct IdentityCard: VirtualChip, ImagedChip {
  private enum Radio {
    /// A Type A card without ISO/IEC 14443-4.
    case typeA(TypeAActivation)
    case proximity(ProximityInterface)
  }

  let name: String
  let tagImage: TagImage
  private var radio: Radio

  /// The bit of SAK that indicates ISO/IEC 14443-4 (ISO/IEC 14443-3, 6.5.3.4).
  private static let blockProtocolBit: UInt8 = 0x20
  private static let identityLengths = [4, 7, 10]

  init(_ image: TagImage) throws(VirtualTagNameError) {
    tagImage = image
    if image.kind == .iso14443b {
      name = "iso14443b"
      radio = .proximity(try ProximityInterface(image))
      return
    }
    guard let uid = image.uid, Self.identityLengths.contains(uid.count) else {
      throw .notADump("a type A card's UID has 4, 7 or 10 bytes")
    }
    name = "iso14443a"
    let atqa = image.atqa.map { Array($0.reversed()) } ?? [uid.count == 4 ? 0x04 : 0x44, 0x00]
    let sak = image.sak ?? (image.ats == nil ? 0x00 : Self.blockProtocolBit)
    guard sak & Self.blockProtocolBit != 0 else {
      radio = .typeA(TypeAActivation(uid: uid, atqa: atqa, sak: sak))
      return
    }
    radio = .proximity(
      ProximityInterface(typeA: uid, atqa: atqa, sak: sak, ats: image.ats ?? AnswerToSelect.unknown)
    )
  }

  // MARK: VirtualChip

  var identifier: [UInt8] { tagImage.uid ?? [] }
  var modulation: RadioFrame.Modulation { tagImage.kind == .iso14443b ? .typeB : .typeA }
  var memory: [UInt8] {
    get { [] }
    set {}
  }

  mutating func powerOn() {
    switch radio {
    case .typeA(var activation):
      activation.powerOn()
      radio = .typeA(activation)
    case .proximity(var interface):
      interface.powerOn()
      radio = .proximity(interface)
    }
  }

  mutating func powerOff() {
    switch radio {
    case .typeA(var activation):
      activation.powerOff()
      radio = .typeA(activation)
    case .proximity(var interface):
      interface.powerOff()
      radio = .proximity(interface)
    }
  }

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    switch radio {
    case .typeA(var activation):
      defer { radio = .typeA(activation) }
      guard case .handled(let answer) = activation.receive(frame) else {
        activation.stopResponding()
        return nil
      }
      return answer
    case .proximity(var interface):
      defer { radio = .proximity(interface) }
      switch interface.receive(frame) {
      case .handled(let answer): return answer
      case .command: return interface.respond(StatusWord.instructionNotSupported.bytes)
      }
    }
  }
}
