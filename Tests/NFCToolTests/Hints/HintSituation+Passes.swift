extension HintSituation {
  /// Makes {folder}/demo, the published key of a demonstration's pass (kormax/android-universal-reader), and
  /// {folder}/other, a new key.
  private static let keys = """
    !umask 077; echo MHcCAQEEID0VR/I814rQUqWIYPEhno+3kexN/jN2n1ub+mJ6ZWyhoAoGCCqGSM49AwEHoUQDQgAEwKMBv29ByaSLiGF0FctuyB+Hs2oZ1kDIYhTVllPexNGudAlm8IWOH0e+Exc97/zBdawu7Yl+XytQONszGzAK7w== | base64 -d > {folder}/demo; openssl ecparam -name prime256v1 -genkey -noout -out {folder}/other
    """
  private static let demo = "--pass-type pass.com.passkit.pksamples.nfcdemo --key {folder}/demo"

  /// Situations with passes from phones.
  static let passes = [
    HintSituation(
      before: [keys],
      line:
        "pass decrypt --pass-type pass.com.passkit.pksamples.nfcdemo --key {folder}/other c0b77375d3f37956d84a538f28ac2a04b38ddc1a67d3647a4dd30abd736ea1cea8038388692e89db99e4746d872de782395640c536e79a75c47a9343da0af3937f06eeca7a865c4ad05a2c543ad2",
      status: 65,
      hint: "use the key whose public key is in the pass",
      leads: [
        "pass decrypt \(demo) c0b77375d3f37956d84a538f28ac2a04b38ddc1a67d3647a4dd30abd736ea1cea8038388692e89db99e4746d872de782395640c536e79a75c47a9343da0af3937f06eeca7a865c4ad05a2c543ad2"
      ]),
    HintSituation(
      line: "pass key --output -",
      status: 64,
      hint: "--output names a file: a private key is not printed",
      leads: ["pass key --output {folder}/k"]),
    HintSituation(
      before: ["!touch {folder}/k"],
      line: "pass key --output {folder}/k",
      status: 64,
      hint: "choose another name; nothing was written",
      leads: ["pass key --output {folder}/l"]),
    HintSituation(
      before: ["!umask 077; echo x > {folder}/k"],
      line: "pass read --pass-type pass.com.example.card --key {folder}/k --virtual wallet-apple",
      status: 64,
      hint: "nfc pass key --output FILE makes one",
      leads: ["pass key --output {folder}/l"]),
    HintSituation(
      tag: "wallet-apple",
      before: [keys],
      line: "pass read --pass-type pass.none --key {folder}/demo",
      status: 66,
      hint: "check the pass type or collector; on the phone, choose the pass",
      leads: ["pass read \(demo)"]),
    HintSituation(
      before: [keys],
      line: "pass read \(demo) --chosen --timeout 1 --virtual wallet-apple",
      status: 66,
      hint: "choose the pass on the phone, confirm it, and hold it to the reader",
      leads: ["pass read \(demo) --chosen --virtual wallet-apple-chosen"]),
  ]
}
