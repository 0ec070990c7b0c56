extension HintSituation {
  /// Situations with smart cards.
  static let smartCards = [
    HintSituation(
      tag: "desfire",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line: "desfire create-file --app F00001 --file 1 --type standard --key 0:{zeros}",
      status: 64,
      hint: "A data file needs --size",
      leads: ["… --size 32"]),
    HintSituation(
      tag: "desfire",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line: "desfire create-file --app F00001 --file 1 --type linear --size 8 --key 0:{zeros}",
      status: 64,
      hint: "A record file needs --size and --records",
      leads: ["… --records 3"]),
    HintSituation(
      tag: "desfire-ev3",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line: "desfire create-file --app F00001 --file 15 --type transaction-mac --key 0:{zeros}",
      status: 64,
      hint: "--type transaction-mac and --mac-key require each other",
      leads: ["… --mac-key {key}"]),
    HintSituation(
      tag: "desfire",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line: "desfire create-file --app F00001 --file 1 --size 8 --upper 9 --key 0:{zeros}",
      status: 64,
      hint: "--upper is for --type value",
      leads: ["desfire create-file --app F00001 --file 1 --type value --upper 9 --key 0:{zeros}"]),
    HintSituation(
      tag: "desfire",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line:
        "desfire create-file --app F00001 --file 1 --type value --value 50 --upper 10 --key 0:{zeros}",
      status: 64,
      hint: "The value must be between --lower and --upper",
      leads: [
        "desfire create-file --app F00001 --file 1 --type value --value 5 --upper 10 --key 0:{zeros}"
      ]),
    HintSituation(
      tag: "desfire",
      line: "desfire create-app F00001 --keys 2 --crypto aes --name AB",
      status: 64,
      hint: "--name needs --iso",
      leads: ["… --iso F001"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --type value --value 5",
      ],
      line: "desfire write --app F00001 --file 1 11 --key 0:{zeros}",
      status: 64,
      hint:
        "nfc desfire value --app F00001 --file 1 shows it, and changes it with --credit or --debit",
      leads: [
        "desfire value --app F00001 --file 1 --key 0:{zeros}",
        "desfire value --app F00001 --file 1 --credit 1 --key 0:{zeros}",
        "desfire value --app F00001 --file 1 --debit 1 --key 0:{zeros}",
      ]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --size 8",
      ],
      line: "desfire write --app F00001 --file 1 11 --update 0 --key 0:{zeros}",
      status: 64,
      hint: "leave out --update",
      leads: ["desfire write --app F00001 --file 1 11 --key 0:{zeros}"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --type linear --size 8 --records 3",
      ],
      line: "desfire write --app F00001 --file 1 1122 --update 0 --key 0:{zeros}",
      status: 65,
      hint: "without --update, one is appended",
      leads: ["desfire write --app F00001 --file 1 1122 --key 0:{zeros}"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --size 8",
      ],
      line: "desfire value --app F00001 --file 1 --key 0:{zeros}",
      status: 64,
      hint: "nfc desfire info shows which do",
      leads: ["desfire info --key 0:{zeros}"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --type value",
      ],
      line: "desfire value --app F00001 --file 1 --key 0:{zeros} --credit 1 --debit 1",
      status: 64,
      hint: "Give one of --credit, --debit and --limited-credit",
      leads: ["desfire value --app F00001 --file 1 --key 0:{zeros} --credit 1"]),
    HintSituation(
      tag: "desfire-ev3",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --type value",
      ],
      line: "desfire value --app F00001 --file 1 --key 0:{zeros} --credit 1 --reader-id {key}",
      status: 77,
      hint: "leave --reader-id out",
      leads: ["desfire value --app F00001 --file 1 --key 0:{zeros} --credit 1"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --size 8",
      ],
      line: "desfire read --app F00001 --file 1 --key 0:{ones}",
      status: 77,
      hint: "check the key and its number",
      leads: ["desfire read --app F00001 --file 1 --key 0:{zeros}"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 1 --size 8",
      ],
      line: "desfire read --app F00001 --file 1",
      status: 77,
      hint: "give it with --key 0:HEX",
      leads: ["… --key 0:{zeros}"]),
    HintSituation(
      tag: "desfire",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line: "desfire change-key 1 --app F00001 --key 0:{zeros} --key 1:{ones} --new-key {key}",
      status: 77,
      hint: "check --key 1:HEX",
      leads: ["desfire change-key 1 --app F00001 --key 0:{zeros} --key 1:{zeros} --new-key {key}"]),
    HintSituation(
      tag: "desfire",
      before: ["desfire create-app F00001 --keys 4 --crypto aes"],
      line:
        "desfire change-key 1 --app F00001 --key 0:{zeros} --key 1:{zeros} --new-key {key} --new-key-file x",
      status: 64,
      hint: "Give either --new-key or --new-key-file",
      leads: ["desfire change-key 1 --app F00001 --key 0:{zeros} --key 1:{zeros} --new-key {key}"]),
    HintSituation(
      tag: "blank-desfire-ev3",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --key 0:{zeros} --file 2 --size 256",
      ],
      line: "sun setup 'https://a.example/?p={picc}&c={mac}' --app F00001 --file 2 --key 0:{zeros}",
      status: 66,
      hint:
        "nfc desfire delete-file --app F00001 --file 2 deletes the file; nfc desfire create-file --app F00001 --file 2 --size 256 --dynamic creates one for links",
      leads: [
        "desfire delete-file --app F00001 --file 2 --key 0:{zeros}",
        "desfire create-file --app F00001 --file 2 --size 256 --dynamic --key 0:{zeros}", "…",
      ]),
    HintSituation(
      tag: "blank-desfire-ev3",
      line: "sun setup 'https://a.example/?p={picc}&c={mac}' --app F00001 --file 2 --key 0:{zeros}",
      status: 66,
      hint: "nfc desfire info shows what is there; nfc desfire create-app creates an application",
      leads: ["desfire info", "desfire create-app F00001 --keys 4 --crypto aes"]),
    HintSituation(
      tag: "desfire-ev3",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --file 2 --size 256 --dynamic --key 0:{zeros}",
      ],
      line: "sun setup 'https://a.example/?p={picc}&c={mac}'",
      status: 66,
      hint: "use an NTAG 424 DNA, or name a file of a DESFire EV3 with --app and --file",
      leads: ["… --app F00001 --file 2 --key 0:{zeros}"]),
    HintSituation(
      tag: "ntag424",
      line: "sun setup https://a.example/",
      status: 64,
      hint: "nfc sun setup --help shows templates",
      leads: ["sun setup --help"]),
    HintSituation(
      tag: "ntag424",
      line: "sun setup 'https://a.example/?p={picc}&c={mac}' --key 0:{key}",
      status: 77,
      hint: "give the keys that the tag has now with --key",
      leads: ["sun setup 'https://a.example/?p={picc}&c={mac}' --key 0:{zeros}"]),
    HintSituation(
      tag: "ntag424",
      line: "sun setup 'https://a.example/?p={picc}&c={mac}' --key 0:{zeros} --key-version 1",
      status: 64,
      hint: "--key-version requires --new-key",
      leads: ["… --new-key 1:{key}"]),
    HintSituation(
      tag: "blank-desfire-ev3",
      before: [
        "desfire create-app F00001 --keys 4 --crypto aes",
        "desfire create-file --app F00001 --file 2 --size 256 --dynamic --key 0:{zeros}",
      ],
      line: "sun setup 'https://a.example/?p={picc}&c={mac}' --app F00001 --key 0:{zeros}",
      status: 64,
      hint: "--app and --file require each other",
      leads: ["… --file 2"]),
    HintSituation(
      line:
        "sun verify 'https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086'",
      status: 64,
      hint: "give it with --key or NFC_KEYS",
      leads: ["… --key {zeros}", "NFC_KEYS={zeros} …"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus level 3",
      status: 64,
      hint: "add --permanently to confirm",
      leads: ["plus level"]),
    HintSituation(
      tag: "blank-mifare-plus",
      line: "plus level 3 --permanently",
      status: 66,
      hint: "nfc plus level shows its level",
      leads: ["plus level"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus personalize --key master:{key}",
      status: 77,
      hint: "nfc plus change-key changes its keys",
      leads: ["plus change-key 1A --key 1A:{ones} --new-key {key}"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus write 3 000000000000FF078069FFFFFFFFFFFF --key 0A:{ones}",
      status: 64,
      hint: "give --access-conditions to write it",
      leads: ["… --access-conditions"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus value 4 --key 1A:{ones}",
      status: 65,
      hint: "nfc plus value 4 --set NUMBER makes it one",
      leads: ["plus value 4 --set 7 --key 1A:{ones}", "…"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus value 4 --key 1A:{ones} --credit 1 --debit 2",
      status: 64,
      hint: "Give one of --credit, --debit and --set",
      leads: ["plus value 4 --key 1A:{ones} --set 5", "plus value 4 --key 1A:{ones} --credit 1"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus read 4 --key 1A:{key}",
      status: 77,
      hint: "check the key and its place",
      leads: ["plus read 4 --key 1A:{ones}"]),
    HintSituation(
      tag: "mifare-plus",
      line: "plus change-key master --new-key {key}",
      status: 77,
      hint: "give it with --key master:HEX",
      leads: ["… --key master:{ones}"]),
    HintSituation(
      tag: "suica",
      line: "felica read --all --service 090F 0",
      status: 64,
      hint: "give it without --service and blocks",
      leads: ["felica read --all"]),
    HintSituation(
      tag: "suica",
      line: "felica read --service 1111 0",
      status: 65,
      hint: "--system picks another system",
      leads: ["felica read --service 090F 0 --system 0003"]),
    HintSituation(
      tag: "ntag213",
      line: "apdu",
      status: 64,
      hint: "A command, or an application with --aid, is needed",
      leads: []),
    HintSituation(
      tag: "type4",
      line: "apdu",
      status: 64,
      hint: "A command, or an application with --aid, is needed",
      leads: ["apdu --aid D2760000850101", "apdu 00A4040007D276000085010100"]),
    HintSituation(
      tag: "type4",
      line: "apdu --aid D2760000850109",
      status: 66,
      hint: "check the AID",
      leads: ["apdu --aid D2760000850101"]),
    HintSituation(
      tag: "classic-1k",
      line: "felica info",
      status: 66,
      hint: "use another tag",
      leads: []),
  ]
}
