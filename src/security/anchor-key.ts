import { hkdfSync } from 'node:crypto';
import { createAnchorKey, type AnchorKey } from '../../schema/resources/anchor/signature.ts';
import type { Config } from '../config/config.ts';

/**
 * The key that signs anchors: ANCHOR_KEY, or one that is derived from KONTOR_SECRET by HKDF (RFC 5869). Neither is in the database.
 * @param secret KONTOR_SECRET
 */
export const readAnchorKey = ({ anchorKey }: Pick<Config, 'anchorKey'>, secret: string): AnchorKey =>
  anchorKey === null ? deriveAnchorKey(secret) : createAnchorKey(Buffer.from(anchorKey, 'base64'));

/** The key that signs anchors without ANCHOR_KEY. */
export const deriveAnchorKey = (secret: string): AnchorKey =>
  createAnchorKey(new Uint8Array(hkdfSync('sha256', secret, '', 'kontor anchors', 32)));
