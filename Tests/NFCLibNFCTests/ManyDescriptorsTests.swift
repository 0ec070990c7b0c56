import Foundation
import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCLibNFC

extension LibNFCTests {
  /// libnfc puts descriptors into the sets of select(2) unseen, and 1024 or more ends the process.
  @Suite struct ManyDescriptorsTests {
    /// A device that libnfc's configuration defines.
    private struct OneDevice: ConfigurationFiles {
      let connectionString: String

      func variable(_ name: String) -> String? { nil }
      func names(in path: String) -> [String]? { ["reader.conf"] }
      func isRegularFile(_ path: String) -> Bool? { path.hasSuffix("reader.conf") ? true : nil }
      func bytes(_ path: String) -> [UInt8]? {
        path.hasSuffix("reader.conf")
          ? Array("connstring = \"\(connectionString)\"\noptional = true\n".utf8) : nil
      }
    }

    /// In its own process, which has as many files open as libnfc supports, and more.
    @Test func aReaderIsNeitherListedNorOpenedAndTheProgramContinues() async {
      await #expect(processExitsWith: .success) {
        alarm(60)
        let virtual = try VirtualReader(VirtualField())
        var limit = rlimit(rlim_cur: 2048, rlim_max: 2048)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var last: Int32 = 0
        while last < 1100 {
          last = open("/dev/null", O_RDONLY | O_CLOEXEC)
          try #require(last >= 0)
        }
        setenv("LIBNFC_INTRUSIVE_SCAN", "true", 1)
        #expect(LibNFC.usbReaders().isEmpty)
        _ = try await Reader.list()
        // A device that need not be there is looked for by opening it.
        let configuration = LibNFCConfiguration(
          OneDevice(connectionString: virtual.connectionString))
        #expect(configuration.devices.map(\.isOptional) == [true])
        #expect(!LibNFCDriver.list(configuration).contains(virtual.connectionString))
        #expect(LibNFCSource().availabilityError()?.reason.contains("too many files") == true)
        let error = await #expect(throws: NFCError.self) {
          _ = try await Reader.open(virtual.connectionString)
        }
        #expect(error?.code == .readerUnavailable)
        #expect(error?.reason.contains("too many files") == true, "\(error?.reason ?? "")")
      }
    }
  }
}
