// In the browser: samples show the reader's own token of a test tenant, once they ask for one. It is kept in this tab only. Readers
// who are not signed in to the dashboard get the page as it is, and cause no request.
const key = 'kontor-docs-token';
/** Signing in to the dashboard sets this (src/dashboard/session/auth.ts). */
const signedInFlag = 'kontor-signed-in';

/** The text that stands for the token in the samples of each language, and its replacement. */
const places = [
  [/printf 'Your API token: '; read -r TOKEN; export TOKEN/, (token) => `export TOKEN=${token}`],
  [/\$TOKEN\b/g, (token) => token],
  [/process\.env\.TOKEN( \?\? '')?/, (token) => `'${token}'`],
  [/\{os\.environ\['TOKEN'\]\}/, (token) => token],
  [/getenv\('TOKEN'\)/, (token) => `'${token}'`],
];
const lines = [...document.querySelectorAll('.text pre .line')].filter(({ textContent }) =>
  places.some(([place]) => textContent.search(place) !== -1),
);

/** Browsers can refuse the storage. */
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

/** In a line, colours end where the token takes its place over several of them. */
function fill(line, token) {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    for (const [place, put] of places) text.data = text.data.replace(place, () => put(token));
  }
  let whole = line.textContent;
  for (const [place, put] of places) whole = whole.replace(place, () => put(token));
  if (whole !== line.textContent) line.textContent = whole;
}

function show({ token, tenant }) {
  for (const line of lines) fill(line, token);
  offer.textContent = `The samples have your token of the test tenant ${tenant.name}, for a day.`;
}

const ask = async (method, path) => {
  const answer = await fetch(`/api/auth/${path}`, { method, headers: { 'X-Requested-With': 'kontor' } });
  return { status: answer.status, body: await answer.json() };
};

async function make() {
  const { status, body } = await ask('POST', 'test-token');
  if (status === 200) {
    attempt(() => sessionStorage.setItem(key, JSON.stringify(body)));
    show(body);
    return;
  }
  offer.textContent = body.message;
  if (status !== 404) return;
  const link = document.createElement('a');
  link.href = '/docs/test-tenants';
  link.textContent = 'Test tenants';
  offer.append(' ', link);
}

const offer = document.createElement('p');
offer.className = 'own-token';
offer.setAttribute('role', 'status');

async function start() {
  const session = await ask('GET', 'get-session');
  if (session.status !== 200 || session.body === null) {
    attempt(() => sessionStorage.removeItem(key));
    return;
  }
  const [first] = lines;
  (first.closest('.tabs') ?? first.closest('.code') ?? first.closest('pre')).before(offer);
  const kept = attempt(() => JSON.parse(sessionStorage.getItem(key)));
  if (kept?.userId === session.body.user.id && Date.parse(kept.expiresAt) > Date.now()) return show(kept);
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Show my test token in the samples';
  button.addEventListener('click', () => {
    button.disabled = true;
    make().catch(() => {
      button.disabled = false;
    });
  });
  offer.append(button);
}

// The guide of test tenants needs the token of a tenant that has them.
if (lines.length > 0 && location.pathname !== '/docs/test-tenants' && attempt(() => localStorage.getItem(signedInFlag)))
  start().catch(() => {});
