extension HintSituation {
  /// Situations with travel documents.
  static let documents = [
    HintSituation(
      tag: "ntag213",
      line: "@ emulate uri https://a.example --reader {reader} --reader {reader}",
      status: 64,
      hint: "give --reader once",
      leads: ["& @ emulate uri https://a.example --reader {reader}"]),
    HintSituation(
      line: "emulate --socket {long} --virtual demo",
      status: 64,
      hint: "give --socket a shorter one",
      leads: ["& emulate --socket {folder}/s --virtual demo"]),
    HintSituation(
      before: ["!touch {folder}/s"],
      line: "emulate --socket {folder}/s --virtual demo",
      status: 64,
      hint: "give --socket a name of its own",
      leads: ["& emulate --socket {folder}/t --virtual demo"]),
    HintSituation(
      tag: "emrtd",
      line: "passport read",
      status: 64,
      hint: "give --mrz, or --can, or --document, --birth and --expiry",
      leads: ["… --document L898902C --birth 690806 --expiry 940623"]),
    HintSituation(
      tag: "emrtd",
      line: "passport read --can 1 --document L898902C --birth 690806 --expiry 940623",
      status: 64,
      hint: "Give one of --mrz, --can, and --document with --birth and --expiry",
      leads: ["passport read --document L898902C --birth 690806 --expiry 940623"]),
    HintSituation(
      tag: "emrtd",
      line: "passport read --document L898902D --birth 690806 --expiry 940623",
      status: 77,
      hint: "check it; it was tried once, and is not tried again by itself",
      leads: ["passport read --document L898902C --birth 690806 --expiry 940623"]),
    HintSituation(
      tag: "emrtd",
      line:
        "passport read --document L898902C --birth 690806 --expiry 940623 --face {folder}/x.jp2",
      status: 64,
      hint: "name it .jpg; nothing was saved",
      leads: [
        "passport read --document L898902C --birth 690806 --expiry 940623 --face {folder}/x.jpg"
      ]),
    HintSituation(
      tag: "emrtd",
      line:
        "passport read --document L898902C --birth 690806 --expiry 940623 --face {folder}/x.png",
      status: 64,
      hint: "name it .jpg, .jp2 or .j2k",
      leads: [
        "passport read --document L898902C --birth 690806 --expiry 940623 --face {folder}/x.jpg"
      ]),
    HintSituation(
      tag: "emrtd",
      before: ["!mkdir {folder}/full {folder}/empty; touch {folder}/full/a"],
      line:
        "passport read --document L898902C --birth 690806 --expiry 940623 --output {folder}/full",
      status: 64,
      hint: "name a new or an empty one",
      leads: [
        "passport read --document L898902C --birth 690806 --expiry 940623 --output {folder}/new",
        "passport read --document L898902C --birth 690806 --expiry 940623 --output {folder}/empty",
      ]),
    HintSituation(
      tag: "emrtd",
      before: ["!touch {folder}/a"],
      line: "passport read --document L898902C --birth 690806 --expiry 940623 --output {folder}/a",
      status: 64,
      hint: "name a new folder",
      leads: [
        "passport read --document L898902C --birth 690806 --expiry 940623 --output {folder}/new"
      ]),
    HintSituation(
      tag: "emrtd",
      before: [
        "!echo x > {folder}/a; openssl req -x509 -newkey rsa:2048 -nodes -keyout {folder}/k -subj /C=UT -out {folder}/c 2> {folder}/o"
      ],
      line: "passport read --document L898902C --birth 690806 --expiry 940623 --trust {folder}/a",
      status: 65,
      hint: "give a certificate in PEM or DER, a master list, or an LDIF",
      leads: ["passport read --document L898902C --birth 690806 --expiry 940623 --trust {folder}/c"]
    ),
    HintSituation(
      tag: "emrtd",
      line: "passport read --document L898902C --birth 690806 --expiry 940623 --verify",
      status: 77,
      hint: "give the list of its country with --trust",
      leads: []),
  ]
}
