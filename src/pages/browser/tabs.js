// In the browser: samples of one thing in several languages become tabs (WAI-ARIA), one choice for all pages. Without JavaScript
// they stand one after the other.
const key = 'kontor-docs-language';
const groups = [];

/** Browsers can refuse the storage: then the choice holds for this page. */
function stored() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(name) {
  try {
    localStorage.setItem(key, name);
  } catch {
    // Not kept.
  }
}

/** Shows a language in each of these groups that has it. */
function choose(name, among = groups) {
  for (const tabs of among) {
    if (!tabs.some(({ tab }) => tab.textContent === name)) continue;
    for (const { tab, panel } of tabs) {
      const isChosen = tab.textContent === name;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
    }
  }
}

/** The page above may get shorter or longer: the tabs that were used stay where they are. */
function use({ tab }) {
  const before = tab.getBoundingClientRect().top;
  choose(tab.textContent);
  store(tab.textContent);
  tab.focus({ preventScroll: true });
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
}

const steps = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

for (const [number, group] of document.querySelectorAll('.tabs').entries()) {
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = [...group.children].map((panel, at) => {
    const name = panel.firstElementChild;
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `tab-${number}-${at}`;
    tab.setAttribute('role', 'tab');
    tab.textContent = name.textContent;
    name.remove();
    panel.id = `panel-${number}-${at}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    panel.tabIndex = 0;
    tab.setAttribute('aria-controls', panel.id);
    return { tab, panel };
  });
  for (const [at, each] of tabs.entries()) {
    each.tab.addEventListener('click', () => use(each));
    each.tab.addEventListener('keydown', (event) => {
      if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      use(tabs[steps[event.key](at, tabs.length)]);
    });
  }
  list.append(...tabs.map(({ tab }) => tab));
  group.prepend(list);
  group.classList.add('ready');
  groups.push(tabs);
  choose(tabs[0].tab.textContent, [tabs]);
}
const kept = stored();
if (kept !== null) choose(kept);
// Another tab of the browser has chosen.
addEventListener('storage', (event) => event.key === key && event.newValue !== null && choose(event.newValue));
