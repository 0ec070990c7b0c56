/// The codes of countries and organizations: three letters in zones (Doc 9303-3, 5), two in certificates (ISO 3166-1).
enum CountryCode {
  /// Returns the two letters that belong to a code of a zone; more than one where certificates differ. Empty for a code
  /// that is not known.
  static func certificateCodes(of code: String) -> Set<String> {
    special[code] ?? countries[code].map { [$0] } ?? []
  }

  /// Returns whether a certificate's country can issue a document of this state; `nil` for a state that is not known.
  static func matches(_ state: String, _ country: String) -> Bool? {
    let codes = certificateCodes(of: state.uppercased())
    return codes.isEmpty ? nil : codes.contains(country.uppercased())
  }

  /// What is not in ISO 3166-1, or is there under another name (Doc 9303-3, 5, parts B to D).
  private static let special: [String: Set<String>] = [
    "D": ["DE"], "UTO": ["UT"], "GBD": ["GB"], "GBN": ["GB"], "GBO": ["GB"], "GBP": ["GB"],
    "GBS": ["GB"], "EUE": ["EU"], "UNO": ["UN"], "UNA": ["UN"], "UNK": ["UN"],
    "RKS": ["KS", "XK"], "ROM": ["RO"],
  ]

  /// The codes of ISO 3166-1, three letters and two.
  private static let countries: [String: String] = {
    let pairs = list.split(whereSeparator: \.isWhitespace).map {
      (String($0.prefix(3)), String($0.suffix(2)))
    }
    return Dictionary(pairs) { first, _ in first }
  }()

  private static let list = """
    ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG
    AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL
    BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH
    CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX
    CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES
    ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI
    GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM
    HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT
    JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB
    LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD
    MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS
    MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO
    NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP
    PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS
    SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI
    SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO
    TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC
    VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW
    """
}
