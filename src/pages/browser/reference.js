/* global Scalar */
// In the browser: the API reference, asking nobody but this server.
Scalar.createApiReference('#reference', {
  url: '/api/v1/openapi.json',
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
});

// Some of Scalar's buttons have an icon and no name; one has another name than it shows.
new MutationObserver(() => {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy');
  }
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) button.removeAttribute('aria-label');
}).observe(document.body, { childList: true, subtree: true });
