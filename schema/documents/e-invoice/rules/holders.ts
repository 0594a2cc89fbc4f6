// Where each fatal rule of EN 16931, XRechnung 3.0, and Peppol BIS Billing 3.0 is held. The page /docs/e-invoice-rules shows
// this list, and a test compares it with the rules of this folder. BR-DE-21, the specification identifier, is a warning and
// held by the profile. Other warnings are not looked at.

/** The part of the program that keeps an invoice from breaking a rule. */
export const holders = {
  type: "the model can't say it otherwise",
  serializer: 'the XML is always written so',
  rule: 'an invoice that breaks it is refused, with this id',
  database: 'a column is NOT NULL, or has a CHECK',
  validation: 'input is refused before it is stored',
};

export interface HeldRules {
  by: keyof typeof holders;
  /** Official ids, separated by commas. */
  ids: string;
  how?: string;
}

/** The rules by the specification that they are of. */
export const heldRules: Record<'EN 16931' | 'XRechnung' | 'Peppol', HeldRules[]> = {
  'EN 16931': [
    { by: 'serializer', ids: 'BR-01', how: 'each profile has a specification identifier' },
    { by: 'type', ids: 'BR-02', how: '`NumberedEInvoice`. A draft without a number breaks nothing' },
    {
      by: 'type',
      ids: `BR-03, BR-04, BR-05, BR-12, BR-13, BR-14, BR-15, BR-21, BR-22, BR-23, BR-24, BR-26, BR-45, BR-46, BR-47`,
      how: 'the field is required',
    },
    { by: 'rule', ids: 'BR-06, BR-07, BR-09, BR-11, BR-16, BR-25, BR-27, BR-29, BR-30, BR-55, BR-57, BR-61' },
    {
      by: 'serializer',
      ids: 'BR-08, BR-10',
      how: 'an address is written if it has a country, which BR-09 and BR-11 demand',
    },
    { by: 'serializer', ids: 'BR-48', how: 'the rate is always written, 0 for O' },
    { by: 'serializer', ids: 'BR-49', how: '`paymentMeansCode()`' },
    { by: 'serializer', ids: 'BR-50', how: 'the account is written if it is not blank, which BR-61 demands' },
    { by: 'serializer', ids: 'BR-62, BR-63', how: 'an electronic address has its scheme, which BR-CL-25 checks' },
    { by: 'type', ids: 'BR-CL-01, BR-CL-17, BR-CL-18', how: 'only codes of the lists' },
    {
      by: 'serializer',
      ids: 'BR-CL-03',
      how: 'amounts have the currency of the document, which BR-CL-04 checks, or BT-6',
    },
    {
      by: 'rule',
      ids: 'BR-CL-04, BR-CL-11, BR-CL-14, BR-CL-23, BR-CL-25, CII-D16B',
      how: 'CII-D16B is what the XML schema of CII enumerates',
    },
    { by: 'serializer', ids: 'BR-CL-08', how: 'no note has a subject, unless its text looks like one in UBL' },
    { by: 'serializer', ids: 'BR-CL-16, BR-CL-19', how: 'the codes are constants' },
    { by: 'type', ids: 'BR-CO-04', how: 'each line has a category' },
    { by: 'rule', ids: 'BR-CO-09, BR-CO-10, BR-CO-14, BR-CO-15, BR-CO-16, BR-CO-17, BR-CO-18, BR-CO-25, BR-CO-26' },
    { by: 'serializer', ids: 'BR-CO-13', how: 'it writes the same amount as BT-106 and BT-109' },
    { by: 'type', ids: 'BR-CO-19, BR-CO-20', how: 'a period has both days' },
    { by: 'serializer', ids: 'BR-CO-23, BR-41, BR-42', how: 'a discount has an amount and a reason code' },
    {
      by: 'serializer',
      ids: `BR-DEC-09, BR-DEC-12, BR-DEC-13, BR-DEC-16, BR-DEC-18, BR-DEC-19, BR-DEC-20, BR-DEC-23, BR-DEC-24,
        BR-DEC-25`,
      how: 'it writes the minor digits of the currency, which BR-DEC-14 bounds',
    },
    { by: 'rule', ids: 'BR-DEC-14' },
    { by: 'serializer', ids: 'BR-53', how: 'BT-6 and BT-111 are written together' },
    { by: 'serializer', ids: 'BR-CL-05, BR-DEC-15', how: '`prepare()` leaves out a BT-6 that would break them' },
    { by: 'rule', ids: 'BR-S-01, BR-S-02, BR-S-05, BR-S-08, BR-S-10' },
    { by: 'rule', ids: 'BR-Z-01, BR-Z-02, BR-Z-05, BR-Z-08, BR-Z-10' },
    { by: 'rule', ids: 'BR-E-01, BR-E-02, BR-E-05, BR-E-08, BR-E-10' },
    { by: 'rule', ids: 'BR-AE-01, BR-AE-02, BR-AE-05, BR-AE-08, BR-AE-10' },
    { by: 'rule', ids: 'BR-IC-01, BR-IC-02, BR-IC-05, BR-IC-08, BR-IC-10, BR-IC-11, BR-IC-12' },
    { by: 'rule', ids: 'BR-G-01, BR-G-02, BR-G-05, BR-G-08, BR-G-10' },
    { by: 'rule', ids: 'BR-O-01, BR-O-08, BR-O-09, BR-O-10, BR-O-12' },
    {
      by: 'serializer',
      ids: 'BR-S-09, BR-Z-09, BR-E-09, BR-AE-09, BR-IC-09, BR-G-09',
      how: 'the amount is that of the model, which BR-CO-17 compares; rates are 0 by BR-Z-05 and its kin',
    },
    { by: 'serializer', ids: 'BR-O-02', how: 'no VAT number is written if all lines are outside of VAT' },
    { by: 'serializer', ids: 'BR-O-05', how: 'a line outside of VAT has no rate' },
    { by: 'type', ids: 'BR-O-11', how: 'each part of the breakdown has lines, which BR-O-12 checks' },
    {
      by: 'serializer',
      ids: 'UBL-SR-01 to UBL-SR-56, UBL-DT-01, UBL-DT-06, UBL-DT-07, UBL-CR-666, UBL-CR-673',
      how: 'each element at most once, with the attributes of the binding',
    },
    { by: 'serializer', ids: 'CII-SR-009 to CII-SR-494, CII-DT-001 to CII-DT-104', how: 'the same in CII' },
  ],
  XRechnung: [
    {
      by: 'rule',
      ids: `BR-DE-1, BR-DE-2, BR-DE-3, BR-DE-4, BR-DE-5, BR-DE-6, BR-DE-7, BR-DE-8, BR-DE-9, BR-DE-10, BR-DE-11,
        BR-DE-15, BR-DE-16, BR-DE-18`,
    },
    { by: 'serializer', ids: 'BR-DE-14', how: 'the rate is always written, 0 for O' },
    { by: 'serializer', ids: 'BR-DE-23-a, BR-DE-23-b', how: 'codes 30 and 58 are written with an account only' },
  ],
  Peppol: [
    {
      by: 'rule',
      ids: `PEPPOL-EN16931-R003, PEPPOL-EN16931-R010, PEPPOL-EN16931-R020, PEPPOL-EN16931-R040, PEPPOL-EN16931-R110,
        PEPPOL-EN16931-R111, PEPPOL-EN16931-R120`,
    },
    {
      by: 'serializer',
      ids: 'PEPPOL-EN16931-R001, PEPPOL-EN16931-R004, PEPPOL-EN16931-R007',
      how: 'identifiers of the profile',
    },
    { by: 'database', ids: 'PEPPOL-EN16931-R005', how: 'the exchange rate is into another currency' },
    { by: 'serializer', ids: 'PEPPOL-EN16931-R055', how: 'rates are above 0' },
    { by: 'serializer', ids: 'PEPPOL-EN16931-R002', how: '`prepare()` joins the notes' },
    { by: 'serializer', ids: 'PEPPOL-EN16931-R008', how: '`element()` writes nothing that is empty' },
    { by: 'type', ids: 'PEPPOL-EN16931-R041, PEPPOL-EN16931-R042', how: 'a discount has base and per cent' },
    {
      by: 'serializer',
      ids: `PEPPOL-EN16931-R043, PEPPOL-EN16931-R043-1, PEPPOL-EN16931-R043-2, PEPPOL-EN16931-R051,
        PEPPOL-EN16931-R053, PEPPOL-EN16931-R054`,
      how: 'constants, and one tax total of each currency',
    },
    { by: 'rule', ids: 'PEPPOL-EN16931-CL007, PEPPOL-EN16931-CL008' },
    { by: 'serializer', ids: 'PEPPOL-EN16931-CL002', how: 'the reason code of a discount is a constant' },
    { by: 'type', ids: 'PEPPOL-EN16931-P0100, PEPPOL-EN16931-P0101, PEPPOL-EN16931-P0112', how: '380 and 381' },
    { by: 'database', ids: 'PEPPOL-EN16931-F001', how: 'dates are dates' },
    {
      by: 'rule',
      ids: `PEPPOL-COMMON-R040, PEPPOL-COMMON-R041, PEPPOL-COMMON-R042, PEPPOL-COMMON-R043, PEPPOL-COMMON-R049,
        PEPPOL-COMMON-R050, PEPPOL-COMMON-R052, PEPPOL-COMMON-R053`,
    },
    {
      by: 'rule',
      ids: `DE-R-001, DE-R-002, DE-R-003, DE-R-004, DE-R-005, DE-R-006, DE-R-007, DE-R-008, DE-R-009, DE-R-010,
        DE-R-011, DE-R-015, DE-R-016, DE-R-018`,
    },
    { by: 'serializer', ids: 'DE-R-014, DE-R-023-1, DE-R-023-2', how: 'as BR-DE-14, BR-DE-23-a, BR-DE-23-b' },
    { by: 'rule', ids: 'IT-R-001, IT-R-002, IT-R-003, IT-R-004' },
    { by: 'rule', ids: 'NL-R-001, NL-R-002, NL-R-003, NL-R-004, NL-R-007' },
    { by: 'serializer', ids: 'NL-R-008', how: 'codes 30 and 58' },
    { by: 'rule', ids: 'NO-R-001' },
    { by: 'rule', ids: 'SE-R-001, SE-R-002, SE-R-005, SE-R-006, SE-R-013' },
    {
      by: 'serializer',
      ids: 'SE-R-003, SE-R-004',
      how: 'the number is written as it is; SE-R-013 checks its digits',
    },
    { by: 'rule', ids: 'DK-R-002, DK-R-014, GR-R-001-1, IS-R-002, IS-R-003, IS-R-004' },
    {
      by: 'serializer',
      ids: 'DK-R-005, DK-R-013',
      how: 'within Denmark no code 30, and no identifier besides BT-30',
    },
    { by: 'validation', ids: 'DK-R-016', how: "a credit note's total is not negative" },
  ],
};

