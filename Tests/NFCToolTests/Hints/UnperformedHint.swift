/// Hints that no ``HintSituation`` performs, with the reason.
struct UnperformedHint: Sendable {
  enum Reason: Sendable {
    /// This test makes the situation in a way of its own.
    case test(String)
    case words(String)
  }

  let reason: Reason
  /// The texts, in which `…` stands for what is put in when the error is made.
  let texts: [String]

  private static let byHand = UnperformedHint(
    reason: .words(
      "It is done by hand, with another tag, another reader, a cable, or knowledge that only its reader has."
    ),
    texts: [
      "use a PC/SC reader that has it",
      "plug it in again",
      "check its cable and power",
      "use another reader",
      "use another reader, or the program of its maker",
      "check its cable, and that no other program uses it",
      "set the board's switches to HSU (both 0 on most boards) and cut its power for a moment",
      "then try once more",
      "set the board's switches to I2C (1 and 0 on most boards) and cut its power for a moment",
      "set the board's switches to SPI (0 and 1 on most boards) and cut its power for a moment",
      "plug it in again, and if that does not help, it is defective",
      "connect the reader's USB cable",
      "to use it over PC/SC after libnfc, plug it in again",
      "plug it in",
      "remove the tag",
      "take it away and hold the next one to the reader",
      "hold only the tag to the reader that is to be written",
      "hold it to the reader, or wait longer with --timeout",
      "use a PC/SC reader that has it, with --reader pcsc:NAME",
      "hold another ISO 15693 tag to it, too",
      "if it has a password or key, give it with …",
      "nfc doctor says more",
      "use a MIFARE DESFire Light, EV2 or EV3",
      "use a DESFire Light or an NTAG 424 DNA",
      "give a key that may, or --reader-id where the card signs transactions",
      "run the command again",
      "give a key that may, with --key NUMBER:HEX",
      "use a card with more free memory",
      "use another card",
      "give it in UTF-8, or a file with nfc write mime",
      "tap the tag again",
      "… --help says more",
      "plug the reader in again",
      "hold a tag to the reader, or wait longer with --timeout",
      "hold the tag still and try again",
      "check the command, and whether the tag is locked or protected",
      "run it again with SWIFT_BACKTRACE=enable=yes before it, and report what it prints",
      "leave some out",
      "use a file that names its tag, such as .json or .nfc",
      "give another --from, --read or --password",
      "hold the next one to the reader, or wait longer with --timeout",
      "nfc sun setup and nfc desfire use those of an NXP chip",
      "openssl ec -in FILE -out FILE removes it",
      "try the old one",
      "remove the tag and present it again",
      "look at it again to see which level it has",
    ])

  private static let afterADamagedAnswer = UnperformedHint(
    reason: .words(
      "A program that uses the library does it after a damaged answer; the tests of each family repeat the call."
    ),
    texts: [
      "request the lock again",
      "read it to see",
      "write it again",
      "read it",
      "make the plan again",
      "try its keys, and then the old ones",
      "lock it again to complete the lock",
      "request the change again, with the new key, with the old one, and without one",
      "select it again",
      "read the counter",
      "request the change again, with the new password and with the old one",
      "connect to the tag before sending it a command",
      "connect to it again to start over",
      "request the lock again, which completes it",
      "lock it again, which completes it",
      "list the files of the application to see whether it has",
      "put it into use, or finalize it again",
      "read the files to see whether it does",
      "list its applications to see whether it has",
      "list its applications to see whether it is",
      "set it again",
      "read its slot to see whether it has",
      "list the card's applications to see whether it was done",
      "list the files to see whether it was done",
      "set them again",
      "read its settings to see whether it has",
      "request it again",
      "request it again, and search for the tag by its UID",
      "request the change again",
      "request the change again, which tries both",
      "present the new one, and then the old one, to see which it has",
      "request it again, which writes the keys again",
      "copy the value again",
      "read one of them with its AES key to see",
      "request it again, which completes it",
      "request the change again, with the new write password and with the old one",
      "ask for its access",
    ])

