import { hadCode } from './code-lists.ts';

/** Whether an electronic address can have this scheme, of the code list EAS: `0204` is the Leitweg-ID, `EM` e-mail. */
export const isElectronicAddressScheme = (code: string): boolean => hadCode('en-address-schemes', code);

/** Whether a registration number can have this scheme, of the code list ICD: `0106` is the Dutch chamber of commerce. */
export const isRegistrationScheme = (code: string): boolean => hadCode('en-registration-schemes', code);
