extension HintSituation {
  /// Situations with what cannot be undone, and with ISO 15693 tags.
  static let locks = [
    HintSituation(
      tag: "desfire",
      line: "desfire format --key 0:0000000000000000",
      status: 64,
      hint: "To format the card, add --permanently",
      leads: ["… --permanently"]),
    HintSituation(
      tag: "ntag424",
      line: "desfire lrp --key 0:{zeros}",
      status: 64,
      hint: "add --permanently to confirm",
      leads: ["… --permanently"]),
    HintSituation(
      tag: "ntag213",
      line: "write text a --permanently",
      status: 64,
      hint: "--permanently requires --lock",
      leads: ["… --lock"]),
    HintSituation(
      line: "iso15693 lock 3 --virtual icode-slix2",
      status: 64,
      hint: "To lock the block, add --permanently",
      leads: ["… --permanently"]),
    HintSituation(
      line: "iso15693 eas on --lock --virtual icode-slix2",
      status: 64,
      hint: "To lock the setting, add --permanently",
      leads: ["… --permanently"]),
    HintSituation(
      line: "iso15693 eas on --permanently --virtual icode-slix2",
      status: 64,
      hint: "--permanently requires --lock",
      leads: ["… --lock"]),
    HintSituation(
      line: "iso15693 destroy --virtual icode-slix2",
      status: 64,
      hint: "To disable the label, add --permanently",
      leads: ["… --permanently"]),
    HintSituation(
      line: "iso15693 hide-passwords --virtual ntag5-link",
      status: 64,
      hint: "To hide the passwords, add --permanently",
      leads: ["… --plan", "… --permanently"]),
    HintSituation(
      line: "iso15693 privacy off --virtual icode-slix2",
      status: 64,
      hint: "name it with --uid",
      leads: []),
    HintSituation(
      line: "iso15693 set-keys --virtual ntag5-link --permanently",
      status: 64,
      hint: "Give a key with --new-key 0:HEX or --new-keys",
      leads: []),
    HintSituation(
      line: "iso15693 set-keys --virtual ntag5-link --new-key 0:{key}",
      status: 64,
      hint: "To set them, add --permanently",
      leads: ["iso15693 set-keys --help"]),
    HintSituation(
      line: "iso15693 set-keys --virtual ntag5-link --new-key 0:{key} --plan",
      status: 64,
      hint: "give them with --privileges 0:LIST, or 0:none",
      leads: ["iso15693 set-keys --help"]),
    HintSituation(
      before: ["!echo 0:{zeros} > {folder}/k"],
      line: "iso15693 prove --virtual icode-dna",
      status: 64,
      hint: "give it with --key 0:HEX, --keys or NFC_KEYS",
      leads: ["… --key 0:{zeros}", "NFC_KEYS=0:{zeros} …", "… --keys {folder}/k"]),
    HintSituation(
      line: "iso15693 prove --key 0:{key} --virtual icode-dna",
      status: 77,
      hint: "check the key, or do not trust the tag",
      leads: ["iso15693 prove --key 0:{zeros} --virtual icode-dna"]),
    HintSituation(
      line: "iso15693 enforce --permanently --virtual ntag5-link",
      status: 64,
      hint: "give it with --key 0:HEX, --keys or NFC_KEYS",
      leads: []),
    HintSituation(
      line: "iso15693 enforce --key 0:{zeros} --virtual ntag5-link",
      status: 64,
      hint: "To put it in force, add --permanently",
      leads: []),
    HintSituation(
      line:
        "iso15693 set-keys --permanently --new-key 0:{key} --privileges 0:all --disable-others --virtual ntag5-link",
      status: 66,
      hint: "nfc iso15693 secrets keys makes an NTAG 5 link or boost use keys",
      leads: ["iso15693 secrets keys --virtual ntag5-link"]),
    HintSituation(
      tag: "ntag213",
      line: "iso15693 info",
      status: 69,
      hint: "use a PC/SC reader that has it, with --reader pcsc:NAME",
      leads: []),
  ]
}
