import SwiftNFCCore
import SwiftNFCReaderExamination
import SwiftNFCSystemFacts

// Serial ports over USB.
extension LibNFCExamination {
  /// Returns a serial port over USB, if there is one, and no source knows the device for something else: libnfc does
  /// not search for readers there.
  func bridge(_ device: USBDevice, _ others: OtherSources) -> ExaminedReader? {
    guard !others.drive(device), others.name(of: device) == nil else { return nil }
    let model = USBModel.of(device)
    var reader = ExaminedReader(device, name: model?.name)
    guard let port = device.ports(system.files).first else {
      // Its interface is free, or brltty has it.
      guard model != nil, system.processes.isRunning("brltty") else { return nil }
      reader.isPort = true
      reader.findings = [
        ReaderFinding(
          .inUse, "it has no port, as happens when brltty mistakes it for a braille display",
          advice: "sudo apt remove brltty, if none is used, and plug it in again")
      ]
      return reader
    }
    reader.place = port
    reader.findings =
      system.files.exists(port)
      ? portFindings(port)
      : [nodeIsMissing(port, advice: "start the container with --device \(port)")]
    let name = LibNFCSource.address(ofSerialPort: port).description
    let defined = configuration.devices.map(\.connectionString)
      .first { $0 == name || $0.hasPrefix(name + ":") }
    reader.connectionString = defined ?? name
    reader.isPort = defined == nil
    guard reader.isPort, !configuration.searchesIntrusively else { return reader }
    reader.findings.append(
      ReaderFinding(
        .notSearched, "a PN532 may be on it, and libnfc does not look for one",
        advice: "nfc doctor --reader \(name) tries it", isObstacle: false))
    return reader
  }
}
