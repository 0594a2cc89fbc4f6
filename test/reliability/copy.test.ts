import { it } from 'vitest';
import { copyCampaign } from '../sdk/copy-campaign.ts';

const changes = Number(process.env['CHANGES'] ?? 10_000);

it(`the guide’s program keeps a full copy through ${changes} random changes and 100 kills`, () =>
  copyCampaign(changes, 100));
