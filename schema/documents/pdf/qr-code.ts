/** The modules of a QR code, without the white margin. */
export interface QrCode {
  size: number;
  isDark(row: number, column: number): boolean;
}

let loading: Promise<(bytes: Uint8Array) => QrCode> | undefined;

/** The encoder, which is loaded at the first call. */
export function loadQrEncoder(): Promise<(bytes: Uint8Array) => QrCode> {
  loading ??= import('qrcode').then(({ default: { create } }) => (bytes) => {
    // EPC069-12: level M.
    const { modules } = create([{ data: bytes, mode: 'byte' }], { errorCorrectionLevel: 'M' });
    return { size: modules.size, isDark: (row, column) => modules.get(row, column) === 1 };
  });
  return loading;
}
