import { it } from 'vitest';
import { copyCampaign } from './copy-campaign.ts';

// The long form is test/reliability/copy.test.ts.
it('the guide’s program keeps a full copy through random changes, and kills of itself and of the server', () =>
  copyCampaign(300, 8));