  private static let ofTheSystem = UnperformedHint(
    reason: .words(
      "It changes the system, its services, its files or its devices, and tests must not."),
    texts: [
      "end that before you use it otherwise",
      "usbipd list, usbipd bind --busid ID, usbipd attach --wsl --busid ID",
      "pass the reader through to it",
      "use a machine, or a container, that has it",
      "sudo modprobe -r … frees it for that",
      "unload it",
      "sudo chmod a+r …",
      "put a file in its place",
      "remove those that are not there",
      "write true or false, in small letters",
      "put the comment on its own line",
      "put the value in quotation marks",
      "put them around the whole value",
      "end the line",
      "sudo i2cdetect -y 1 (package i2c-tools) shows 24 for a PN532",
      "write …, in exactly this form",
      "end that first",
      "join it and log in again",
      "name one by its port",
      "sudo apt remove brltty, if none is used, and plug it in again",
      "start the container with --device …",
      "nfc doctor --reader … tries it",
      "name one, as /dev/ttyUSB0",
      "sudo dmesg shows the port's name then",
      "sudo raspi-config, serial port on, without login",
      "start the program again that provides it, such as nfc virtual, and name its new port",
      "check the name of the port",
      "then name /dev/ttyAMA0",
      "otherwise sudo systemctl stop ModemManager",
      "sudo apt remove brltty, if no braille display is used",
      "sudo systemctl disable --now serial-getty@…",
      "end that program",
      "sudo systemctl stop ModemManager",
      "take console=… out of the kernel's command line",
      "sudo raspi-config, serial port without login",
      "sudo modprobe i2c-dev",
      "name it by --reader, or set allow_autoscan = true in …/libnfc.conf",
      "echo on | sudo tee …",
      "sudo modprobe -r …",
      "sudo modprobe -r pn533_usb pn533 nfc",
      "echo 'blacklist …' | sudo tee -a",
      "sudo udevadm control --reload, then …, and plug the reader in again",
      "sudo update-initramfs -u",
      "sudo fuser -v … shows which (package psmisc)",
      "end it",
      "nfc doctor lists the readers",
      "name it by …:…",
      "remove it there if it is not used",
      "set allow_autoscan = true in …/libnfc.conf, or unset",
      "to use PC/SC readers, allow access_pcsc and access_card in polkit",
      "to use PC/SC readers, restart pcscd",
      "to use PC/SC readers, start pcscd",
      "plug it in again, or sudo systemctl restart pcscd",
      "to use the cards on …, allow access_card in polkit",
      "use it over PC/SC",
      "or end that",
      "sudo systemctl stop pcscd.socket pcscd.service",
      "echo … | sudo tee -a …, and sudo systemctl restart pcscd",
      "sudo systemctl enable --now pcscd.socket",
      "sudo pcscd",
      "allow org.debian.pcsc-lite.access_pcsc and access_card in a rule of polkit, or try as root",
      "sudo apt install pcscd libccid, then …",
      "sudo systemctl restart pcscd.socket pcscd.service",
      "sudo modprobe -r …, and plug it in again",
      "nfc --reader … readers asks it",
      "sudo systemctl restart pcscd, or plug it in again",
      "journalctl -u pcscd says why",
      "sudo apt install libccid pcscd",
      "install …, or its maker's driver, then sudo systemctl restart pcscd",
      "nfc doctor without --reader looks at what is there",
      "name one of …",
      "plug it in, or see nfc doctor",
      "name one with --reader",
      "see nfc doctor",
      "follow the advice above, or use --virtual demo",
      "nfc doctor --probe asks the ports",
      "disconnect them, or sudo systemctl stop serial-getty@ and the port's name",
      "sudo systemctl enable --now nfc-watch",
      "systemctl --user enable --now nfc-watch",
      "loginctl enable-linger lets it run without a login",
      "name a file that does not exist yet",
      "choose a directory that you may write to",
      "ask its owner for permission to read it",
      "free some space, or choose another disk",
      "install Debian's vsmartcard-vpcd and start pcscd",
      "check that no other card is in that slot, or take the next --port",
      "check that /dev/pts is there",
      "build it with",
      "swift build --product …",
      "start nfc watch again",
      "run nfc watch --install in another folder",
      "sudo udevadm control --reload, and plug it in again (or sudo udevadm trigger --action=add)",
      "no udev runs here, so give the rights where it does",
      "try as root",
      "log out and in again",
      "sudo adduser $USER …, then log out and in again",
      #"echo '…, MODE="0660", GROUP="…"' | sudo tee -a /etc/udev/rules.d/93-nfc-reader.rules"#,
      "sudo groupadd --system …, which … requires",
      "sudo apt install --reinstall …, whose udev rules are missing",
      "start the container with -v /dev/bus/usb:/dev/bus/usb --device-cgroup-rule='c 189:* rmw'",
    ])

