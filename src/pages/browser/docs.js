// In the browser: a button on each block of code that copies it, which needs JavaScript; and the list of pages is scrolled to
// where this page is.
const current = document.querySelector('.pages [aria-current]');
if (current) current.offsetParent?.scrollTo(0, current.offsetTop - current.offsetParent.clientHeight / 2);

const said = document.createElement('p');
said.className = 'said';
said.setAttribute('role', 'status');
document.body.append(said);

/** Browsers give the clipboard to pages over HTTPS and of this machine only; elsewhere the older command does. */
async function copy(pre) {
  if (navigator.clipboard) return navigator.clipboard.writeText(pre.textContent);
  const selection = window.getSelection();
  selection.selectAllChildren(pre);
  const copied = document.execCommand('copy');
  selection.removeAllRanges();
  if (!copied) throw new Error('The browser copies nothing.');
}

for (const pre of document.querySelectorAll('.text pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy this code');
  let shown;
  button.addEventListener('click', async () => {
    const [label, text] = await copy(pre).then(
      () => ['Copied', 'The code is copied.'],
      () => ['Not copied', 'The code could not be copied. Select it, and copy it by hand.'],
    );
    button.textContent = label;
    said.textContent = text;
    clearTimeout(shown);
    shown = setTimeout(() => {
      button.textContent = 'Copy';
      said.textContent = '';
    }, 2000);
  });
  const block = document.createElement('div');
  block.className = 'code';
  pre.replaceWith(block);
  block.append(pre, button);
}
