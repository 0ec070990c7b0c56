/// The keys of a section of an OpenPrintTag record.
///
/// Source: OpenPrintTag specification, data/main_fields.yaml, aux_fields.yaml and material_type_enum.yaml. Keys are
/// never used again for something else; 30 and 33 are those of older tags, in millimeters.
struct OpenPrintTagKeys {
  /// The names of the fields by key.
  let names: [UInt64: String]
  /// The keys of fields that are UUIDs.
  var uuids: Set<UInt64> = []
  /// The names for the numbers of a field, by its key.
  var enumerations: [UInt64: [String]] = [:]

  static let main = OpenPrintTagKeys(
    names: [
      0: "instanceUUID",
      1: "packageUUID",
      2: "materialUUID",
      3: "brandUUID",
      4: "gtin",
      5: "brandSpecificInstanceID",
      6: "brandSpecificPackageID",
      7: "brandSpecificMaterialID",
      8: "materialClass",
      9: "materialType",
      10: "materialName",
      11: "brandName",
      13: "writeProtection",
      14: "manufacturedDate",
      15: "expirationDate",
      16: "nominalNettoFullWeight",
      17: "actualNettoFullWeight",
      18: "emptyContainerWeight",
      19: "primaryColor",
      20: "secondaryColor0",
      21: "secondaryColor1",
      22: "secondaryColor2",
      23: "secondaryColor3",
      24: "secondaryColor4",
      27: "transmissionDistance",
      28: "tags",
      29: "density",
      30: "filamentDiameter",
      31: "hardnessShoreA",
      32: "hardnessShoreD",
      33: "minNozzleDiameter",
      34: "minPrintTemperature",
      35: "maxPrintTemperature",
      36: "preheatTemperature",
      37: "minBedTemperature",
      38: "maxBedTemperature",
      39: "minChamberTemperature",
      40: "maxChamberTemperature",
      41: "chamberTemperature",
      42: "containerWidth",
      43: "containerOuterDiameter",
      44: "containerInnerDiameter",
      45: "containerHoleDiameter",
      46: "viscosity18C",
      47: "viscosity25C",
      48: "viscosity40C",
      49: "viscosity60C",
      50: "containerVolumetricCapacity",
      51: "cureWavelength",
      52: "materialAbbreviation",
      53: "nominalFullLength",
      54: "actualFullLength",
      55: "countryOfOrigin",
      56: "certifications",
      57: "dryingTemperature",
      58: "dryingTime",
      59: "primaryColorLab",
      60: "primaryColorRAL",
      61: "filamentDiameterV2",
      62: "minNozzleDiameterV2",
    ], uuids: [0, 1, 2, 3], enumerations: [8: ["FFF"], 9: materialTypes])

  static let auxiliary = OpenPrintTagKeys(names: [
    0: "consumedWeight", 1: "workgroup", 2: "generalPurposeRangeUser", 3: "lastStirTime",
    4: "purchaseTime", 5: "purchasePrice", 6: "purchaseCurrency",
  ])

  private static let materialTypes = [
    "PLA", "PETG", "TPU", "ABS", "ASA", "PC", "PCTG", "PP", "PA6", "PA11", "PA12", "PA66", "CPE",
    "TPE", "HIPS", "PHA", "PET", "PEI", "PBT", "PVB", "PVA", "PEKK", "PEEK", "BVOH", "TPC", "PPS",
    "PPSU", "PVC", "PEBA", "PVDF", "PPA", "PCL", "PES", "PMMA", "POM", "PPE", "PS", "PSU", "TPI",
    "SBS", "OBC", "EVA", "PA612",
  ]

  /// Returns the fields of a section.
  func fields(
    of members: [CBORItem.Member], tolerance: inout NDEFTolerance
  ) throws(NDEFError) -> NDEFFields {
    var fields = NDEFFields()
    for member in members {
      guard case .unsigned(let key) = member.key else {
        try tolerance.report(
          NDEFError(
            .invalidValue, offset: member.offset, reason: "the key of a field is not a number"))
        continue
      }
      let name = names[key] ?? "key\(key)"
      guard fields[name] == nil else {
        try tolerance.report(.repeated("field with one key", offset: member.offset))
        continue
      }
      fields[name] = value(of: member.value, key)
    }
    return fields
  }

  private func value(of item: CBORItem, _ key: UInt64) -> NDEFFieldValue {
    switch item {
    case .bytes(let bytes) where uuids.contains(key) && bytes.count == 16:
      return .text(bytes.uuidDescription)
    case .unsigned(let number):
      let choices = enumerations[key] ?? []
      guard let index = Int(exactly: number), choices.indices.contains(index) else {
        return item.fieldValue
      }
      return .text(choices[index])
    default:
      return item.fieldValue
    }
  }
}
