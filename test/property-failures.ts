import fc from 'fast-check';

// A property of generated books fails with the example that was found, and its seed. Looking for a smaller one takes longer than
// a test may take: the test would end as one that hangs, without any example. SHRINK=1 looks for it.
if (!process.env['SHRINK']) fc.configureGlobal({ endOnFailure: true });
