// The image's HEALTHCHECK: succeeds when the process in the same container can answer requests, or takes jobs. A worker has no
// other port than HEALTH_PORT.
const ports = [process.env['PORT'] || '4000', process.env['HEALTH_PORT']].filter(Boolean);
const answers = ports.map((port) => fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => ({ ok: false })));
process.exitCode = (await Promise.all(answers)).some(({ ok }) => ok) ? 0 : 1;
