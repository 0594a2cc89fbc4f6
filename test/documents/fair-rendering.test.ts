import { expect, it } from 'vitest';
import { pdfTurns } from '../../schema/resources/document/stored-files.ts';
import { withHolder } from '../../prisma/client.ts';
import { renderInThread } from '../../schema/documents/render-in-thread.ts';
import { makeSource } from './sources.ts';

const source = (lines: number) => makeSource(Array<null>(lines).fill(null));

/** A function that makes a tenant's PDF as requests do, and the tenants in the order in which they got theirs. */
function startRendering() {
  const finished: string[] = [];
  const render = async (tenantId: string, lines: number): Promise<void> => {
    await pdfTurns.run(withHolder({ id: tenantId, testOf: null }).holder, () => renderInThread(source(lines)));
    finished.push(tenantId);
  };
  return { finished, render };
}

it('a tenant’s PDF waits for none of another tenant’s, however many and long these are', async () => {
  const { finished, render } = startRendering();
  const attack = Array.from({ length: 2 }, () => render('attacker', 900));
  const innocent = render('innocent', 1);
  await Promise.all([...attack, innocent]);
  expect(finished.indexOf('innocent')).toBe(0);
});

it('usual PDFs wait for no very long ones, however many tenants ask for these', async () => {
  const { finished, render } = startRendering();
  const attack = ['attacker 1', 'attacker 2', 'attacker 3'].map((tenantId) => render(tenantId, 900));
  await Promise.all([...attack, render('innocent', 1)]);
  expect(finished.indexOf('innocent')).toBe(0);
});

it('a tenant’s PDFs and those of its test tenants are made one after the other', async () => {
  let running = 0;
  let most = 0;
  const render = (id: string, testOf: string | null) =>
    pdfTurns.run(withHolder({ id, testOf }).holder, async () => {
      running += 1;
      most = Math.max(most, running);
      await renderInThread(source(1));
      running -= 1;
    });
  await Promise.all([render('owner', null), render('test 1', 'owner'), render('test 2', 'owner')]);
  expect(most).toBe(1);
});
