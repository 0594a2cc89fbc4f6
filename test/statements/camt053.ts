// Parts of CAMT.053 XML.

export const debtor = (name: string, iban = 'FR7630006000011234567890189') =>
  `<Dbtr><Nm>${name}</Nm></Dbtr><DbtrAcct><Id><IBAN>${iban}</IBAN></Id></DbtrAcct>`;
export const creditor = (name: string, iban = 'NL91ABNA0417164300') =>
  `<Cdtr><Nm>${name}</Nm></Cdtr><CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct>`;
export const detail = (more: string) => `<TxDtls>${more}</TxDtls>`;
export const amount = (value: string, more = '', currency = 'EUR') =>
  detail(`<AmtDtls><TxAmt><Amt Ccy="${currency}">${value}</Amt></TxAmt></AmtDtls>${more}`);
