import Foundation

extension SimulatedSystem {
  /// What can stand in a file's place.
  package enum Misfit: String, CaseIterable, Sendable {
    case garbage, longGarbage, zeros, huge, folder, loop, danglingLink, pipe, device, unreadable
  }

  package func place(_ misfit: Misfit, at path: String) throws {
    switch misfit {
    case .garbage: try file(path, (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 151) })
    case .longGarbage:
      var state: UInt64 = 0x9E37_79B9_7F4A_7C15
      let bytes = (0..<60_000).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      }
      try file(path, bytes)
    case .zeros: try file(path, [UInt8](repeating: 0, count: 5000))
    case .huge:
      try file(path, "x")
      // Sparse: takes no room.
      guard truncate(url(path).path, 1 << 36) == 0 else { throw CocoaError(.fileWriteUnknown) }
    case .folder: try folder(path)
    case .loop: try link(path, to: (path as NSString).lastPathComponent)
    case .danglingLink: try link(path, to: "/nowhere/at/all")
    case .pipe:
      try folder((path as NSString).deletingLastPathComponent)
      guard mkfifo(url(path).path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    case .device: try link(path, to: "/dev/zero")
    case .unreadable: try file(path, "a = b\n", mode: 0)
    }
  }
}
