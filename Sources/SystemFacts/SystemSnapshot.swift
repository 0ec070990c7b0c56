/// The devices, programs, rights and settings of a Linux system, read once.
package struct SystemSnapshot {
  package let files: SystemFiles
  /// The USB devices; empty if the system shows none.
  package let devices: [USBDevice]
  /// Whether the system has USB.
  package let showsUSB: Bool
  package let processes: Processes
  package let rights: NodeRights
  /// The settings of udev.
  package let rules: SettingsFolders
  /// The settings of modprobe.
  package let modules: SettingsFolders

  package init(_ files: SystemFiles) {
    self.files = files
    let devices = USBDevice.all(files)
    self.devices = devices ?? []
    showsUSB = devices != nil
    processes = Processes(files)
    rights = NodeRights(files)
    rules = .rules(files)
    modules = .modules(files)
  }

  /// Who has a USB device.
  package struct USBUsers {
    /// The module of the kernel that has it.
    package let kernelModule: String?
    /// The programs that have its node open, as far as this login may see.
    package let programs: [Processes.Process]
    /// Whether a program has it, visible or not.
    package let isInUse: Bool

    package var isFree: Bool { kernelModule == nil && !isInUse }
  }

  package func users(of device: USBDevice) -> USBUsers {
    let driver = device.driver(files)
    let programs = files.node(device.node).map(processes.holders) ?? []
    // The driver through which programs use devices.
    let isOfProgram = driver == "usbfs"
    return USBUsers(
      kernelModule: isOfProgram ? nil : driver, programs: programs,
      isInUse: isOfProgram || !programs.isEmpty)
  }
}
