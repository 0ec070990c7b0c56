/// The names of the numbers in a TigerTag. A number that is not here was registered later, and is shown as it is.
///
/// Source: TigerTag-Project/TigerTag-RFID-Guide, database/*.json (public domain, CC0 1.0), October 2026.
enum TigerTagNames {
  static let types: [Int: String] = [
    41: "spare part", 116: "accessories", 142: "filament", 173: "resin",
  ]

  /// The diameters in hundredths of a millimeter.
  static let diameters: [Int: Int] = [56: 175, 221: 285]

  static let units: [Int: String] = [
    10: "mg", 21: "g", 35: "kg", 48: "ml", 62: "cl", 79: "L", 95: "m³", 112: "mm", 130: "cm",
    149: "m", 170: "m²",
  ]

  static let aspects: [Int: String] = [
    21: "Clear", 24: "Tricolor", 64: "Glitter", 67: "Translucent", 91: "Glow in the Dark",
    92: "Silk", 97: "Lithophane", 104: "Basic", 123: "Wood", 126: "Pearl", 129: "Gloss",
    132: "Fiber", 134: "Satin", 145: "Rainbow", 168: "Thermoreactif", 173: "Stone", 216: "Neon",
    220: "Pastel", 226: "Metal", 232: "Marble", 238: "Carbon", 247: "Matt", 252: "Bicolor",
  ]

  /// The numbers of colors of those aspects that have several.
  static let colorCounts: [Int: Int] = [24: 3, 145: 3, 252: 2]

  static let materials: [Int: String] = [
    425: "ABS-CF", 735: "ABS-AF", 1173: "PA6-GF", 1680: "PE-GF", 2053: "PA12-GF", 3368: "PC-ABS",
    3481: "PCTG-GF", 4587: "PC-PBT", 5238: "PETG-PTFE", 5733: "TPU-AMS", 6605: "PA11-GF",
    7649: "PETG HS", 7951: "PETG-rCF", 8345: "PLA+ Silk", 8394: "Castable Resin", 8504: "PPA-CF",
    9456: "PLA Marble", 9483: "PVA", 9691: "EVA", 10122: "PEKK-CF", 10187: "PHA", 10272: "PSU",
    10478: "Castable Filament", 10602: "PLA Silk", 10738: "PC-PTFE", 11053: "PET-CF",
    11506: "PLA-AERO", 12216: "PEEK-GF", 12264: "PA6-CF", 12844: "ASA", 12878: "CoPE", 13850: "PPA",
    14508: "PEI-9085", 15041: "PCTG", 18130: "PS", 18451: "PA11-CF", 18703: "PETP", 18775: "PE-CF",
    18922: "PLA-ESD", 20073: "PVC", 20562: "ABS", 20588: "PC-CF", 21307: "SBS", 22652: "PAHT-GF",
    22678: "PET-GF", 23080: "PAHT", 24115: "SEBS", 24116: "TPC", 24270: "PPS-CF",
    24629: "PLA High Speed", 26029: "HIPS", 27268: "PCTPE", 27635: "PE", 27676: "ASA-CF",
    28110: "SBC", 29272: "PA11", 29815: "PEEK", 30458: "PC", 30594: "PA-GF", 30884: "PP",
    31011: "ASA-AERO", 33958: "TPE", 34049: "BVOH", 34409: "TPS", 34944: "PETG-GF", 35100: "ASA-GF",
    35377: "PEI-9085-GF", 38219: "PLA", 38250: "PEI-1010-GF", 38256: "PETG", 39667: "PA12-CF",
    39944: "PA-CF", 41134: "PEI-9085-CF", 42623: "PMMA", 42962: "PP-GF", 43518: "TPU", 45962: "PVB",
    46154: "PPS", 46276: "PPA-GF", 46591: "PLA+", 47651: "PC-PBT-CF", 48001: "PLA Wood",
    48047: "TPU High Speed", 48310: "PLA-CF", 48469: "PEEK-CF", 48815: "PAHT-CF", 49074: "ABS-GF",
    49152: "PPSU", 49804: "ASA-AF", 50206: "POM", 50497: "PP-CF", 51007: "Biopolymer", 51636: "PES",
    51861: "PETG-ESD", 52077: "PET", 53890: "PCTG-CF", 53970: "PEKK", 54568: "ASA+", 55279: "PBT",
    55418: "PETG-CF", 55796: "PA12", 56527: "PEI-1010", 56666: "PA6", 57469: "PETG HF",
    58142: "TPU-GF", 58498: "PEBA", 59328: "PA", 59849: "PCL", 61048: "PVDF", 61563: "PC-PBT-GF",
    62335: "PEI-1010-CF", 63946: "TPI",
  ]

