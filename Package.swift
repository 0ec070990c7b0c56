// swift-tools-version: 6.3
import PackageDescription

// Apple's platforms have a CoreNFC of their own: there the product passes it on, so that a package needs
// no condition to depend on it.
#if os(Linux)
let coreNFC = "CoreNFC"
#else
let coreNFC = "AppleCoreNFC"
#endif

/// The pkg-config file of a library that Linux has among its own headers.
func pkgConfig(_ name: String) -> String? {
  #if os(Linux)
  nil
  #else
  name
  #endif
}

let package = Package(
  name: "swift-nfc",
  platforms: [.macOS("15.4")],
  products: [
    .library(name: "NFC", targets: ["NFC"]),
    .library(name: "NFCDiagnosis", targets: ["NFCDiagnosis"]),
    .library(name: "CoreNFC", targets: [coreNFC]),
    .library(name: "NDEF", targets: ["NDEF"]),
    .library(name: "Recordings", targets: ["Recordings"]),
    .library(name: "SecureTags", targets: ["SecureTags"]),
    .library(name: "VirtualNFC", targets: ["VirtualNFC"]),
    .library(name: "SUNMessage", targets: ["SUNMessage"]),
    .library(name: "TravelDocuments", targets: ["TravelDocuments"]),
    .library(name: "PassMessage", targets: ["PassMessage"]),
    .library(name: "SignedMessages", targets: ["SignedMessages"]),
    .library(name: "NFCPasses", targets: ["NFCPasses"]),
    // For those who write a driver of their own.
    .library(name: "DriverConformance", targets: ["DriverConformance"]),
    .library(name: "ReaderThread", targets: ["ReaderThread"]),
    .library(name: "TagImages", targets: ["TagImages"]),
    .library(name: "TagTools", targets: ["TagTools"]),
    .executable(name: "nfc", targets: ["SwiftNFCTool"]),
    // Has a reader that is opened by `isolated:`.
    .executable(name: "nfc-reader", targets: ["SwiftNFCReader"]),
    // What only `nfc watch` needs: --mqtt, --notify and --rules start these.
    .executable(name: "nfc-mqtt", targets: ["SwiftNFCMQTT"]),
    .executable(name: "nfc-notify", targets: ["SwiftNFCNotify"]),
    .executable(name: "nfc-rules", targets: ["SwiftNFCRules"]),
  ],
  traits: [
    .default(enabledTraits: ["Programs"]),
    .trait(
      name: "Programs",
      description: "The programs nfc and nfc-rules. Without it, what only they use is not fetched."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
  ],
  targets: [
    // A module map and a header each; the header names the package that is missing. Those whose pkg-config
    // file asks for more than is needed (libnfc's for libusb 0.1, pcsc-lite's for a flag that SwiftPM refuses)
    // are found without it on Linux.
    .systemLibrary(
      name: "CSwiftNFCLibNFC", path: "Modules/CLibNFC", pkgConfig: pkgConfig("libnfc"),
      providers: [.apt(["libnfc-dev"]), .brew(["libnfc"])]),
    .systemLibrary(
      name: "CSwiftNFCLibUSB", path: "Modules/CLibUSB", pkgConfig: "libusb-1.0",
      providers: [.apt(["libusb-1.0-0-dev"]), .brew(["libusb"])]),
    .systemLibrary(
      name: "CSwiftNFCOpenSSL", path: "Modules/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CSwiftNFCPCSCLite", path: "Modules/CPCSCLite", pkgConfig: pkgConfig("libpcsclite"),
      providers: [.apt(["libpcsclite-dev"]), .brew(["pcsc-lite"])]),
    .systemLibrary(
      name: "CSwiftNFCMosquitto", path: "Modules/CMosquitto", pkgConfig: "libmosquitto",
      providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]),
    .systemLibrary(
      name: "CSwiftNFCDBus", path: "Modules/CDBus", pkgConfig: "dbus-1",
      providers: [.apt(["libdbus-1-dev"]), .brew(["dbus"])]),

    // The layers, lowest first. A module depends only on those below it.
    .target(name: "SwiftNFCJSONText", path: "Sources/JSONText"),
    .target(name: "NDEF", dependencies: ["SwiftNFCJSONText"]),
    .target(name: "ReaderThread"),
    // The same numbers for the same seed: virtual chips and tests.
    .target(name: "SwiftNFCSeededRandom", path: "Sources/SeededRandom"),
    // The chips: what each is recognized by, its memory, its secrets, its limits.
    .target(name: "SwiftNFCChipBook", path: "Sources/ChipBook"),
    .target(
      name: "SwiftNFCCore",
      dependencies: ["NDEF", "ReaderThread", "SwiftNFCChipBook", "CSwiftNFCOpenSSL"],
      path: "Sources/NFCCore"),
    // For servers: no reader, no I/O.
    .target(name: "SUNMessage", dependencies: ["CSwiftNFCOpenSSL"]),
    .target(name: "PassMessage", dependencies: ["CSwiftNFCOpenSSL"]),
    // Signature records: no reader, no I/O.
    .target(name: "SignedMessages", dependencies: ["NDEF", "PassMessage", "CSwiftNFCOpenSSL"]),
    .target(
      name: "SwiftNFCChildProcesses", dependencies: ["ReaderThread"], path: "Sources/ChildProcesses"
    ),
    // Made with any reader and played back without one.
    .target(
      name: "Recordings",
      dependencies: ["SwiftNFCJSONText", "NDEF", "SwiftNFCCore", "ReaderThread"]),
    // Between `nfc watch` and Core NFC programs.
    .target(name: "SwiftNFCBackground", path: "Sources/NFCBackground"),
    // Files, USB devices, programs and rights of a Linux system: no reader, no driver.
    .target(name: "SwiftNFCSystemFacts", path: "Sources/SystemFacts"),
    // How a source examines its readers by these facts.
    .target(
      name: "SwiftNFCReaderExamination", dependencies: ["SwiftNFCCore", "SwiftNFCSystemFacts"],
      path: "Sources/ReaderExamination"),
    .target(name: "SwiftNFCUSB", dependencies: ["CSwiftNFCLibUSB"], path: "Sources/NFCUSB"),
    .target(
      name: "SwiftNFCLibNFC",
      dependencies: [
        "SwiftNFCCore", "SwiftNFCUSB", "SwiftNFCReaderExamination", "ReaderThread",
        "SwiftNFCSystemFacts", "CSwiftNFCLibNFC",
      ], path: "Sources/NFCLibNFC"),
    .target(
      name: "SwiftNFCIsolated",
      dependencies: ["SwiftNFCChildProcesses", "SwiftNFCCore", "SwiftNFCLibNFC", "ReaderThread"],
      path: "Sources/NFCIsolated"),
    .executableTarget(
      name: "SwiftNFCReader", dependencies: ["SwiftNFCIsolated", "SwiftNFCLibNFC"],
      path: "Sources/NFCReader"),
    .target(
      name: "SwiftNFCPCSC",
      dependencies: [
        "SwiftNFCCore", "SwiftNFCReaderExamination", "SwiftNFCSystemFacts", "CSwiftNFCPCSCLite",
      ], path: "Sources/NFCPCSC"),
    // Files of tags' memories, of several programs.
    .target(name: "TagImages", dependencies: ["SwiftNFCJSONText", "SwiftNFCChipBook"]),
    // Passes of phones, over a reader.
    .target(name: "NFCPasses", dependencies: ["SwiftNFCCore", "NDEF", "PassMessage"]),
    .target(
      name: "SecureTags", dependencies: ["SwiftNFCCore", "NDEF", "SUNMessage", "CSwiftNFCOpenSSL"]),
    // Passports and identity cards: reads them, and judges what they say.
    .target(name: "TravelDocuments", dependencies: ["SwiftNFCCore", "CSwiftNFCOpenSSL"]),
    .target(
      name: "VirtualNFC",
      dependencies: [
        "SwiftNFCCore", "NDEF", "ReaderThread", "SwiftNFCSeededRandom", "TagImages",
        "CSwiftNFCOpenSSL",
      ]),
    .target(
      name: "NFC",
      dependencies: [
        "SwiftNFCLibNFC", "SwiftNFCIsolated", "SwiftNFCPCSC", "SwiftNFCCore", "NDEF",
        "ReaderThread",
      ]),
    .target(
      name: "NFCDiagnosis",
      dependencies: [
        "NFC", "SwiftNFCCore", "SwiftNFCReaderExamination", "ReaderThread", "SwiftNFCSystemFacts",
      ]),
    // What `nfc` does with a whole tag, for programs.
    .target(
      name: "TagTools",
      dependencies: [
        "NFC", "SwiftNFCCore", "NDEF", "SecureTags", "SwiftNFCJSONText", "TagImages",
        "TravelDocuments",
      ]),
    .executableTarget(
      name: "SwiftNFCTool",
      dependencies: [
        "NFC", "NFCDiagnosis", "SwiftNFCCore", "SwiftNFCBackground", "VirtualNFC", "NDEF",
        "SwiftNFCJSONText",
        "SUNMessage", "SecureTags", "TagImages", "TagTools", "TravelDocuments", "Recordings",
        "NFCPasses", "PassMessage", "SignedMessages", "SwiftNFCChildProcesses",
        "SwiftNFCMQTTMessages", "ReaderThread",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Programs"])),
      ], path: "Sources/NFCTool"),
    .executableTarget(
      name: "SwiftNFCMQTT",
      dependencies: ["SwiftNFCChildProcesses", "SwiftNFCMQTTMessages", "CSwiftNFCMosquitto"],
      path: "Sources/NFCMQTT"),
    .target(name: "SwiftNFCMQTTMessages", path: "Sources/MQTTMessages"),
    .executableTarget(
      name: "SwiftNFCNotify", dependencies: ["SwiftNFCChildProcesses", "CSwiftNFCDBus"],
      path: "Sources/NFCNotify"),
    .executableTarget(
      name: "SwiftNFCRules",
      dependencies: [
        "SwiftNFCChildProcesses", "SwiftNFCJSONText",
        .product(name: "Yams", package: "Yams", condition: .when(traits: ["Programs"])),
      ], path: "Sources/NFCRules"),
    // Run by Scripts/benchmark.
    .target(name: "CReadLoop", dependencies: ["CSwiftNFCLibNFC"]),
    .executableTarget(
      name: "CTouchToAnswer", dependencies: ["CSwiftNFCLibNFC"],
      linkerSettings: [.linkedLibrary("nfc")]),
    .executableTarget(
      name: "CPollLoop", dependencies: ["CSwiftNFCLibNFC"], linkerSettings: [.linkedLibrary("nfc")]),
    .executableTarget(
      name: "NFCBenchmark",
      dependencies: ["NFC", "SwiftNFCCore", "NDEF", "VirtualNFC", "CReadLoop"]),

    .target(name: "DriverConformance", dependencies: ["NFC", "ReaderThread"]),
    // Prints what is on the tags that are tapped.
    .executableTarget(name: "NFCExample", dependencies: ["NFC", "VirtualNFC"]),

    // What several test targets share. Rig has the scripts that stand for readers on a bus.
    .target(
      name: "TestSupport",
      dependencies: [
        "SwiftNFCChildProcesses", "NFC", "SwiftNFCCore", "Recordings", "SwiftNFCSystemFacts",
        "VirtualNFC", "CSwiftNFCOpenSSL",
      ],
      path: "Tests/TestSupport", exclude: ["Rig"]),
    .testTarget(name: "JSONTextTests", dependencies: ["SwiftNFCJSONText"]),
    .testTarget(name: "ChildProcessesTests", dependencies: ["SwiftNFCChildProcesses"]),
    // Uses threads in a process whose threads are delayed.
    .executableTarget(
      name: "ThreadExercise", dependencies: ["ReaderThread"], path: "Tests/ThreadExercise"),
    .testTarget(name: "ReaderThreadTests", dependencies: ["TestSupport", "ThreadExercise"]),
    .testTarget(name: "NDEFTests", dependencies: ["NDEF", "SwiftNFCSeededRandom"]),
    .testTarget(
      name: "TagImagesTests",
      dependencies: ["SwiftNFCSeededRandom", "TagImages", "TestSupport", "VirtualNFC"]),
    .testTarget(
      name: "TagToolsTests",
      dependencies: ["NFC", "SecureTags", "TagImages", "TagTools", "TestSupport", "VirtualNFC"]),
    .testTarget(
      name: "ModelTests",
      dependencies: ["SwiftNFCCore", "ReaderThread", "SwiftNFCSeededRandom", "VirtualNFC"],
      exclude: ["ModelMain.swift"]),
    .testTarget(name: "ChipBookTests", dependencies: ["SwiftNFCChipBook", "SwiftNFCCore"]),
    .testTarget(
      name: "NFCCoreTests",
      dependencies: ["SwiftNFCCore", "SwiftNFCChipBook", "SwiftNFCSeededRandom"]),
    .testTarget(name: "SUNMessageTests", dependencies: ["SUNMessage"], exclude: ["Vectors"]),
    .testTarget(name: "PassMessageTests", dependencies: ["PassMessage"]),
    .testTarget(name: "SignedMessagesTests", dependencies: ["SignedMessages", "TestSupport"]),
    .testTarget(
      name: "NFCPassesTests",
      dependencies: [
        "NFC", "NFCPasses", "PassMessage", "Recordings", "SwiftNFCCore", "TestSupport",
        "VirtualNFC",
      ]),
    .testTarget(
      name: "SecureTagsTests",
      dependencies: ["SecureTags", "SUNMessage", "NFC", "TestSupport", "VirtualNFC"]),
    .testTarget(
      name: "TravelDocumentsTests",
      dependencies: [
        "TravelDocuments", "NFC", "SwiftNFCSeededRandom", "TestSupport", "VirtualNFC",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "VirtualNFCTests",
      dependencies: ["NFC", "SwiftNFCSeededRandom", "TestSupport", "VirtualNFC"]),
    .testTarget(
      name: "NFCLibNFCTests",
      dependencies: [
        "NFC", "SwiftNFCCore", "SwiftNFCLibNFC", "SwiftNFCReaderExamination", "VirtualNFC",
      ]),
    .testTarget(
      name: "NFCIsolatedTests",
      dependencies: [
        "NFC", "SwiftNFCCore", "SwiftNFCIsolated", "SwiftNFCReader", "SwiftNFCSeededRandom",
        "TestSupport", "VirtualNFC",
      ]),
    .testTarget(
      name: "DriverConformanceTests",
      dependencies: [
        "DriverConformance", "NFC", "SwiftNFCLibNFC", "SwiftNFCPCSC", "SwiftNFCIsolated",
        "SwiftNFCReader",
        "VirtualNFC",
      ]),
    // Only what is public, as a driver outside this package has it.
    .testTarget(
      name: "OutsideDriverTests", dependencies: ["DriverConformance", "NFC", "NFCDiagnosis"]),
    .testTarget(
      name: "NFCDiagnosisTests",
      dependencies: [
        "NFC", "SwiftNFCCore", "NFCDiagnosis", "SwiftNFCLibNFC", "SwiftNFCPCSC",
        "SwiftNFCReaderExamination",
        "SwiftNFCSystemFacts", "TestSupport",
      ]),
    .testTarget(name: "SystemFactsTests", dependencies: ["SwiftNFCSystemFacts", "TestSupport"]),
    .testTarget(
      name: "NFCTests",
      dependencies: [
        "NFC", "SwiftNFCChipBook", "SwiftNFCCore", "SwiftNFCLibNFC", "SwiftNFCUSB",
        "SwiftNFCSeededRandom", "TestSupport", "VirtualNFC",
      ]),
    // Readers that act as cards: library, tool and programs of others, with scripted phones.
    .testTarget(
      name: "EmulationTests",
      dependencies: [
        "NFC", "SwiftNFCCore", "SwiftNFCIsolated", "SwiftNFCReader", "SwiftNFCTool", "Recordings",
        "SwiftNFCSeededRandom", "TestSupport", "VirtualNFC",
      ]),
    // Tags as they come from the field, and every procedure over every one of them.
    .testTarget(
      name: "FieldTests",
      dependencies: [
        "NFC", "SwiftNFCCore", "NDEF", "SecureTags", "SwiftNFCTool", "Recordings", "TagImages",
        "TagTools", "VirtualNFC",
      ]),
    .testTarget(
      name: "NFCToolTests",
      dependencies: [
        "SwiftNFCJSONText", "NFC", "SwiftNFCCore", "SwiftNFCTool", "SwiftNFCReader",
        "SwiftNFCRules", "NFCExample",
        "DriverConformance", "VirtualNFC", "TagImages", "TagTools", "TestSupport",
      ],
      exclude: [
        "Images/Files", "Reports/Files", "Snapshots", "Watch/notification_service.py",
      ]),
    .testTarget(
      name: "RecordingsTests",
      dependencies: [
        "Recordings", "SwiftNFCJSONText", "NFC", "SwiftNFCCore", "SwiftNFCPCSC", "SecureTags",
        "SwiftNFCSeededRandom",
        "TestSupport", "VirtualNFC",
      ]),
    .testTarget(
      name: "USBTests", dependencies: ["TestSupport", "SwiftNFCTool", "SwiftNFCCore", "VirtualNFC"]),
    // Uses the library in a process that sees a reader on a bus.
    .executableTarget(
      name: "BusExercise", dependencies: ["NFC", "SwiftNFCCore"], path: "Tests/BusExercise"),
    .testTarget(
      name: "BusTests",
      dependencies: ["TestSupport", "BusExercise", "SwiftNFCTool", "SwiftNFCCore", "VirtualNFC"]),
    .testTarget(
      name: "InteropTests",
      dependencies: [
        "NFC", "SwiftNFCCore", "SecureTags", "SignedMessages", "TagImages", "TestSupport",
        "VirtualNFC",
      ]),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "NDEF", "SwiftNFCCore", "SwiftNFCSeededRandom", "TagImages", "TravelDocuments",
      ],
      exclude: ["LibFuzzerMain.swift"]),
  ],
  swiftLanguageModes: [.v6]
)

