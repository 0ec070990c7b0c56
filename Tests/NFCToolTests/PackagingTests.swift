import Foundation
import Testing

/// Tests of the man pages, completions and package, which are created with the tool that was built for the
/// tests.
@Suite struct PackagingTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func everyCommandHasAManPage() async throws {
    let list = try await Tool.run("manual", "--list")
    #expect(list.status == 0)
    let pages = list.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(pages.count > 50)
    #expect(pages.contains("write uri"))
    #expect(pages.first == "")
    for page in ["", "info", "write uri", "iso15693 read"] {
      let result = try await Tool.run(["manual"] + page.split(separator: " ").map(String.init))
      #expect(result.status == 0)
      #expect(result.output.hasPrefix(".TH NFC"))
      #expect(result.output.contains(#/\.TH \S+ 1 "\d{4}-\d\d-\d\d" "nfc/#))
      for section in [
        ".SH NAME", ".SH DESCRIPTION", ".SH USAGE", ".SH OPTIONS", ".SH EXIT STATUS",
        ".SH SEE ALSO",
      ] {
        #expect(result.output.contains(section + "\n"))
      }
      // The formatter indents by seven columns, and man(1) uses seventy-eight of a terminal's eighty.
      let text = result.output.split(separator: ".SH EXIT STATUS")[0].split(separator: "\n")
        .filter { !$0.hasPrefix(".TH") }
      #expect(text.allSatisfy { $0.replacing("\\-", with: "-").count <= 71 }, "\(page)")
      guard page.isEmpty else { continue }
      for word in [
        ".SH ENVIRONMENT", "NFC_READER", ".SH FILES", "libnfc.conf", ".BR nfc\\-read (1)",
      ] {
        #expect(result.output.contains(word), "\(word)")
      }
    }
  }

  /// The script that is installed for bash offers files and the names of virtual tags, not only commands.
  @Test(arguments: [
    ("nfc vir", "virtual"), ("nfc virtual ntag21", "ntag213"), ("nfc dump car", "card.bin"),
    ("nfc read --virtual car", "card.bin"), ("nfc read --virtual topaz5", "topaz512"),
    ("nfc watch --rules car", "card.bin"), ("nfc help wa", "watch"), ("nfc help write u", "uri"),
    ("nfc help desfire create-f", "create-file"), ("nfc help exi", "exit-codes"),
    // Options before the command.
    ("nfc --virtual ntag21", "ntag213"), ("nfc --virtual ntag213 rea", "readers"),
    ("nfc --json --virtual ntag213 write u", "uri"), ("nfc --virt", "--virtual"),
    ("nfc --json --tim", "--timeout"), ("nfc --virtual ntag213 dump car", "card.bin"),
    ("nfc --reader pcsc : ACS rea", "read"), ("nfc --replay car", "card.bin"),
    ("nfc poll --protocols iso15", "iso15693"),
  ])
  func bashCompletes(line: String, word: String) async throws {
    let script = #"""
      cd "$FOLDER"; touch card.bin; PATH=$(dirname "$NFC"):$PATH
      eval "$(nfc --generate-completion-script bash)"
      COMP_LINE=$LINE; COMP_POINT=${#LINE}; COMP_WORDS=($LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _nfc nfc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\n' "${COMPREPLY[@]}"
      """#
    try await TemporaryDirectory.with { folder in
      let result = try await Self.run(
        #"exec bash -c "$SCRIPT""#, ["SCRIPT": script, "FOLDER": folder.path, "LINE": line])
      #expect(result.lines.contains(word), "\(result.output)\(result.errors)")
    }
  }

  @Test func installsBelowAnyDirectory() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let prefix = directory.appending(path: "local").path
      let result = try await Self.run(
        #""$ROOT/Scripts/install" --tool "$NFC" "$PREFIX" && "$PREFIX/bin/nfc" --version"#,
        ["PREFIX": prefix])
      #expect(result.status == 0)
      #expect(result.lines.last?.hasPrefix("nfc ") == true)
      for file in [
        "bin/nfc", "bin/nfc-reader", "bin/nfc-mqtt", "bin/nfc-notify", "bin/nfc-rules",
        "share/man/man1/nfc.1",
        "share/man/man1/nfc-write-uri.1",
        "share/bash-completion/completions/nfc", "share/zsh/site-functions/_nfc",
        "share/fish/vendor_completions.d/nfc.fish", "share/nfc/60-nfc.rules",
      ] {
        #expect(FileManager.default.fileExists(atPath: prefix + "/" + file))
        #expect(result.lines.contains(prefix + "/" + file))
      }
      #expect(result.errors.contains("PATH"))
      // These steps are root's, whoever has installed the command: the rules are not where udev reads them.
      #expect(result.errors.contains("copy \(prefix)/share/nfc/60-nfc.rules to /etc/udev/rules.d"))
      #expect(result.errors.contains("adduser $USER dialout"))
      let bash = try await Self.run(
        #"bash -n "$PREFIX/share/bash-completion/completions/nfc""#, ["PREFIX": prefix])
      #expect(bash.status == 0)
    }
  }

  @Test func aDirectoryThatCannotBeWrittenIsRefusedAtOnce() async throws {
    let result = try await Self.run(#""$ROOT/Scripts/install" /proc/nowhere"#)
    #expect(result.status == 1)
    #expect(result.errors.contains("you may not write"))
  }

  @Test func thePackageIsInstalledAndRemoved() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let script = #"""
        set -eu
        mkdir -p "$D/system/var/lib/dpkg" "$D/out"
        : >"$D/system/var/lib/dpkg/status"
        # The best compression of 200 MB needs minutes, and is not what is tested.
        export DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1
        package=$("$ROOT/Scripts/package" --tool "$NFC" --output "$D/out")
        dpkg-deb --info "$package" | grep -q "Package: nfc-swift"
        dpkg-deb --field "$package" Maintainer
        depends=$(dpkg-deb --field "$package" Depends)
        # Every library of the system that the programs are linked to directly is in a package that is declared.
        for program in "$NFC" "$(dirname "$NFC")/nfc-reader"; do
          for name in $(objdump -p "$program" | sed -n 's/^ *NEEDED *//p'); do
            path=$(ldd "$program" | sed -n "s|^\t$name => \(/[^ ]*\) .*|\1|p")
            [ -n "$path" ] || continue
            owner=$({ dpkg-query -S "$path" || dpkg-query -S "/usr$path"; } 2>/dev/null | sed 's/:.*//')
            [ -n "$owner" ] || continue
            case ", $depends," in *", $owner,"*) ;; *) echo "not declared: $owner ($name)" ;; esac
          done
        done
        echo "depends: $depends"
        dpkg --root="$D/system" --force-depends --force-not-root --force-script-chrootless \
          --log=/dev/null --install "$package" >/dev/null 2>&1
        "$D/system/usr/bin/nfc" --version
        (cd "$D/system" && find usr -type f | sort)
        dpkg --root="$D/system" --force-not-root --log=/dev/null --purge nfc-swift >/dev/null 2>&1
        echo "left: $(cd "$D/system" && find usr -type f 2>/dev/null | wc -l)"
        """#
      let result = try await Self.run(script, ["D": directory.path])
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.output.contains("not declared"), "\(result.output)")
      let depends = result.lines.first { $0.hasPrefix("depends: ") } ?? ""
      for package in ["libc6", "libnfc6", "libpcsclite1", "libusb-1.0-0"] {
        #expect(depends.contains(package), "\(depends)")
      }
      for file in [
        "usr/bin/nfc", "usr/bin/nfc-reader", "usr/bin/nfc-mqtt", "usr/bin/nfc-notify",
        "usr/bin/nfc-rules",
        "usr/share/man/man1/nfc.1.gz", "usr/share/man/man1/nfc-felica-read.1.gz",
        "usr/share/bash-completion/completions/nfc", "usr/share/zsh/vendor-completions/_nfc",
        "usr/share/fish/vendor_completions.d/nfc.fish", "usr/lib/udev/rules.d/60-nfc.rules",
        "usr/share/doc/nfc-swift/copyright",
        "swift-nfc contributors <swift-nfc@localhost>",
      ] {
        #expect(result.lines.contains(file))
      }
      #expect(result.lines.last?.filter { !$0.isWhitespace } == "left:0")
    }
  }

  private static func run(
    _ script: String, _ variables: [String: String] = [:]
  ) async throws -> Tool.Result {
    // A package is compressed, and each of its man pages requires a run of the tool.
    try await Tool.shell(
      script, environment: variables.merging(["ROOT": root.path]) { $1 }, within: .seconds(240))
  }
}
