/* global Scalar */
// In the browser: the API reference, asking nobody but this server.
Scalar.createApiReference('#reference', {
  url: '/api/v1/openapi.json',
  servers: [{ url: '/api/v1', description: 'This server' }],
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
});
