import { hash, randomBytes } from 'node:crypto';
import { fromBER, Integer, Null, ObjectIdentifier, OctetString, Sequence, type BaseBlock } from 'asn1js';
import {
  AlgorithmIdentifier,
  ContentInfo,
  ExtKeyUsage,
  MessageImprint,
  PKIStatus,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
  type Attribute,
  type Certificate,
} from 'pkijs';
import { TimestampError } from './timestamp-error.ts';

// Time-stamps of a text's SHA-256 by an authority (RFC 3161).

export interface Timestamp {
  /** The token in DER, as it came. */
  token: Buffer<ArrayBuffer>;
  /** The time that it states. */
  at: Date;
}

const ids = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  timestamp: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
};

/** By which a token may be signed, and name its certificate. */
const hashes = new Map([
  [ids.sha256, 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** How far the authority's clock and this one may differ. */
const maxDifferenceMs = 5 * 60 * 1000;

const nonceBytes = 16;

/** A request of a time-stamp for a text, in DER, with a random nonce. */
export function writeRequest(content: string): { request: Uint8Array<ArrayBuffer>; nonce: Buffer } {
  const nonce = randomBytes(nonceBytes);
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40; // positive, and as short as DER writes it
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: ids.sha256, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: new Uint8Array(hash('sha256', content, 'buffer')) }),
    }),
    nonce: new Integer({ valueHex: new Uint8Array(nonce) }),
    certReq: true,
  });
  return { request: new Uint8Array(request.toSchema().toBER()), nonce };
}

/**
 * The time-stamp in an authority's answer.
 * @throws TimestampError unless it is one of this text, and the answer to the request with this nonce
 */
export async function readAnswer(
  answer: Uint8Array<ArrayBuffer>,
  { content, nonce, now }: { content: string; nonce: Uint8Array; now: Date },
): Promise<Timestamp> {
  const token = findToken(answer);
  const { at, nonce: given } = await checkToken(token, content);
  if (!given || !equals(given, nonce)) throw new TimestampError('answered another request');
  if (Math.abs(at.getTime() - now.getTime()) > maxDifferenceMs)
    throw new TimestampError(
      "states a time that is more than 5 minutes from the database's: check the clock of its machine",
    );
  return { token, at };
}

/** @throws TimestampError */
function findToken(answer: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  const [response, token] = decode(() => {
    const result = readBlock(answer);
    // As it came: what is signed must not be written anew.
    const found = Buffer.from(getChildren(result)[1]?.valueBeforeDecodeView ?? []);
    return [new TimeStampResp({ schema: result }), found] as const;
  });
  const { status, statusStrings = [] } = response.status;
  if (status !== PKIStatus.granted && status !== PKIStatus.grantedWithMods) {
    // As JSON, so that line breaks in it are escaped.
    const reason = JSON.stringify(statusStrings.map((each) => each.valueBlock.value).join(' ')).slice(0, 200);
    throw new TimestampError(`refused, with the status ${status} and the reason ${reason}`);
  }
  return token;
}

/**
 * Checks the signature of a token by the certificate in it. Who issued that, whoever uses the time-stamp checks.
 * @returns the time that it states
 * @throws TimestampError unless it is a right time-stamp of this text
 */
export async function checkToken(
  token: Uint8Array<ArrayBuffer>,
  content: string,
): Promise<{ at: Date; nonce: Integer | undefined }> {
  const { signed, info } = decode(() => parseToken(token));
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (hashAlgorithm.algorithmId !== ids.sha256 || !equals(hashedMessage, hash('sha256', content, 'buffer')))
    throw new TimestampError('gave a time-stamp of another content');
  await checkSignature(signed, content, info.genTime);
  return { at: info.genTime, nonce: info.nonce };
}