  private static let facts = UnperformedHint(
    reason: .words(
      "It only says a fact, or is a label, a remark or a prompt."),
    texts: [
      "end of file before the expected length",
      "format for NDEF, which cannot be undone on some tags",
      "--uid picks a tag on a reader",
      "ASK LoGO",
      "to keep the module away",
      "to keep the module away now",
      "this program is started by nfc watch --mqtt",
      "only Read Without Encryption",
      "this program is started by nfc watch --rules",
      "read …",
      "only with --include",
      "only by nfc restore --include",
      "write … bytes",
      "Hold the next tag to the reader…",
      "keep its UID, with which it is found again",
      "set the keys of …",
      "Hold a tag to the reader… Ctrl-C ends nfc poll",
      "start it",
      "free memory",
      "check byte, SAK or ATQA are not those of such a card",
      "with which nfc read --raw saves its message",
      "with which nfc plus read reads them",
      "… is empty, as nfc read --raw saves a tag without a message",
      "read only",
      "--plan writes nothing that --verify could read",
      "set up …",
      "the link has no read counter to compare with --after",
      "--template shows where the parts are",
      "nfc write needs the kind of record before …",
      "nfc virtual does not take …",
      "Hold … to the reader… … s",
      "read in",
      "Keep what passes between reader and tags in this file",
      "With --replay",
      "Write the exchanges to this file for Wireshark",
      "With --record and --pcap",
      "do not mask keys and passwords",
      #""write" takes "records", as nfc read --json prints them"#,
      "Make it readable only by its owner",
      "and with --from the columns of a table",
      "Hold the next tag to the reader (… written)…",
      "the same command continues with --… …",
      "to read and write",
      "read the restricted area",
      "write the restricted area",
      "read and write with a password",
      "read with a password, never write",
      "Lock DSFID",
      "Lock AFI",
      "Lock EAS",
      "Lock PPL",
      "the document does not give out …",
      "read and write",
      "reset …",
      "read … bytes",
      "read …, write …",
      "lock bits",
      "read counter",
      "Make it readable only by root",
      "nfc recording",
      "ASK CTx",
      "<url> --title <text>",
      "Add this much",
    ])

  private static let ofAHiddenLabel = UnperformedHint(
    reason: .words(
      "No virtual reader of a command line has a label in privacy mode, which is the state of another command."
    ),
    texts: [
      "name it with --uid"
    ])

  private static let ofACountry = UnperformedHint(
    reason: .words(
      "It requires the list of a country."),
    texts: [
      "give the list of its country with --trust"
    ])

