extension HintSituation {
  /// Situations of `nfc watch` and `nfc emulate`.
  static let watching = [
    HintSituation(
      line: "watch --virtual ntag213 --write",
      status: 64,
      hint: "--write requires --install",
      leads: ["!HOME={folder} XDG_CONFIG_HOME={folder} $NFC watch --install --write"]),
    HintSituation(
      line: "watch --virtual ntag213 --system",
      status: 64,
      hint: "--system requires --install",
      leads: ["watch --system --install"]),
    HintSituation(
      line: "watch --install --system --open",
      status: 64,
      hint: "--open and --notify need a desktop",
      leads: ["watch --install --open", "watch --install --system"]),
    HintSituation(
      line: "watch --install --exec-timeout 3",
      status: 64,
      hint: "--exec-timeout requires --exec or --rules",
      leads: ["… --exec true"]),
    HintSituation(
      line: "watch --install --schemes https",
      status: 64,
      hint: "--schemes requires --open, --notify or --rules",
      leads: ["… --open", "… --notify"]),
    HintSituation(
      line: "watch --install --topic x",
      status: 64,
      hint: "--topic requires --mqtt",
      leads: ["… --mqtt mqtt://localhost"]),
    HintSituation(
      before: ["!touch {folder}/c"],
      line: "watch --install --mqtt mqtt://localhost --mqtt-ca {folder}/c",
      status: 64,
      hint: "--mqtt-ca requires an address that begins with mqtts://",
      leads: ["watch --install --mqtt mqtts://localhost --mqtt-ca {folder}/c"]),
    HintSituation(
      line: "watch --install --mqtt mqtt://u:p@localhost",
      status: 64,
      hint: "set NFC_MQTT_PASSWORD instead",
      leads: ["NFC_MQTT_PASSWORD=p watch --install --mqtt mqtt://u@localhost"]),
    HintSituation(
      before: [
        "!touch {folder}/c; openssl req -x509 -newkey rsa:2048 -nodes -keyout {folder}/k -subj /C=UT -out {folder}/p 2> {folder}/o"
      ],
      line: "watch --virtual ntag213 --mqtt mqtts://localhost:1 --mqtt-ca {folder}/c",
      status: 65,
      hint: "name a file of certificate authorities in PEM format",
      leads: [
        "& watch --virtual ntag213 --mqtt mqtts://localhost:1 --mqtt-ca {folder}/p --spool {folder}/y"
      ]),
    HintSituation(
      before: [#"!printf -- "- match:\n    type: miFare\n  do:\n    notify: a\n" > {folder}/q"#],
      line: "watch --virtual ntag213 --rules {folder}/r",
      status: 66,
      hint: "check the name of the file",
      leads: ["& watch --virtual ntag213 --rules {folder}/q"]),
    HintSituation(
      line: "watch --virtual ntag213 --mqtt mqtt://localhost:1 --spool {folder}/n/x",
      status: 74,
      hint: "name another file with --spool",
      leads: ["& watch --virtual ntag213 --mqtt mqtt://localhost:1 --spool {folder}/x"]),
    HintSituation(
      before: ["!echo hello > {folder}/x"],
      line: "watch --virtual ntag213 --mqtt mqtt://localhost:1 --spool {folder}/x",
      status: 65,
      hint: "name another one with --spool",
      leads: ["& watch --virtual ntag213 --mqtt mqtt://localhost:1 --spool {folder}/y"]),
    HintSituation(
      before: [#"!printf -- "- match:\n    type: miFare\n  do:\n    publish: a\n" > {folder}/r"#],
      line: "watch --virtual ntag213 --rules {folder}/r",
      status: 65,
      hint: "name one with --mqtt",
      leads: [
        "& watch --virtual ntag213 --rules {folder}/r --mqtt mqtt://localhost:1 --spool {folder}/y"
      ]),
    HintSituation(
      line: "emulate --virtual demo --timeout 0.2",
      status: 64,
      hint: "Name what to emulate: a kind of message such as uri, or --exec or --socket",
      leads: [
        "& emulate uri https://a.example --virtual demo", "& emulate --exec cat --virtual demo",
        "& emulate --socket {folder}/s --virtual demo",
      ]),
    HintSituation(
      line: "emulate --exec cat --socket x --virtual demo",
      status: 64,
      hint: "Give either --exec or --socket",
      leads: ["& emulate --exec cat --virtual demo"]),
    HintSituation(
      line: "emulate uri https://a.example --save x --virtual demo",
      status: 64,
      hint: "--save requires --writable",
      leads: ["& … --writable"]),
    HintSituation(
      line: "emulate uri https://a.example --commands --virtual demo",
      status: 64,
      hint: "--commands requires --json",
      leads: ["& … --json"]),
    HintSituation(
      line: "emulate uri https://a.example --uid 01020304 --virtual demo",
      status: 64,
      hint: "give three bytes with --uid, or none for random ones",
      leads: [
        "& emulate uri https://a.example --uid 010203 --virtual demo",
        "& emulate uri https://a.example --virtual demo",
      ]),
    HintSituation(
      line: "emulate uri https://a.example --size 10 --virtual demo",
      status: 65,
      hint: "make the file larger with --size, or use a shorter message",
      leads: ["& emulate uri https://a.example --size 100 --virtual demo"]),
    HintSituation(
      line: "emulate uri https://a.example --virtual demo --timeout 0.2",
      status: 66,
      hint: "hold a phone to the reader, or wait longer with --timeout",
      leads: ["& emulate uri https://a.example --virtual demo --timeout 60"]),
  ]
}
