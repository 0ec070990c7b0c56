import Foundation
import TestSupport
import Testing
import VirtualNFC

extension Interop {
  /// Debian's mrtdreader, which opens documents by Basic Access Control over libnfc.
  @Suite struct MRTDReaderTests {
    /// The program writes the face into its directory.
    private func read(
      _ document: IssuedDocument, number: String = "L898902C3"
    ) async throws -> (program: FinishedProgram, face: [UInt8]?) {
      let bench = try InteropBench(document.tag())
      let program = try await bench.start(
        "mrtdreader", ["-p", number, "-b", "740812", "-e", "120415"]
      ).result()
      return (program, try? bench.bytes(of: "image.jpg"))
    }

    @Test func readsADocument() async throws {
      let document = try IssuedDocument { $0.face = DocumentFace.jpeg.dataGroup(5000) }
      let (program, face) = try await read(document)
      program.expectSuccess()
      program.expectOutput("ERIKSSON")
      #expect(face == DocumentFace.jpeg.image(5000))
    }

    @Test func aWrongNumberOpensNothing() async throws {
      let document = try IssuedDocument { $0.face = DocumentFace.jpeg.dataGroup(1000) }
      let (program, face) = try await read(document, number: "L898902C4")
      #expect(!program.output.contains("ERIKSSON"))
      #expect(face == nil)
    }
  }
}