  private static let ofOtherTests = [
    UnperformedHint(
      reason: .test("whatIsNotTrusted"),
      texts: [
        "give the certificate of the signer or its authority with --trust"
      ]),
    UnperformedHint(
      reason: .test("mistakesOfSigning"),
      texts: [
        "openssl pkey -in FILE -out FILE removes it"
      ]),
    UnperformedHint(
      reason: .test("itIsNotABrokenMessage"),
      texts: [
        "it is a spool in the format TigerTag, which nfc info shows"
      ]),
    UnperformedHint(
      reason: .test("anInterruptedWriteSaysWhatTheTagHolds"),
      texts: [
        "format it again",
        "check that before you repeat the command",
        "nfc read shows which",
      ]),
    UnperformedHint(
      reason: .test("aHelperOfAnotherVersionIsRefused"),
      texts: [
        "install both from the same release"
      ]),
    UnperformedHint(
      reason: .test("aHelperThatIsMissingIsNamedWithWhatToDo"),
      texts: [
        "put it into this program's directory or into PATH, or name it in …"
      ]),
    UnperformedHint(
      reason: .test("whatEndsLibnfcEndsTheHelperAndTheNextRoundWorks"),
      texts: [
        "request less, or open the reader with isolated"
      ]),
    UnperformedHint(
      reason: .test("aCopyThatIsTornNamesTheFirstTag"),
      texts: [
        "copy again, with … first"
      ]),
    UnperformedHint(
      reason: .test("keysAreSetAndEnforced"),
      texts: [
        "To put it in force, add --permanently",
        "Give a key with --new-key 0:HEX or --new-keys",
      ]),
    UnperformedHint(
      reason: .test("everyFault"),
      texts: [
        "check its number",
        "give the key that the tag has now",
        "search for it again",
      ]),
    UnperformedHint(
      reason: .test("aTagIsAskedForItsSizeFirst"),
      texts: [
        "name the blocks, for instance 0-7",
        "nfc iso15693 info shows how many blocks the tag has",
      ]),
    UnperformedHint(
      reason: .test("saysThatTheReaderIsTheWrongOne"),
      texts: [
        "leave --pcsc out",
        "make it a PC/SC reader with --pcsc",
      ]),
    UnperformedHint(
      reason: .test("aValueThatWasChangedIsNotChangedAgain"),
      texts: [
        "do not repeat the change",
        "read the value without one",
      ]),
    UnperformedHint(
      reason: .test("refusalsOfAProgram"),
      texts: [
        "its message can be emulated with nfc emulate raw"
      ]),
    UnperformedHint(
      reason: .test("aReaderThatCannotBeACardSaysSo"),
      texts: [
        "use a PN532, on a serial line, I2C or SPI"
      ]),
    UnperformedHint(
      reason: .test("aTagThatIsRemovedEarlyIsRestoredByTheNextCall"),
      texts: [
        "restore the image again, which writes what is missing"
      ]),
    UnperformedHint(
      reason: .test("usesRowsOfATable"),
      texts: [
        "give the column another name"
      ]),
    UnperformedHint(
      reason: .test("locksOnRequest"),
      texts: [
        "lock bits are written only with --include-locks"
      ]),
    UnperformedHint(
      reason: .test("wholeLife"),
      texts: [
        "give it with --key level3:HEX",
        "give the keys master, configuration and level3, if they were not written before",
        "nfc plus level shows whether it is in level 3",
      ]),
    UnperformedHint(
      reason: .test("cardsWithoutEncryption"),
      texts: [
        "give a key that may, with --key, or try --plain",
        "a MIFARE Plus S needs --plain, and has no change of values",
      ]),
    UnperformedHint(
      reason: .test("aProofByRandomNumbers"),
      texts: [
        "only a recording made --with-secrets can play back an authentication by random numbers"
      ]),
    UnperformedHint(
      reason: .test("isWaitedFor"),
      texts: [
        "take the card away and put it back, or end the program that uses it"
      ]),
    UnperformedHint(
      reason: .test("oneReaderReadsTheOther"),
      texts: [
        "… is not the reader of a running nfc virtual",
        "start it first, and give --facing the connection string that it prints",
      ]),
    UnperformedHint(
      reason: .test("aWrongPasswordIsOneLine"),
      texts: [
        "check the user, NFC_MQTT_PASSWORD and --mqtt-ca"
      ]),
    UnperformedHint(
      reason: .test("twoWatchersCannotShareASpool"),
      texts: [
        "another nfc watch uses this spool"
      ]),
    UnperformedHint(
      reason: .test("aVeryLongMessageIsAnError"),
      texts: [
        "the NDEF message has … bytes, and nfc watch reports up to …",
        "nfc read reads it",
      ]),
    UnperformedHint(
      reason: .test("aSecondWatcherOfAReaderIsRefused"),
      texts: [
        "another nfc watch has the reader …",
        "end that one first",
      ]),
    UnperformedHint(
      reason: .test("aRandomUIDIsNotOneOfMany"),
      texts: [
        "write each tag with a command of its own"
      ]),
  ]

  static let all: [UnperformedHint] =
    [byHand, afterADamagedAnswer, ofTheSystem, facts, ofAHiddenLabel, ofACountry] + ofOtherTests
    + ofPhones
}
