extension HintSituation {
  /// Situations with messages, passwords, keys, smart cards and words of the command line.
  static let common = [
    // Tags that are not NDEF, or whose message is broken.
    HintSituation(
      tag: "blank-ultralight", line: "write text a", status: 66,
      hint: "nfc format makes a blank tag an NDEF tag", leads: ["format"]),
    HintSituation(
      tag: "blank-desfire", line: "read", status: 66,
      hint: "nfc format makes a blank tag an NDEF tag", leads: ["format"]),
    HintSituation(
      tag: "blank-ultralight", before: ["mifare send A20900000001"], line: "format", status: 66,
      hint: "use another tag, or insist with nfc format --force", leads: ["format --force"]),
    HintSituation(
      tag: "blank-ultralight-c", before: ["mifare send A20900000001"], line: "format", status: 66,
      hint: "or insist with nfc format --force", leads: ["format --force"]),
    HintSituation(
      tag: "ntag213", before: ["mifare send A2040304FFFF", "mifare send A205FFFFFE00"],
      line: "read", status: 65, hint: "nfc write or nfc erase replaces it", leads: ["write text a"]),
    HintSituation(
      tag: "ntag213", before: ["mifare send A2040304FFFF", "mifare send A205FFFFFE00"],
      line: "read", status: 65, hint: "nfc write or nfc erase replaces it", leads: ["erase", "…"]),
    // Messages.
    HintSituation(
      tag: "ntag213", line: "write uri example.com", status: 64,
      hint: "write https://example.com, or insist with --as-is",
      leads: ["write uri https://example.com", "… --as-is"]),
    HintSituation(
      tag: "ntag213", line: "write tel 12x", status: 64,
      hint: "it is like +441234567890; insist with --as-is",
      leads: ["write tel +441234567890", "… --as-is"]),
    HintSituation(
      tag: "ntag213", line: "write mail ada", status: 64,
      hint: "it is like ada@example.com; insist with --as-is",
      leads: ["write mail ada@example.com", "… --as-is"]),
    HintSituation(
      tag: "ntag213", line: "write wifi A --password x", status: 64,
      hint: "WPA2 requires 8 to 63 characters; insist with --as-is",
      leads: ["write wifi A --password 12345678", "… --as-is"]),
    HintSituation(
      tag: "ntag213", line: "write external ticket x", status: 64,
      hint: "it is like example.com:ticket; insist with --as-is",
      leads: ["write external example.com:ticket x", "… --as-is"]),
    HintSituation(
      tag: "ntag213", line: "write text a --lock", status: 64, hint: "add --permanently",
      leads: ["… --permanently"]),
    HintSituation(
      tag: "ntag213", line: "lock", status: 64,
      hint: "To lock it, add --permanently; --plan shows the changes",
      leads: ["… --plan", "… --permanently"]),
    HintSituation(
      tag: "ntag213", line: "write text {nn} --each --count 1", status: 64,
      hint: "--as-is writes other braces as they are", leads: ["… --as-is"]),
    HintSituation(
      tag: "type4", before: ["write text a"], line: "write text b --append --timeout x", status: 64,
      hint: "--timeout is a number of seconds", leads: ["write text b --append --timeout 5"]),
    // Passwords and keys.
    HintSituation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4"], line: "write text a",
      status: 77, hint: "give the tag's password with --tag-password or --password-file",
      leads: ["info", "… --password 11223344"]),
    HintSituation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4 --read"], line: "read",
      status: 77, hint: "--tag-password", leads: ["… --password 11223344"]),
    HintSituation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4"],
      line: "protect --password 55667788", status: 77,
      hint: "give the password that the tag has now with --current-password",
      leads: ["… --current-password 11223344"]),
    HintSituation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4 --attempts 3"],
      line: "protect --password 11223344 --from 4 --attempts 3", status: 77,
      hint: "if an earlier command has set the new one already, --current-password is the same",
      leads: ["… --current-password 11223344"]),
    HintSituation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4 --read"],
      line: "dump {folder}/dump.bin", status: 77,
      hint:
        "give its key with --key or its password with --tag-password, or save the rest with --partial",
      leads: ["… --partial", "dump {folder}/dump2.bin --password 11223344"]),
    HintSituation(
      tag: "ultralight-aes", before: ["protect --password {key}"],
      line: "protect --password {ones}", status: 77, hint: "give it with --current-password",
      leads: ["… --current-password {key}"]),
    HintSituation(
      tag: "st25ta", before: ["protect --password {key}"], line: "protect --password {ones}",
      status: 77, hint: "give the password that the tag has now with --current-password",
      leads: ["… --current-password {key}"]),
    HintSituation(
      tag: "classic-1k", line: "mifare read 1 --key AAAAAAAAAAAA --no-default-keys", status: 77,
      hint: "give its key with --key", leads: ["… --key FFFFFFFFFFFF"]),
    HintSituation(
      tag: "mifare-plus", line: "plus read 4", status: 77, hint: "give it with --key 1A:HEX",
      leads: ["… --key 1A:{ones}"]),
    HintSituation(
      tag: "mifare-plus", line: "plus personalize", status: 64,
      hint: "give it with --key master:HEX",
      leads: []),
    // Smart cards.
    HintSituation(
      tag: "desfire", line: "desfire read --app F00009 --file 1", status: 66,
      hint: "nfc desfire info shows what is there", leads: ["desfire info"]),
    HintSituation(
      tag: "desfire", line: "desfire read --app 000001 --file 9", status: 65,
      hint: "nfc desfire info shows what is there", leads: ["desfire info"]),
    HintSituation(
      tag: "desfire", before: ["desfire create-app F00001 --keys 2 --crypto aes"],
      line: "desfire create-app F00001 --keys 2 --crypto aes", status: 65,
      hint: "nfc desfire delete-app F00001 deletes it",
      leads: ["desfire delete-app F00001 --key 0:0000000000000000", "…"]),
    HintSituation(
      tag: "desfire", before: ["desfire create-app F00001 --keys 2 --crypto aes"],
      line: "desfire change-key 1 --app F00001 --new-key {key}", status: 77,
      hint: "give it with --key 0:HEX", leads: ["… --key 0:{zeros} --key 1:{zeros}"]),
    HintSituation(
      tag: "desfire", before: ["desfire create-app F00001 --keys 2 --crypto aes"],
      line: "desfire change-key 1 --app F00001 --new-key {key} --key 0:{zeros}", status: 77,
      hint: "give it with --key 1:HEX", leads: ["… --key 1:{zeros}"]),
    HintSituation(
      tag: "suica", line: "felica read --service 1111 0", status: 65,
      hint: "nfc felica info shows its systems and services", leads: ["felica info"]),
    // Command lines.
    HintSituation(
      line: "read ntag213", status: 64, hint: "did you mean --virtual ntag213?",
      leads: ["read --virtual ntag213"]),
    HintSituation(line: "version", status: 64, hint: "it is nfc --version", leads: ["--version"]),
    HintSituation(
      tag: "ntag213", line: "wirte text a", status: 64, hint: "did you mean nfc write?",
      leads: ["write text a"]),
    HintSituation(
      tag: "ntag213", line: "read --jsn", status: 64, hint: "did you mean --json?",
      leads: ["read --json"]),
    HintSituation(
      line: "poll --once --virtual ntag999", status: 64, hint: "nfc virtual --list shows all",
      leads: ["virtual --list"]),
    HintSituation(
      line: "https://a.example --virtual ntag213", status: 64,
      hint: "did you mean nfc write uri https://a.example?",
      leads: ["write uri https://a.example --virtual ntag213"]),
    HintSituation(
      line: "--virtual ntag213", status: 64, hint: "such as nfc --virtual ntag213 poll",
      leads: ["--virtual ntag213 poll --once"]),
    HintSituation(
      line: "write text hello world --virtual ntag213", status: 64,
      hint: "put a text with blanks in quotation marks; nfc write text --help shows the options",
      leads: ["write text --help"]),
    HintSituation(line: "desfire", status: 0, hint: "info", leads: ["desfire --help"]),
    HintSituation(
      line: "--reader poll", status: 64, hint: "nfc poll --help shows what --reader takes",
      leads: ["poll --help"]),
    HintSituation(
      line: "write text a --virtual ntag213 --virtual ntag215", status: 66,
      hint: "take one away, or name the one that is meant with --uid", leads: ["… --uid {uid}"]),
    HintSituation(
      line: "convert {folder}/broken.bin {folder}/dump.nfc", status: 65,
      hint: "name the output .json, and add --iso15693 if they are of an ISO 15693 tag",
      leads: ["convert {folder}/broken.bin {folder}/dump.json --iso15693"]),
    HintSituation(
      line: "--reader nonsense read", status: 69,
      hint: "nfc doctor --reader nonsense says more, and --virtual demo needs no reader",
      leads: []),
    HintSituation(
      line: "sun verify https://a.example/?c=00", status: 65,
      hint: "--template shows where the parts are", leads: []),
  ]
}