#if os(Linux)
package.targets += [
  .target(
    name: "CoreNFC",
    dependencies: [
      "SwiftNFCChildProcesses", "NFC", "NFCPasses", "SwiftNFCCore", "SwiftNFCBackground", "NDEF",
      "ReaderThread",
    ]),
  // Programs as they are written for an iPhone, in the language mode of most of them.
  .target(
    name: "CoreNFCExamples", dependencies: ["CoreNFC"],
    swiftSettings: [.swiftLanguageMode(.v5)]),
  .executableTarget(
    name: "CoreNFCBackgroundExample", dependencies: ["CoreNFC"],
    // It stands beside the program, where an app on an iPhone has it.
    exclude: ["Info.plist"],
    swiftSettings: [.swiftLanguageMode(.v5)]),
  // Uses Core NFC in a process that sees a reader on USB.
  .executableTarget(
    name: "CoreNFCExercise", dependencies: ["CoreNFC", "NFC"], path: "Tests/CoreNFCExercise"),
  .testTarget(
    name: "CoreNFCTests",
    dependencies: [
      "CoreNFC", "CoreNFCExamples", "NFC", "SwiftNFCCore", "TestSupport", "TravelDocuments",
      "VirtualNFC",
    ]),
]
#else
package.targets.append(.target(name: "AppleCoreNFC"))
#endif

