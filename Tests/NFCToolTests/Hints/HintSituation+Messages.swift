extension HintSituation {
  /// Situations with messages that are written.
  static let messages = [
    HintSituation(
      tag: "ntag213",
      line: "write text a --count 2",
      status: 64,
      hint: "--count requires --each",
      leads: []),
    HintSituation(
      line: "write text a --count 1 --virtual ntag213",
      status: 64,
      hint: "--count requires --each",
      leads: ["… --each"]),
    HintSituation(
      line: "write text a --each --row 2 --virtual ntag213",
      status: 64,
      hint: "--row requires --from",
      leads: []),
    HintSituation(
      before: [#"!printf 'name\nada\nbob\n' > {folder}/t.csv"#],
      line: "write text '{name}' --each --row 2 --virtual ntag213",
      status: 64,
      hint: "--row requires --from",
      leads: ["… --from {folder}/t.csv"]),
    HintSituation(
      before: [#"!printf 'name\nada\n' > {folder}/t.csv"#],
      line: "write text a --each --from {folder}/t.csv --virtual ntag213",
      status: 64,
      hint: "there are {name}; leave --from out to use none",
      leads: [
        "write text {name} --each --from {folder}/t.csv --virtual ntag213",
        "write text a --each --virtual ntag213 --count 1",
      ]),
    HintSituation(
      before: [#"!printf 'name\nada\n' > {folder}/t.csv"#, "encode text a --output {folder}/m"],
      line: "write raw {folder}/m --each --from {folder}/t.csv --virtual ntag213",
      status: 64,
      hint: "leave --from out",
      leads: ["write raw {folder}/m --each --count 1 --virtual ntag213"]),
    HintSituation(
      before: [#"!printf 'name\nada\n' > {folder}/t.csv"#],
      line: "write text {name} --results {folder}/r.csv --virtual ntag213",
      status: 64,
      hint: "--results requires --from",
      leads: ["… --from {folder}/t.csv"]),
    HintSituation(
      before: [#"!printf 'name\nada\n' > {folder}/t.csv"#],
      line: "write text {name} --from {folder}/t.csv --results - --virtual ntag213",
      status: 64,
      hint: "--results needs a file; --json prints the results",
      leads: [
        "write text {name} --from {folder}/t.csv --results {folder}/r.csv --virtual ntag213",
        "write text {name} --from {folder}/t.csv --json --virtual ntag213",
      ]),
    HintSituation(
      line: "write text a --each --plan --virtual ntag213",
      status: 64,
      hint: "--plan is of one tag, and --each writes every tag",
      leads: ["write text a --plan --virtual ntag213"]),
    HintSituation(
      line: "write text a --each --count 1 --backup {folder}/b --virtual ntag213",
      status: 64,
      hint: "--backup keeps the message of one tag, and --each writes every tag",
      leads: ["write text a --backup {folder}/b --virtual ntag213"]),
    HintSituation(
      line: "write text a --backup - --json --virtual ntag213",
      status: 64,
      hint: "--backup - and --json cannot both be given",
      leads: [
        "write text a --backup {folder}/b --json --virtual ntag213",
        "write text a --backup - --virtual ntag213",
      ]),
    HintSituation(
      line: "write text a --each --uid 04 --virtual ntag213",
      status: 64,
      hint: "--uid selects one tag, and --each writes every tag",
      leads: ["write text a --each --count 1 --virtual ntag213"]),
    HintSituation(
      line: "write text a --each --count 2 --timeout 0.5 --virtual ntag213",
      status: 66,
      hint: "hold the next one to the reader, or wait longer with --timeout",
      leads: []),
    HintSituation(
      tag: "ntag213",
      line: "write wifi A --security wpa3",
      status: 64,
      hint: "--security wpa3 needs a --password",
      leads: ["… --password 12345678"]),
    HintSituation(
      tag: "ntag213",
      line: "write wifi A --security open --password 12345678",
      status: 64,
      hint: "An open network has no --password",
      leads: ["write wifi A --security open"]),
    HintSituation(
      tag: "ntag213",
      line: "write wifi A --security wpa3 --password {long}",
      status: 64,
      hint: "it has 1 to 64 bytes; insist with --as-is",
      leads: ["write wifi A --security wpa3 --password 12345678"]),
    HintSituation(
      tag: "ntag213",
      line: "write bluetooth 001122334455 --random",
      status: 64,
      hint: "--random requires --le",
      leads: ["… --le"]),
    HintSituation(
      tag: "ntag213",
      line: "write contact",
      status: 64,
      hint:
        "A file, or at least one of --name, --given, --family, --phone, --email, --organization and --url, is needed",
      leads: ["… --name Ada"]),
    HintSituation(
      tag: "ntag213",
      line: "write contact {folder}/x --name Ada",
      status: 64,
      hint: "Give either a file or the card's fields",
      leads: ["write contact --name Ada"]),
    HintSituation(
      tag: "ntag213",
      line: "write contact 'Ada Lovelace'",
      status: 66,
      hint: "check the name of the file, or give a person's name as --name 'Ada Lovelace'",
      leads: ["write contact --name 'Ada Lovelace'"]),
    HintSituation(
      tag: "ntag213",
      line: "write uri ''",
      status: 64,
      hint: "nfc erase empties a tag",
      leads: ["erase"]),
    HintSituation(
      tag: "ntag213",
      before: ["read --raw {folder}/m"],
      line: "write raw {folder}/m",
      status: 65,
      hint: "nfc erase empties a tag",
      leads: ["erase"]),
    HintSituation(
      tag: "ntag213",
      line: "write home-assistant ''",
      status: 64,
      hint: "leave the id out for a new one",
      leads: ["write home-assistant"]),
    HintSituation(
      tag: "ntag213",
      line: "write uri http://",
      status: 64,
      hint: "it is like https://example.com; insist with --as-is",
      leads: ["write uri https://example.com", "… --as-is"]),
    HintSituation(
      tag: "ntag213",
      line: "write app 'bad app'",
      status: 64,
      hint: "it is like org.mozilla.firefox; insist with --as-is",
      leads: ["write app org.mozilla.firefox", "… --as-is"]),
    HintSituation(
      tag: "ntag213",
      before: [#"!printf '\321\001\002T\305a' > {folder}/m"#],
      line: "write raw {folder}/m",
      status: 65,
      hint: "insist with --as-is",
      leads: ["… --as-is"]),
    HintSituation(
      tag: "ntag210",
      line: "write text {long}",
      status: 65,
      hint: "use a shorter message or a larger tag",
      leads: ["write text a"]),
    HintSituation(
      tag: "ntag213",
      before: ["mifare send A2040304D700", "mifare send A2050161FE00"],
      line: "write text b --append",
      status: 65,
      hint: "leave --append out to replace the message",
      leads: ["write text b"]),
    HintSituation(
      tag: "ntag213",
      line: "read --uid 04FFFFFF --timeout 1",
      status: 66,
      hint: "hold it to the reader, or wait longer with --timeout",
      leads: []),
    HintSituation(
      tag: "mifare-plus",
      line: "read",
      status: 66,
      hint: "it is a MIFARE Plus, which cannot be formatted; use another tag",
      leads: []),
  ]
}
