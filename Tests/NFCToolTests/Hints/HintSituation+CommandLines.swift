extension HintSituation {
  /// Situations with words, readers and files of the command line.
  static let commandLines = [
    HintSituation(
      tag: "ntag213",
      line: "poll -v",
      status: 64,
      hint: "did you mean --version or --verbose",
      leads: ["@ poll --version", "poll --verbose --once"]),
    HintSituation(
      line: "poll --once --count 1 --virtual ntag213",
      status: 64,
      hint: "give only one of them",
      leads: ["poll --once --virtual ntag213", "poll --count 1 --virtual ntag213"]),
    HintSituation(
      line: "poll --once --protocols isoo14443 --virtual ntag213",
      status: 64,
      hint: "did you mean iso14443",
      leads: ["poll --once --protocols iso14443 --virtual ntag213"]),
    HintSituation(
      line: "write hello --virtual ntag213",
      status: 64,
      hint: "for a text write nfc write text hello; nfc write --help shows those that there are",
      leads: ["write text hello --virtual ntag213", "write --help"]),
    HintSituation(
      line: "write https://a.example --virtual ntag213",
      status: 64,
      hint: "write nfc write uri https://a.example",
      leads: ["write uri https://a.example --virtual ntag213"]),
    HintSituation(
      line: "hello",
      status: 64,
      hint: "nfc --help shows those that there are",
      leads: ["--help"]),
    HintSituation(
      line: "desfire frobnicate",
      status: 64,
      hint: "nfc desfire --help shows those that there are",
      leads: ["desfire --help"]),
    HintSituation(
      line: "desfire poll",
      status: 64,
      hint: "did you mean nfc poll? nfc desfire --help shows the commands that there are",
      leads: ["desfire --help", "poll --once --virtual ntag213"]),
    HintSituation(
      line: "emulate --type2 x",
      status: 64,
      hint: "nfc emulate --help shows those that there are",
      leads: ["emulate --help"]),
    HintSituation(
      line: "virtual --virtual ntag213",
      status: 64,
      hint: "name its tags without an option, as in nfc virtual ntag215",
      leads: ["& virtual ntag215"]),
    HintSituation(
      line: "virtual --host 127.0.0.1 ntag213",
      status: 64,
      hint: "--host, --port and --dialect require --pcsc",
      leads: ["& virtual ntag213"]),
    HintSituation(
      line: "virtual ntag213 --pcsc --pcap x",
      status: 64,
      hint: "with --pcsc use --trace",
      leads: ["& virtual ntag213 --pcap {folder}/p"]),
    HintSituation(
      line: "virtual --list ntag213",
      status: 64,
      hint: "--list only prints names, and takes nothing else",
      leads: ["virtual --list"]),
    HintSituation(
      line: "virtual ntag213,suica",
      status: 64,
      hint: "write ntag213 suica",
      leads: ["& virtual ntag213 suica"]),
    HintSituation(
      line: "poll --once --virtual ntag213,suica",
      status: 64,
      hint: "write --virtual ntag213 --virtual suica",
      leads: ["poll --once --virtual ntag213 --virtual suica"]),
    HintSituation(
      line: "virtual ntag213 poll",
      status: 64,
      hint: "poll is a command, as in nfc poll --virtual ntag213",
      leads: ["poll --once --virtual ntag213"]),
    HintSituation(
      line: "poll --once --virtual felica",
      status: 64,
      hint:
        "did you mean felica-lite-s, suica? nfc virtual --list shows all; a dump file can be given, too",
      leads: [
        "poll --once --virtual felica-lite-s", "poll --once --virtual suica", "virtual --list",
      ]),
    HintSituation(
      line: "manual --reader x",
      status: 64,
      hint: "nfc manual --help shows its options",
      leads: ["manual --help"]),
    HintSituation(
      line: "read pcsc:Foo",
      status: 64,
      hint: "did you mean --reader pcsc:Foo",
      leads: []),
    HintSituation(
      tag: "ntag213",
      line: "@ read {reader}",
      status: 64,
      hint: "did you mean --reader {reader}",
      leads: ["@ read --reader {reader}"]),
    HintSituation(
      tag: "ntag213",
      line: "@ poll --once --reader nonsense",
      status: 69,
      hint: "nfc doctor --reader nonsense says more, and --virtual demo needs no reader",
      leads: ["@ poll --once --virtual demo"]),
    HintSituation(
      tag: "ntag213",
      line: "@ read --reader usb",
      status: 69,
      hint:
        "leave out --reader, because readers on USB are found automatically; nfc readers shows their connection strings",
      leads: ["@ LIBNFC_DEVICE={reader} readers", "@ LIBNFC_DEVICE={reader} read"]),
    HintSituation(
      tag: "ntag213",
      line: "@ NFC_READER=usb read",
      status: 69,
      hint: "unset NFC_READER",
      leads: ["@ LIBNFC_DEVICE={reader} read"]),
    HintSituation(
      tag: "ntag213",
      line: "@ doctor --reader nonsense",
      status: 69,
      hint: "nfc readers lists those that are found",
      leads: ["@ LIBNFC_DEVICE={reader} readers"]),
    HintSituation(
      tag: "ntag213",
      line: "@ watch --reader nonsense",
      status: 69,
      hint: "nfc readers lists the readers",
      leads: ["@ LIBNFC_DEVICE={reader} readers"]),
    HintSituation(
      tag: "ntag213",
      line: "@ doctor",
      status: 69,
      hint: "plug one in, name one on a serial port with --reader, or use --virtual demo",
      leads: ["@ doctor --reader {reader}", "@ doctor --virtual demo"]),
    HintSituation(
      tag: "ntag213",
      line: "@ poll --once",
      status: 69,
      hint:
        "nfc doctor says what to do; --virtual demo needs none",
      leads: ["@ poll --once --reader {reader}", "@ poll --once --virtual demo"]),
    HintSituation(
      tag: "ntag213",
      line: "@ read --reader {reader}:115200:9600",
      status: 69,
      hint: "write {reader}:115200",
      leads: ["@ read --reader {reader}:115200"]),
    HintSituation(
      tag: "ntag213",
      line: "@ read --reader udp",
      status: 69,
      hint: "nfc virtual makes a reader that other programs can open; nfcpy's is not one",
      leads: ["& @ virtual ntag213"]),
    HintSituation(
      line: "doctor --with-uids",
      status: 64,
      hint: "--with-uids requires --report",
      leads: []),
    HintSituation(
      tag: "ntag213",
      line: "doctor --with-uids",
      status: 64,
      hint: "--with-uids requires --report",
      leads: ["… --report {folder}/r.md"]),
    HintSituation(
      line: "write text a --virtual ntag213 --virtual ntag213 --uid 04",
      status: 66,
      hint: "hold it to the reader, or wait longer with --timeout",
      leads: []),
    HintSituation(
      line: "read --virtual ntag213 --record {folder}/nothere/x",
      status: 66,
      hint: "check the name of the directory",
      leads: ["read --virtual ntag213 --record {folder}/x"]),
    HintSituation(
      line: "read --virtual ntag213 --raw {folder}",
      status: 66,
      hint: "name a file in it",
      leads: ["read --virtual ntag213 --raw {folder}/x"]),
    HintSituation(
      line: "decode {folder}/nothere",
      status: 66,
      hint: "check the name of the file",
      leads: []),
    HintSituation(
      before: ["read --virtual ntag213 --record {folder}/r"],
      line: "read --virtual ntag213 --replay-any-order",
      status: 64,
      hint: "--replay-any-order requires --replay",
      leads: ["read --replay-any-order --replay {folder}/r"]),
    HintSituation(
      line: "read --virtual ntag213 --with-secrets",
      status: 64,
      hint: "--with-secrets requires --record or --pcap",
      leads: ["… --record {folder}/r", "… --pcap {folder}/p"]),
    HintSituation(
      before: ["!echo x > {folder}/r"],
      line: "read --replay {folder}/r",
      status: 65,
      hint: "make recordings with --record",
      leads: ["read --virtual ntag213 --record {folder}/r --force", "…"]),
    HintSituation(
      before: ["read --virtual ntag213 --record {folder}/r"],
      line: "info --replay {folder}/r",
      status: 65,
      hint: "play it back with the command that it was made with",
      leads: ["read --replay {folder}/r"]),
    HintSituation(
      before: ["dump {folder}/a.bin --virtual ntag213"],
      line: "dump {folder}/a.bin --virtual ntag213",
      status: 64,
      hint: "give another name, or add --force",
      leads: ["dump {folder}/b.bin --virtual ntag213", "… --force"]),
    HintSituation(
      line: "dump {folder}/r.bin --record {folder}/r.bin --virtual ntag213",
      status: 64,
      hint: "give --record a file of its own",
      leads: ["dump {folder}/r.bin --record {folder}/r --virtual ntag213"]),
    HintSituation(
      before: ["dump {folder}/a.nfc --virtual ntag213"],
      line: "convert {folder}/a.nfc {folder}/a.foo",
      status: 64,
      hint: "use one of .bin, .mfd, .eml, .json, .nfc, .mct, .picopass",
      leads: ["convert {folder}/a.nfc {folder}/a.json"]),
    HintSituation(
      before: ["!head -c 36 /dev/zero > {folder}/a.bin"],
      line: "convert {folder}/a.bin {folder}/a.json",
      status: 65,
      hint: "add --iso15693 if they are of an ISO 15693 tag",
      leads: ["… --iso15693"]),
    HintSituation(
      before: ["!head -c 36 /dev/zero > {folder}/a.bin"],
      line: "read --virtual {folder}/a.bin",
      status: 65,
      hint: "use a file that names its tag, such as .json or .nfc",
      leads: []),
    HintSituation(
      before: ["!echo FFFFFFFFFFFF > {folder}/k"],
      line: "read --virtual {folder}/k",
      status: 65,
      hint: "use them with --keys",
      leads: ["info --virtual classic-1k --keys {folder}/k"]),
    HintSituation(
      before: ["dump {folder}/a.nfc --virtual classic-1k"],
      line: "diff {folder}/a.nfc {folder}/a.nfc --key FFFFFFFFFFFF",
      status: 64,
      hint: "--key or --keys is for the tag, which takes the place of a file as -",
      leads: ["diff {folder}/a.nfc - --key FFFFFFFFFFFF --virtual classic-1k"]),
    HintSituation(
      line: "virtual icode-slix2 topaz512",
      status: 69,
      hint: "leave icode-slix2 out",
      leads: ["& virtual topaz512"]),
    HintSituation(
      before: ["dump {folder}/a.nfc --virtual ntag213"],
      line: "poll --once --virtual {folder}/a.nfc --virtual {folder}/a.nfc",
      status: 64,
      hint: "leave one out",
      leads: ["poll --once --virtual {folder}/a.nfc"]),
    HintSituation(
      before: [
        "dump {folder}/b.eml --virtual ntag213",
        "!iconv -f UTF-8 -t UTF-16 {folder}/b.eml > {folder}/a.eml",
      ],
      line: "read --virtual {folder}/a.eml",
      status: 65,
      hint: "save it as UTF-8",
      leads: ["read --virtual {folder}/b.eml"]),
    HintSituation(
      tag: "felica-lite-s",
      line: "felica send 06010B00018000",
      status: 74,
      hint: "write {idm} after its code",
      leads: ["felica send 06{idm}010B00018000"]),
    HintSituation(
      tag: "felica-lite-s",
      line: "felica send 060000000000000000010B00018000",
      status: 74,
      hint: "write {idm} instead of 0000000000000000",
      leads: ["felica send 06{idm}010B00018000"]),
    HintSituation(
      line: "info --virtual ntag213 --virtual ntag215 --uid 04ABCDEF --timeout 0.2",
      status: 66,
      hint: "hold it to the reader, or wait longer with --timeout",
      leads: []),
    HintSituation(
      before: [#"!head -c 192 /dev/zero | tr '\0' '\377' > {folder}/k.bin"#],
      line: "read --virtual {folder}/k.bin",
      status: 65,
      hint: "use it with --keys",
      leads: ["info --virtual classic-1k --keys {folder}/k.bin"]),
    HintSituation(
      before: [
        #"!printf 'Filetype: Flipper NFC keys\nVersion: 1\nMifare Classic type: 1K\nKey A map: 0000000000000001\nKey A sector 0: FF FF FF FF FF FF\n' > {folder}/k.nfc"#
      ],
      line: "read --virtual {folder}/k.nfc",
      status: 65,
      hint: "use the file with --keys",
      leads: ["info --virtual classic-1k --keys {folder}/k.nfc"]),
  ]
}