function parseToken(token: Uint8Array<ArrayBuffer>): { signed: SignedData; info: TSTInfo } | undefined {
  const { contentType, content } = new ContentInfo({ schema: readBlock(token) });
  if (contentType !== ids.signedData) return undefined;
  const signed = new SignedData({ schema: content });
  const { eContentType, eContent } = signed.encapContentInfo;
  if (eContentType !== ids.timestamp || !eContent) return undefined;
  const info = TSTInfo.fromBER(eContent.getValue());
  return Number.isFinite(info.genTime.getTime()) ? { signed, info } : undefined;
}

/** @throws Error unless it is all of the bytes */
function readBlock(bytes: Uint8Array<ArrayBuffer>): BaseBlock {
  const { result, offset } = fromBER(bytes);
  if (offset !== bytes.length) throw new Error('It is not one block');
  return result;
}

/** @throws TimestampError also for what the parsers throw, which is of many kinds */
function decode<Result>(read: () => Result | undefined): Result {
  let result: Result | undefined;
  try {
    result = read();
  } catch (error) {
    throw new TimestampError('gave an answer that can not be read', { cause: error });
  }
  if (result === undefined) throw new TimestampError('gave an answer that can not be read');
  return result;
}

/** @throws TimestampError */
async function checkSignature(signed: SignedData, content: string, at: Date): Promise<void> {
  const [signer, ...others] = signed.signerInfos;
  if (!signer || others.length > 0) throw new TimestampError('gave a time-stamp that does not have one signature');
  if (!hashes.has(signer.digestAlgorithm.algorithmId)) throw new TimestampError('signed with an outdated hash');
  const data = new Uint8Array(Buffer.from(content)).buffer;
  const { signatureVerified, signerCertificate } = await signed
    .verify({ signer: 0, data, extendedMode: true })
    .catch((error: unknown) => {
      throw new TimestampError('gave a signature that can not be checked', { cause: error });
    });
  if (!signatureVerified || !signerCertificate) throw new TimestampError('gave a signature that is not right');
  const attributes = signer.signedAttrs?.attributes ?? [];
  if (!attributes.some(statesType) || !attributes.some((each) => namesCertificate(each, signerCertificate)))
    throw new TimestampError('gave a signature that does not name its certificate');
  checkCertificate(signerCertificate, at);
}

const statesType = ({ type, values: [value] }: Attribute): boolean =>
  type === ids.contentType && value instanceof ObjectIdentifier && value.getValue() === ids.timestamp;

/** Whether an attribute says that this certificate signed (RFC 5816): otherwise another one of the same key could take its place. */
function namesCertificate({ type, values: [value] }: Attribute, certificate: Certificate): boolean {
  if (type !== ids.signingCertificate && type !== ids.signingCertificateV2) return false;
  const [first] = getChildren(getChildren(value)[0]);
  const [named, next] = getChildren(first);
  const [algorithm] = getChildren(named);
  const version2 = algorithm instanceof ObjectIdentifier ? hashes.get(algorithm.getValue()) : 'sha256';
  const name = type === ids.signingCertificate ? 'sha1' : version2;
  const digest = named instanceof OctetString ? named : next;
  const der = Buffer.from(certificate.toSchema().toBER());
  return name !== undefined && digest instanceof OctetString && equals(digest, hash(name, der, 'buffer'));
}

const getChildren = (value: unknown): BaseBlock[] => (value instanceof Sequence ? value.valueBlock.value : []);

/** RFC 3161, section 2.3. */
function checkCertificate({ extensions = [], notBefore, notAfter }: Certificate, at: Date): void {
  const usage = extensions.find(({ extnID }) => extnID === ids.extendedKeyUsage);
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  if (!usage?.critical || purposes.length !== 1 || purposes[0] !== ids.timeStamping)
    throw new TimestampError('signed with a certificate that is not for time-stamping');
  if (at < notBefore.value || at > notAfter.value)
    throw new TimestampError('signed with a certificate that was not valid then');
}

const equals = ({ valueBlock }: OctetString | Integer, bytes: Uint8Array): boolean =>
  Buffer.from(valueBlock.valueHexView).equals(bytes);
