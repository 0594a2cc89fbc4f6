// In the browser: the theme, chosen here or in the dashboard. Loaded without `defer`, so that a page isn't painted in another one
// first. Without JavaScript it is that of the system.
// It is no module, which would run after the painting: the braces keep its names to itself.
{
  const key = 'kontor-color-scheme';
  const root = document.documentElement;

  /** Browsers can refuse the storage: then the choice holds for this page. */
  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  const show = (theme) => {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  show(stored());
  // Scripts run: styles can hide at once what they will.
  root.dataset.scripts = '';

  document.addEventListener('DOMContentLoaded', () => {
    const select = document.querySelector('#theme');
    if (!select) return;
    const update = () => {
      select.value = root.dataset.theme ?? 'auto';
    };
    update();
    select.closest('[hidden]').hidden = false;
    select.addEventListener('change', () => {
      show(select.value);
      try {
        localStorage.setItem(key, select.value);
      } catch {
        // Not kept.
      }
    });
    // Chosen in another tab; or this page comes back from the cache of the browser.
    const follow = () => {
      show(stored());
      update();
    };
    addEventListener('storage', follow);
    addEventListener('pageshow', ({ persisted }) => persisted && follow());
  });
}