/** Rules about what the model lacks, by what it lacks. No invoice of ours can break them. */
export const notApplicable: { about: string; ids: string }[] = [
  {
    about: `payees, tax representatives, allowances and charges of the whole document, charges of lines, gross prices and
      base quantities, attachments, item identifiers and attributes, payment cards, direct debits, points in time of tax, orders`,
    ids: `BR-17 to BR-20, BR-28, BR-31 to BR-38, BR-43, BR-44, BR-51, BR-52, BR-54, BR-56, BR-64 to BR-67, BR-CL-06,
      BR-CL-07, BR-CL-10, BR-CL-12, BR-CL-13, BR-CL-15, BR-CL-20 to BR-CL-22, BR-CL-24, BR-CL-26, BR-CO-03,
      BR-CO-05 to BR-CO-08, BR-CO-11, BR-CO-12, BR-CO-21, BR-CO-22, BR-CO-24, BR-DEC-01 to BR-DEC-06,
      BR-DEC-10, BR-DEC-11, BR-DEC-17, BR-DEC-27, BR-DEC-28, in each category the rules 03, 04, 06,
      and 07, BR-O-13, BR-O-14, BR-TMP-3, BR-DE-22, BR-DE-24-a to BR-DE-31, DE-R-022, DE-R-024-1 to DE-R-031,
      DK-R-003, DK-R-004, DK-R-006 to DK-R-011, DK-R-017, IS-R-006 to IS-R-010, NL-R-005, NL-R-006, NL-R-009,
      PEPPOL-EN16931-R044, PEPPOL-EN16931-R046, PEPPOL-EN16931-R061,
      PEPPOL-EN16931-R080, PEPPOL-EN16931-R100, PEPPOL-EN16931-R101, PEPPOL-EN16931-R121, PEPPOL-EN16931-R130,
      PEPPOL-EN16931-CL001, PEPPOL-EN16931-CL003, PEPPOL-EN16931-CL006`,
  },
  { about: 'codes of exemption reasons', ids: 'PEPPOL-EN16931-P0104 to PEPPOL-EN16931-P0111' },
  { about: 'other categories of VAT: IGIC, IPSI, split payment', ids: 'BR-AF, BR-AG, BR-B' },
  { about: 'extensions of XRechnung', ids: 'BR-DEX, BR-DE-CVD, BR-TMP-CVD' },
  {
    about: 'invoices from Greece or within Iceland; each of them breaks GR-R-001-1 or IS-R-004',
    ids: 'the other rules of GR-R, IS-R-005',
  },
];
