// The image's HEALTHCHECK: succeeds when the service in the same container can answer requests.
const port = process.env['PORT'] || '4000';
const { ok } = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => ({ ok: false }));
process.exitCode = ok ? 0 : 1;
