import NFCCore

struct MIFAREClassicSession {
  init(key: [UInt8], uid: [UInt8], running: MIFAREClassicSession?) {}
  mutating func authenticate(
    command: [UInt8], transmit: (RadioFrame) -> VirtualField.Reception
  ) -> Bool { false }
  mutating func encipher(_ bytes: [UInt8]) -> RadioFrame { .typeA(bytes) }
  mutating func decipher(_ frame: RadioFrame) -> RadioFrame? { frame }
}
