// The page /docs: a way in for each kind of reader.

interface Way {
  title: string;
  about: string;
  links: readonly (readonly [href: string, label: string])[];
}

const ways: Way[] = [
  {
    title: 'Integrators',
    about: 'Write a program against REST, or receive webhooks. Its requests keep working for years.',
    links: [
      ['/docs/quick-start', 'A customer and an invoice in five minutes'],
      ['/docs/sdk', 'The SDK for JavaScript and TypeScript'],
      ['/docs/webhooks', 'Receive and verify webhooks'],
      ['/docs/syncing', 'Keep a copy of the books'],
      ['/docs/api', 'API reference'],
      ['/docs/contract', 'What REST v1 promises'],
    ],
  },
  {
    title: 'Front-end teams',
    about: 'Build pages on GraphQL, which answers exactly what a page shows, live too.',
    links: [
      ['/docs/graphql', 'Lists, mutations, errors, and subscriptions'],
      ['/docs/authentication#sessions', 'Sign people in'],
      ['/docs/graphql#trusted-documents', 'Trusted documents'],
      ['/graphql', 'Try queries in GraphiQL'],
      ['/schema.graphql', 'The schema'],
    ],
  },
  {
    title: 'Operators',
    about: 'Run Kontor on your machines: settings, backup, monitoring, several servers.',
    links: [
      ['/docs/operating', 'Operating Kontor'],
      ['/docs/operating#when-something-is-wrong', 'Something is wrong'],
      ['/docs/command-line', 'The command line'],
      ['/docs/security', 'How it is secured'],
      ['/changelog', 'What changed'],
    ],
  },
  {
    title: 'Bookkeepers',
    about: 'Know what is issued and booked, hand it on, and prove that nobody has changed it.',
    links: [
      ['/docs/handbook', 'The handbook'],
      ['/docs/handbuch', 'Das Handbuch auf Deutsch'],
      ['/docs/states', 'From a draft to paid: states and transitions'],
      ['/docs/e-invoices', 'E-invoices: XRechnung, Factur-X, Peppol'],
      ['/docs/exports', 'Exports for DATEV and for a tax audit'],
      ['/docs/moving', 'Come from another system'],
      ['/docs/check-proof', 'Check a document'],
    ],
  },
];

const formatWay = ({ title, about, links }: Way): string => {
  const items = links.map(([href, label]) => `<li><a href="${href}">${label}</a></li>`);
  return `<section class="way"><h2>${title}</h2><p>${about}</p><ul>${items.join('')}</ul></section>`;
};

export const landing = `<h1>Kontor’s documentation</h1>
<p class="lead">Invoicing and bookkeeping for many tenants: over REST, over GraphQL, and by signed webhooks.
Where do you come in?</p>
<div class="ways">${ways.map(formatWay).join('\n')}</div>
<p>Every page is also Markdown: add <code>.md</code> to its address. <a href="/llms.txt">llms.txt</a> lists them for
agents.</p>`;
