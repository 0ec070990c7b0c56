import NFCLibNFC
import NFCUSB

/// One examination of the system: its facts are read once, and judged for each reader.
struct Examination {
  typealias Finding = ReaderDiagnosis.Finding
  typealias ExaminedReader = ReaderDiagnosis.ExaminedReader

  let files: SystemFiles
  let devices: [USBDevice]
  let showsUSB: Bool
  let processes: Processes
  let rights: NodeRights
  let rules: SettingsFolders
  let modules: SettingsFolders
  let bundles: DriverBundles
  let configuration: LibNFCConfiguration

  init(_ files: SystemFiles) {
    self.files = files
    let devices = USBDevice.all(files)
    self.devices = devices ?? []
    showsUSB = devices != nil
    processes = Processes(files)
    rights = NodeRights(files: files, accounts: Accounts(files))
    rules = .rules(files)
    modules = .modules(files)
    bundles = DriverBundles(files)
    configuration = LibNFCConfiguration(files)
  }

  // MARK: All that is there

  /// Every reader and port, and what concerns none of them in particular.
  func diagnosis(_ service: SmartCardServiceState) -> ReaderDiagnosis {
    var diagnosis = ReaderDiagnosis()
    var shown = Set<String>()
    for device in devices {
      // Of two readers of one model each has its own name.
      guard let reader = examine(device, service.without(shown)) else { continue }
      diagnosis.readers.append(reader)
      if let name = reader.connectionString { shown.insert(name) }
    }
    for device in configuration.devices where !shown.contains(device.connectionString) {
      shown.insert(device.connectionString)
      if let reader = examine(device) { diagnosis.readers.append(reader) }
    }
    for name in service.readers where !shown.contains(name) {
      diagnosis.readers.append(examineShown(name))
    }
    diagnosis.findings = generalFindings(service, diagnosis.readers)
    return diagnosis
  }

  /// Returns the reader that a connection string names.
  func examine(_ connectionString: String, _ service: SmartCardServiceState) -> ExaminedReader {
    connectionString.hasPrefix(SmartCardServiceState.scheme)
      ? examineShown(connectionString, service) : examineAddress(connectionString)
  }

  /// Returns a reader that libnfc's configuration defines; `nil` if that lets it be away, and it
  /// is.
  private func examine(_ device: LibNFCConfiguration.Device) -> ExaminedReader? {
    var reader = examineAddress(device.connectionString)
    reader.place = reader.place ?? device.source
    guard reader.findings.contains(where: { $0.problem == .notThere }) else { return reader }
    guard !device.isOptional else { return nil }
    reader.findings.append(
      Finding(
        .configuration, "libnfc lists it anyway, because \(device.source) defines it",
        advice: "remove it there if it is not used", isObstacle: false))
    return reader
  }

  private func examine(
    _ device: USBDevice, _ service: SmartCardServiceState
  ) -> ExaminedReader? {
    let model = USBModel.of(device)
    switch model?.use {
    case .libnfc(let driver): return examine(device, model, driver: driver)
    case .nothing: return examineUndriven(device, model)
    case .smartCards: return examineSmartCard(device, model, service)
    case .serialPort, nil:
      if bundles.name(of: device) != nil { return examineSmartCard(device, model, service) }
      return examineBridge(device, model)
    }
  }
}
