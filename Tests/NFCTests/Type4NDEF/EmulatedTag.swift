import TestSupport
import VirtualNFC

/// A reader that a program makes a type 4 tag: its answer to select has no historical bytes, and the program ends at a
/// command with another class than 00.
struct EmulatedTag: ForwardingChip {
  var chip: ISO7816Card
  private var hasEnded = false

  /// libnfc's `nfc-emulate-forum-tag4`.
  private static let ats: [UInt8] = [0x05, 0x75, 0x33, 0x92, 0x03]

  init(_ application: ScriptedApplication) {
    chip = ISO7816Card(
      name: "emulated",
      interface: ProximityInterface(
        typeA: [0x08, 0xAB, 0xCD, 0xEF], atqa: [0x04, 0x00], ats: Self.ats),
      applets: [application])
  }

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    // An I-block (ISO/IEC 14443-4, 7.1.1), and the class of the command in it.
    if frame.bytes.count > 2, frame.bytes[0] & 0xE2 == 0x02, frame.bytes[1] != 0x00 {
      hasEnded = true
    }
    return hasEnded ? nil : chip.receive(frame)
  }
}