// With names of test targets in NFC_TEST_TARGETS, only these are built: after a change below them, that takes a fraction
// of the time.
if let names = Context.environment["NFC_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// Scripts/test builds the package for release, but its tests without optimization: they run once, and optimizing them
// takes more time than it saves. Nothing imports them, so that a separate step for their interfaces is not needed.
if Context.environment["NFC_TESTS"] == "unoptimized" {
  for target in package.targets where target.type == .test {
    target.swiftSettings = [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]
  }
}

// Scripts/fuzz model builds the model check, from the files that the tests run for a moment.
if Context.environment["NFC_FUZZ"] == "model" {
  package.targets.removeAll { $0.name == "ModelTests" }
  package.targets.append(
    .executableTarget(
      name: "NFCModelCheck",
      dependencies: ["SwiftNFCCore", "ReaderThread", "SwiftNFCSeededRandom", "VirtualNFC"],
      path: "Tests/ModelTests",
      exclude: ["ModelTests.swift", "RefusalTests.swift"]))
} else if Context.environment["NFC_FUZZ"] != nil {
  // Scripts/fuzz builds the decoders with libFuzzer, from the files that the tests run for a moment.
  package.targets.removeAll { $0.name == "FuzzTests" }
  package.targets.append(
    .executableTarget(
      name: "NFCFuzz", dependencies: ["NDEF", "SwiftNFCCore", "TagImages", "TravelDocuments"],
      path: "Tests/FuzzTests",
      exclude: ["FuzzTests.swift"]))
  for target in package.targets
  where ["SwiftNFCJSONText", "NDEF", "SwiftNFCCore", "TagImages", "TravelDocuments", "NFCFuzz"]
    .contains(target.name)
  {
    target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer"])]
  }
}
