extension HintSituation {
  /// Situations with passwords and keys.
  static let secrets = [
    HintSituation(
      tag: "ntag213",
      line: "protect --password 1122334455667788",
      status: 64,
      hint: "give 8 hexadecimal digits",
      leads: ["protect --password 11223344"]),
    HintSituation(
      tag: "ntag213",
      line: "protect --password 11223344 --from 4 --attempts 9",
      status: 64,
      hint: "give --attempts 7 or less",
      leads: ["protect --password 11223344 --from 4 --attempts 7"]),
    HintSituation(
      tag: "st25ta",
      line: "protect --password {key} --from 5",
      status: 64,
      hint: "leave --from out",
      leads: ["protect --password {key}"]),
    HintSituation(
      tag: "st25ta",
      line: "protect --password {key} --pack 1122",
      status: 64,
      hint: "leave --pack out",
      leads: ["protect --password {key}"]),
    HintSituation(
      tag: "ultralight-c",
      line: "protect --password {key} --attempts 3",
      status: 64,
      hint: "leave --attempts out",
      leads: ["protect --password {key}"]),
    HintSituation(
      tag: "ultralight-c",
      line: "protect --password {key} --pack 1122",
      status: 64,
      hint: "leave --pack out",
      leads: ["protect --password {key}"]),
    HintSituation(
      tag: "ultralight-c",
      line: "protect --password 11223344",
      status: 64,
      hint: "give 32 hexadecimal digits",
      leads: ["protect --password {key}"]),
    HintSituation(
      line: "protect --password 11223344 --from 4 --pack 1122 --plan --virtual icode-slix2",
      status: 64,
      hint: "leave --pack out",
      leads: ["protect --password 11223344 --from 4 --plan --virtual icode-slix2"]),
    HintSituation(
      tag: "ultralight-c",
      before: ["protect --password {key} --from 4 --read"],
      line: "read --key {key} --password {ones}",
      status: 64,
      hint: "give the right one",
      leads: ["read --key {key}"]),
    HintSituation(
      tag: "classic-1k",
      line: "read --password 11223344",
      status: 64,
      hint: "leave --password or --tag-password, --password-file and NFC_PASSWORD out",
      leads: ["read"]),
    HintSituation(
      tag: "felica-lite-s",
      line: "read --key AABBCCDDEEFF",
      status: 64,
      hint: "leave --key out",
      leads: ["read"]),
    HintSituation(
      tag: "desfire",
      before: [
        "desfire create-app F00001 --keys 1 --crypto aes",
        "desfire create-file --app F00001 --file 1 --size 8 --key 0:{zeros}",
      ],
      line: "desfire read --app F00001 --file 1 --key 0:{zeros} --key 0:{ones}",
      status: 64,
      hint: "give the right one",
      leads: ["desfire read --app F00001 --file 1 --key 0:{zeros}"]),
    HintSituation(
      tag: "ntag213",
      before: ["!echo 11223344 > {folder}/p", "protect --password 11223344 --from 4 --read"],
      line: "read --password 11223344 --password-file {folder}/p",
      status: 64,
      hint: "Give either --tag-password or --password-file",
      leads: ["read --password 11223344", "read --password-file {folder}/p"]),
    HintSituation(
      tag: "ntag213",
      line: "info --password-file 1122334455",
      status: 66,
      hint: "check its name; a key itself is given with another option, which --help shows",
      leads: ["info --help"]),
    HintSituation(
      tag: "classic-1k",
      line: "mifare read 1 --no-default-keys",
      status: 64,
      hint: "--no-default-keys needs a --key or --keys",
      leads: ["… --key FFFFFFFFFFFF"]),
    HintSituation(
      tag: "classic-1k",
      line: "dump {folder}/a.nfc --key AAAAAAAAAAAA --no-default-keys",
      status: 77,
      hint:
        "give its key with --key or its password with --tag-password, or save the rest with --partial",
      leads: [
        "… --key FFFFFFFFFFFF",
        "dump {folder}/b.nfc --key AAAAAAAAAAAA --no-default-keys --partial",
      ]),
    HintSituation(
      tag: "classic-1k",
      before: ["dump {folder}/a.nfc"],
      line: "diff {folder}/a.nfc - --key AAAAAAAAAAAA --no-default-keys",
      status: 77,
      hint: "give its key with --key or its password with --tag-password",
      leads: ["diff {folder}/a.nfc - --key FFFFFFFFFFFF"]),
    HintSituation(
      tag: "ntag213",
      before: ["protect --password 11223344 --from 4 --read"],
      line: "mifare read 3",
      status: 77,
      hint: "give the password with --key",
      leads: ["… --key 11223344"]),
    HintSituation(
      tag: "classic-1k",
      line: "write text a --key 112233445566 --no-default-keys",
      status: 77,
      hint: "give the card's key with --key, or several with --keys",
      leads: ["write text a", "… --key FFFFFFFFFFFF --key D3F7D3F7D3F7"]),
    HintSituation(
      tag: "ntag213",
      before: ["lock --permanently"],
      line: "write text a",
      status: 77,
      hint:
        "nfc info shows whether it is locked or protected; if it has a password, give it with --tag-password",
      leads: ["info"]),
  ]
}
