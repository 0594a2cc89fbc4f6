import { hkdfSync } from 'node:crypto';
import { createAnchorKey, type AnchorKey } from '../../schema/resources/anchor/signature.ts';
import type { Config } from '../config/config.ts';

/**
 * The key that signs anchors: ANCHOR_KEY, or one that is derived from KONTOR_SECRET by HKDF (RFC 5869). Neither is in the database.
 * @param secret KONTOR_SECRET
 */
export const readAnchorKey = ({ anchorKey }: Pick<Config, 'anchorKey'>, secret: string): AnchorKey =>
  createAnchorKey(
    anchorKey === null
      ? new Uint8Array(hkdfSync('sha256', secret, '', 'kontor anchors', 32))
      : Buffer.from(anchorKey, 'base64'),
  );
