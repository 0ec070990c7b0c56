import CoreNFC
import NFC
import Synchronization
import VirtualNFC

/// A virtual reader with tags in its field, and an environment in which sessions use it.
struct SessionBench: Sendable {
  let field = VirtualField()
  let virtual: VirtualReader
  /// For ISO 15693, which a PN532 has not.
  let vicinityField = VirtualField()

  /// Sets the environment for the suites of this module, which run one after the other.
  init(
    _ tags: VirtualTag..., information: NFCInformation = .test,
    limits: NFCSessionLimits = NFCSessionLimits(), presenter: any NFCPresenter = .none
  ) throws {
    virtual = try VirtualReader(field)
    for tag in tags {
      (tag.modulation == .iso15693 ? vicinityField : field).place(tag)
    }
    let connectionString = virtual.connectionString
    let vicinity = VirtualPCSCReader(vicinityField)
    let hasVicinityTags = !vicinityField.tags.isEmpty
    NFCEnvironment.current = NFCEnvironment(
      readers: .opening {
        var readers = [try await Reader.open(connectionString)]
        if hasVicinityTags {
          readers.append(try await Reader.open(over: { vicinity.service() }))
        }
        return readers
      }, information: information, limits: limits, presenter: presenter)
  }
}

extension NFCInformation {
  /// What a program's Info.plist would list to find every virtual card.
  static var test: NFCInformation {
    NFCInformation(
      usageDescription: "Tests",
      applicationIdentifiers: ["D2760000850101", "D4100000030001", "A0000002471001"],
      systemCodes: ["0003", "12FC", "88B4"])
  }
}
