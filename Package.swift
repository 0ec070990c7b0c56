// swift-tools-version: 6.0
import PackageDescription

// Apple's platforms have a CoreNFC of their own: there the product passes it on, so that a package needs
// no condition to depend on it.
#if os(Linux)
let coreNFC = "CoreNFC"
#else
let coreNFC = "AppleCoreNFC"
#endif

let package = Package(
  name: "swift-nfc",
  platforms: [.macOS("15.4")],
  products: [
    .library(name: "NFC", targets: ["NFC"]),
    .library(name: "CoreNFC", targets: [coreNFC]),
    .library(name: "NDEF", targets: ["NDEF"]),
    .library(name: "VirtualNFC", targets: ["VirtualNFC"]),
    .executable(name: "nfc", targets: ["NFCTool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    // Found by pkg-config; a module map and a header each.
    .systemLibrary(
      name: "CLibNFC", path: "Modules/CLibNFC", pkgConfig: "libnfc",
      providers: [.apt(["libnfc-dev"]), .brew(["libnfc"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Modules/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CPCSCLite", path: "Modules/CPCSCLite",
      providers: [.apt(["libpcsclite-dev"]), .brew(["pcsc-lite"])]),

    // The floors, lowest first. An arrow only ever points down.
    .target(name: "NDEF"),
    .target(name: "NFCCore", dependencies: ["NDEF", "COpenSSL"]),
    .target(name: "ReaderThread"),
    .target(name: "NFCLibNFC", dependencies: ["NFCCore", "ReaderThread", "CLibNFC"]),
    .target(name: "NFCPCSC", dependencies: ["NFCCore", "CPCSCLite"]),
    .target(name: "VirtualNFC", dependencies: ["NFCCore", "NDEF", "COpenSSL"]),
    .target(
      name: "NFC", dependencies: ["NFCLibNFC", "NFCPCSC", "NFCCore", "NDEF", "ReaderThread"]),
    .executableTarget(
      name: "NFCTool",
      dependencies: [
        "NFC", "NFCCore", "VirtualNFC", "NDEF",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Run by Scripts/benchmark.
    .target(name: "CReadLoop", dependencies: ["CLibNFC"]),
    .executableTarget(
      name: "NFCBenchmark", dependencies: ["NFC", "NFCCore", "NDEF", "VirtualNFC", "CReadLoop"]),

    .testTarget(name: "NDEFTests", dependencies: ["NDEF"]),
    .testTarget(name: "NFCCoreTests", dependencies: ["NFCCore"]),
    .testTarget(name: "VirtualNFCTests", dependencies: ["VirtualNFC"]),
    .testTarget(name: "NFCTests", dependencies: ["NFC", "NFCCore", "VirtualNFC"]),
    .testTarget(name: "NFCToolTests", dependencies: ["NFC", "NFCCore", "NFCTool", "VirtualNFC"]),
    .testTarget(name: "InteropTests", dependencies: ["NFC", "NFCCore", "VirtualNFC"]),
    .testTarget(
      name: "FuzzTests", dependencies: ["NDEF", "NFCCore"], exclude: ["LibFuzzerMain.swift"]),
  ],
  swiftLanguageModes: [.v6]
)

#if os(Linux)
package.targets += [
  .target(name: "CoreNFC", dependencies: ["NFC", "NFCCore", "NDEF", "ReaderThread"]),
  // Programs as they are written for an iPhone, in the language mode of most of them.
  .target(
    name: "CoreNFCExamples", dependencies: ["CoreNFC"],
    swiftSettings: [.swiftLanguageMode(.v5)]),
  .testTarget(
    name: "CoreNFCTests",
    dependencies: ["CoreNFC", "CoreNFCExamples", "NFC", "NFCCore", "VirtualNFC"]),
]
#else
package.targets.append(.target(name: "AppleCoreNFC"))
#endif

// Scripts/fuzz builds the decoders with libFuzzer, from the files that the tests run for a moment.
if Context.environment["NFC_FUZZ"] != nil {
  package.targets.removeAll { $0.name == "FuzzTests" }
  package.targets.append(
    .executableTarget(
      name: "NFCFuzz", dependencies: ["NDEF", "NFCCore"], path: "Tests/FuzzTests",
      exclude: ["FuzzTests.swift"]))
  for target in package.targets where ["NDEF", "NFCCore", "NFCFuzz"].contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer"])]
  }
}
