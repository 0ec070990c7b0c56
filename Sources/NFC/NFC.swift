@_exported import NFCCore
