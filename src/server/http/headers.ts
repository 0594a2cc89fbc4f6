import { version } from '../../../schema/version.ts';

/** Headers of every response. Responses that aren't pages may load nothing and may not be framed. */
export const commonHeaders = (publicUrl: string): Record<string, string> => ({
  'Kontor-Version': version,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
});

/**
 * Headers of every page, in addition to the common ones. Only our own scripts run: files, or inline scripts with the nonce of
 * this request. Styles may be inline, as component libraries, Scalar and GraphiQL set them.
 */
export const pageHeaders = (nonce: string): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    'frame-src blob:', // PDFs
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
});

/** The headers of scripts, styles, fonts, and pictures: what governs one that runs as a worker, or is opened by itself. */
export const assetHeaders = {
  'Content-Security-Policy': "default-src 'self'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
