// In the browser: checks one document by its proof, and by an anchor. Nothing is sent to a server.
const form = document.querySelector('#check-proof');
const findings = document.querySelector('#findings');
const verdict = document.querySelector('#verdict');

const maxFileBytes = 100_000_000;
const hex = /^[0-9a-f]{64}$/;
const utf8 = (text) => new TextEncoder().encode(text);
const toHex = (bytes) => Uint8Array.from(bytes).toHex();
const sha256 = async (bytes) => toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));

/** The values of a text that is JSON, or JSON Lines. Answers of the API have theirs under `data`. */
function readValues(text) {
  const parse = (part) => [JSON.parse(part)].flat();
  let values;
  try {
    values = parse(text);
  } catch {
    values = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : parse(line)));
  }
  // A proof has the text of what the document says as `data`: only an object is an envelope.
  return values.flatMap((value) =>
    typeof value?.data === 'object' && value.data !== null ? (value.data.books ?? value.data) : value,
  );
}

function readProofs(text) {
  const proofs = readValues(text).map((value) => {
    const { content, previous_hash: previous, hash, data = null } = value;
    if (typeof content !== 'string' || !hex.test(previous) || !hex.test(hash)) throw new SyntaxError('no proof');
    const said = JSON.parse(content);
    return { content, previous, hash, data, number: String(said.number), files: said.files ?? {}, dataHash: said.data };
  });
  if (proofs.length === 0) throw new SyntaxError('no proof');
  return proofs;
}

function readAnchor(text) {
  const [{ content, public_key: key, signature }] = readValues(text);
  const { documents, tenant_id: tenant, at } = JSON.parse(content);
  return {
    content,
    key,
    documents,
    tenant: String(tenant),
    at: String(at),
    publicKey: Uint8Array.fromBase64(key),
    signature: Uint8Array.fromBase64(signature),
  };
}

async function isSigned({ content, publicKey, signature }) {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, utf8(content));
  } catch {
    return false;
  }
}

const chained = ({ previous, content }) => {
  const text = utf8(content);
  const bytes = new Uint8Array(32 + text.length);
  bytes.set(Uint8Array.fromHex(previous));
  bytes.set(text, 32);
  return sha256(bytes);
};

/** @param add receives each finding: whether it is right, null if it can't be told, and a sentence */
async function check({ proofs, file, anchor, trusted }, add) {
  const [proof] = proofs;
  if (file) {
    const hash = await sha256(await file.arrayBuffer());
    const format = Object.entries(proof.files).find(([, its]) => its === hash)?.[0];
    if (format === undefined) add(false, `The file is none of those that were proven for ${proof.number}.`);
    else add(true, `The file is the ${format} file of ${proof.number}, byte for byte.`);
  } else add(null, 'No file was chosen.');
  if (proof.data !== null) {
    const isRight = (await sha256(utf8(proof.data))) === proof.dataHash;
    add(isRight, `What the document says is ${isRight ? '' : 'not '}what was proven.`);
  }
  let before;
  for (const each of proofs) {
    const isRight = (await chained(each)) === each.hash;
    add(isRight, `The hash of the proof of ${each.number} is ${isRight ? 'right' : 'wrong'}.`);
    if (before && each.previous !== before.hash)
      add(false, `The proof of ${each.number} does not follow from that of ${before.number}.`);
    before = each;
  }
  if (!anchor) {
    add(null, 'Without an anchor, the proof may have been computed later.');
    return;
  }
  const signed = await isSigned(anchor);
  add(
    signed,
    `The signature of the anchor of ${anchor.at} is ${signed ? 'right' : 'wrong'}, of the tenant ${anchor.tenant}.`,
  );
  if (trusted === '') add(null, `Compare the public key with one that you trust: ${anchor.key}`);
  else add(trusted === anchor.key, `The public key is ${trusted === anchor.key ? '' : 'not '}the one that you trust.`);
  const isHead = anchor.documents?.hash === before.hash;
  if (isHead) add(true, `The anchor has the hash of the proof of ${before.number}, and so proves all before it.`);
  else
    add(
      false,
      `The anchor has another hash, of the proof at ${anchor.documents?.position ?? 0}. Add the proofs of the documents after this one, up to that position, a line each.`,
    );
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  findings.replaceChildren();
  verdict.textContent = '';
  let results = [];
  const add = (isRight, text) => results.push([isRight, text]);
  const read = (name, reader, label) => {
    const text = form.elements[name].value.trim();
    if (text === '') return undefined;
    try {
      return reader(text);
    } catch {
      add(false, `${label} can not be read.`);
      return undefined;
    }
  };
  const file = form.elements.file.files[0];
  const proofs = read('proof', readProofs, 'The proof');
  const anchor = read('anchor', readAnchor, 'The anchor');
  if (!window.crypto?.subtle || !Uint8Array.fromHex)
    results = [[false, 'This browser can not check it: use a current one, and an address with https.']];
  else if (file?.size > maxFileBytes) add(false, 'The file is too large.');
  else if (proofs && results.length === 0)
    await check({ proofs, file, anchor, trusted: form.elements.key.value.trim() }, add);
  else if (results.length === 0) add(false, 'The proof is missing.');
  findings.replaceChildren(
    ...results.map(([isRight, text]) => {
      const item = document.createElement('li');
      item.textContent = `${isRight === null ? 'Not checked' : isRight ? 'Right' : 'Wrong'}: ${text}`;
      return item;
    }),
  );
  const isWrong = results.some(([isRight]) => isRight === false);
  const isWhole = results.every(([isRight]) => isRight === true);
  verdict.textContent = isWrong
    ? 'Something is wrong.'
    : isWhole
      ? 'Everything is right.'
      : 'What was checked is right, but not everything was checked.';
});
