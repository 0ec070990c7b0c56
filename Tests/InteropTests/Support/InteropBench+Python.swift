import Foundation
import TestSupport
import Testing
import VirtualNFC

extension InteropBench {
  /// Opens the reader with nfcpy and finds a tag.
  ///
  /// `nfc.ContactlessFrontend("tty:NAME")` takes only names directly under /dev, which a
  /// pseudo-terminal's is not and for which a link needs root: the port is handed to nfcpy's driver
  /// one layer lower, as `nfc.clf.device.connect` does.
  private static let prelude = """
    import os, sys
    import ndef, nfc, nfc.clf, nfc.clf.pn532, nfc.clf.transport, nfc.tag
    clf = nfc.ContactlessFrontend()
    clf.device = nfc.clf.pn532.init(nfc.clf.transport.TTY(sys.argv[1]))
    def find(brty):
        target = clf.sense(nfc.clf.RemoteTarget(brty), iterations=3, interval=0.05)
        assert target is not None, 'no target'
        tag = nfc.tag.activate(clf, target)
        assert tag is not None, 'no tag'
        return tag

    """

  /// Runs a Python script with nfcpy at hand: `clf`, and `find(brty)` for an activated tag.
  ///
  /// - Parameter arguments: `sys.argv[2:]` of the script.
  func startPython(_ script: String, _ arguments: [String] = []) throws -> RunningProgram {
    try startPython(whole: Self.prelude + script, [reader.path] + arguments)
  }

  /// Runs a Python script that opens no reader.
  func startPython(whole script: String, _ arguments: [String]) throws -> RunningProgram {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let python = root.appending(path: ".build/python/bin/python")
    try #require(
      FileManager.default.isExecutableFile(atPath: python.path),
      "nfcpy is not installed; run Scripts/install-dependencies tests")
    return try start(
      python, ["-c", script] + arguments,
      environment: ["PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"])
  }

  func python(_ script: String, _ arguments: [String] = []) async throws -> FinishedProgram {
    let result = try await startPython(script + "\nclf.close()\n", arguments).result()
    result.expectSuccess()
    return result
  }
}
