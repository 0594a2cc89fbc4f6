// In the browser: the search of the documentation, a combobox in a dialog. Its code and its index are loaded when it is opened
// first. What it shows is set as text, never as HTML.
const library = '__MINISEARCH__';
const indexFile = '__INDEX__';
const shownResults = 12;

const button = document.querySelector('.search');
const dialog = document.createElement('dialog');
dialog.className = 'finder';
dialog.setAttribute('aria-label', 'Search the documentation');
const input = create('input', {
  type: 'search',
  role: 'combobox',
  'aria-label': 'Search the documentation',
  'aria-autocomplete': 'list',
  'aria-controls': 'found',
  'aria-expanded': 'false',
  autocomplete: 'off',
  spellcheck: 'false',
  maxlength: '200',
  placeholder: 'Search',
});
const close = create('button', { type: 'button' });
close.textContent = 'Close';
const row = create('div', { class: 'finder-row' });
row.append(input, close);
const message = create('p', { role: 'status' });
const list = create('ul', { id: 'found', role: 'listbox', 'aria-label': 'Results' });
dialog.append(row, message, list);
document.body.append(dialog);
button.hidden = false;

/** The addresses of the options, and the position of the chosen one. */
let targets = [];
let chosen = -1;
let loading;

function create(name, attributes) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Loads once; a failed attempt is made again. */
function load() {
  loading ??= Promise.all([import(library), fetch(indexFile)])
    .then(async ([{ default: MiniSearch }, response]) => {
      if (!response.ok) throw new Error(`The index has the status ${response.status}.`);
      const { options, index } = await response.json();
      return MiniSearch.loadJS(index, options);
    })
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

function open() {
  if (dialog.open) return;
  dialog.showModal();
  input.select();
  void update();
}

function hide() {
  dialog.close();
  // A browser moves the focus away from a hidden field only when it paints next; until then a slash would count as typed.
  input.blur();
}

async function update() {
  const query = input.value;
  // Without accents, as the index is.
  const words = query.normalize('NFKD').replaceAll(/\p{M}/gu, '').trim();
  try {
    const search = await load();
    if (query !== input.value) return;
    const options = { prefix: true, fuzzy: (word) => word.length > 4 && 0.2, boost: { title: 4, page: 2 } };
    const all = search.search(words, { ...options, combineWith: 'AND' });
    const found = all.length > 0 ? all : search.search(words, options);
    show(found.slice(0, shownResults));
    if (words === '') message.textContent = 'Arrow keys choose, Enter opens.';
    else if (found.length === 0) message.textContent = `Nothing is found for “${query}”.`;
    else message.textContent = found.length === 1 ? '1 result' : `${found.length} results`;
  } catch {
    show([]);
    message.textContent = 'The search can’t be loaded. Type again to try once more.';
  }
}

function show(results) {
  targets = results.map(({ href }) => href);
  list.replaceChildren(
    ...results.map(({ page, title, about }, at) => {
      const option = create('li', { id: `found-${at}`, role: 'option', 'aria-selected': 'false' });
      for (const [name, text] of [
        ['found-page', page],
        ['found-title', title],
        ['found-about', about],
      ]) {
        const part = create('span', { class: name });
        part.textContent = text;
        option.append(part, ' ');
      }
      option.addEventListener('click', ({ ctrlKey, metaKey }) => go(at, ctrlKey || metaKey));
      option.addEventListener('mousemove', () => choose(at));
      return option;
    }),
  );
  input.setAttribute('aria-expanded', String(results.length > 0));
  chosen = -1;
  choose(results.length > 0 ? 0 : -1);
}

function choose(at) {
  if (at === chosen) return;
  list.children[chosen]?.setAttribute('aria-selected', 'false');
  chosen = at;
  const option = list.children[at];
  if (!option) return input.removeAttribute('aria-activedescendant');
  option.setAttribute('aria-selected', 'true');
  option.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', option.id);
}

function go(at, inNewTab) {
  const target = targets[at];
  if (target === undefined) return;
  if (inNewTab) return void window.open(target, '_blank', 'noopener');
  hide();
  location.assign(target);
  // On this page the heading also takes the focus, so that Tab goes on from there.
  const { pathname, hash } = new URL(target, location.href);
  const heading = pathname === location.pathname && document.getElementById(hash.slice(1));
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}

const steps = {
  ArrowDown: () => (chosen + 1) % targets.length,
  ArrowUp: () => (chosen - 1 + targets.length) % targets.length,
};

input.addEventListener('input', update);
input.addEventListener('keydown', (event) => {
  if (event.isComposing) return;
  if (event.key === 'Enter') {
    event.preventDefault();
    go(chosen, event.ctrlKey || event.metaKey);
  } else if (event.key in steps && targets.length > 0) {
    event.preventDefault();
    choose(steps[event.key]());
  } else if (event.key === 'Escape') {
    // A search field would only be emptied.
    event.preventDefault();
    hide();
  }
});
button.addEventListener('click', open);
close.addEventListener('click', () => hide());
// A click beside the dialog is one on its backdrop.
dialog.addEventListener('click', ({ target }) => target === dialog && hide());

document.addEventListener('keydown', (event) => {
  const isShortcut =
    event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  const { target } = event;
  const isTyping = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping;
  if (!isShortcut && !isSlash) return;
  event.preventDefault();
  open();
});