  static let brands: [Int: String] = [
    1: "Atome3D", 1068: "SainSmart", 1120: "Proto-Pasta", 1421: "3DJake", 2049: "Inslogic",
    2517: "Smart Materials 3D", 2833: "Xstrand", 3132: "Hatchbox", 3575: "Conjure",
    3924: "FiloAlfa", 4011: "QIDI Tech", 4048: "Owa", 4344: "MatterHackers", 4356: "Landu",
    4565: "Valment", 4700: "Filforme", 5048: "Marswork", 6305: "Markforged", 7432: "Aliz",
    7674: "Extrudr", 7812: "Jayo", 7980: "Fillamentum", 8182: "Fiberlogy", 8303: "GST3D",
    8384: "Taulman3D", 8496: "CaiLab", 8503: "E3D", 8586: "NinjaTek", 8675: "SOVB 3D",
    8756: "BlueCast", 8921: "Duramic 3D", 8990: "Ice Filaments", 9192: "3D Solutech",
    9299: "FDPlast", 9394: "Gizmo Dorks", 9596: "Ziro", 9798: "AMOLEN", 11379: "Filaments.ca",
    11429: "3D4Makers", 11501: "InnovateFil", 12345: "MakerBot", 12498: "Forshape",
    12635: "Snapmaker", 13667: "RS Pro", 14250: "Jessie (Printed Solid)", 14982: "3D-Fuel",
    15899: "Kimya", 15962: "Anycubic", 18629: "PrintoMax 3D", 19265: "CC3D", 19961: "Rosa3D",
    20523: "Raise3D", 20851: "Tronxy", 22652: "Spectrum", 23181: "ArianePlast", 23456: "Monoprice",
    24363: "Tecbears", 26379: "Formlabs", 26595: "Sovol", 26956: "Creality", 28055: "TAGin3D",
    28136: "Polar Filament", 28940: "Eryone", 28988: "KINGROON", 29045: "Yousu", 29302: "IIIDMAX",
    31438: "Wondermaker", 32348: "Addnorth", 32587: "Amazon", 33566: "Siraya Tech",
    33594: "DEEPLEE", 33788: "Verbatim", 34567: "Push Plastic", 34597: "EconoFil",
    35123: "Bambu Lab", 35501: "Zortrax", 35857: "Nobufil", 35882: "Phrozen", 36702: "Tianse",
    37434: "Winkle", 38533: "Lotactree", 38953: "Tucab", 39002: "GreenGate3D", 39382: "Longer",
    39652: "3DXTech", 41847: "OneFil", 41932: "Jamg He", 42911: "UltiMaker", 44630: "NIT",
    45670: "Panchroma", 45678: "Atomic Filament", 46010: "AceAddity", 46203: "Overture",
    46392: "Prusament", 47122: "Zimple3D", 47560: "Wanhao", 47930: "eSun", 48261: "Gsun3D",
    48804: "R3D", 49784: "GIANTARM", 50311: "G3D Pro", 50604: "Polymaker", 51139: "FusRock",
    51443: "BASF", 51857: "Sunlu", 51978: "Inland", 52222: "ColorFabb", 52467: "Geeetech",
    52757: "Yumi", 53043: "FormFutura", 53640: "Magigoo", 53856: "Lattice Medical",
    54112: "Kexcelled", 55229: "Filament PM", 55763: "Nanovia", 55869: "Biqu", 56780: "Fiberon",
    56789: "Coex 3D", 57209: "FrancoFil", 57632: "ELEGOO", 58231: "IC3D", 58410: "AzureFilm",
    58972: "Tinmorry", 59597: "Filamentive", 60073: "3D Lac", 60882: "Recreus", 62436: "Ambrosia",
    63024: "Multicomp Pro", 63340: "Flashforge", 63757: "Copper3D", 65178: "Smart3DPT",
  ]
}
