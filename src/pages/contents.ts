import { buildApiReference } from './api-reference.ts';
import { proofForm, proofText } from './check-proof.ts';
import { readDocuments } from './documents.ts';
import { buildEInvoiceRules } from './e-invoice-rules.ts';
import { buildErrorCodes } from './error-codes.ts';
import { buildStates } from './states.ts';
import { groups, readGuides, getTitle, type Guide } from './guides.ts';

/** A page of text below /docs/. */
export interface Page extends Guide {
  /** HTML after the text. */
  form?: string;
}

export interface PageGroup {
  title: string;
  pages: Page[];
}

/** The group of the API reference. */
export const apiGroup = 'API reference';

const page = (slug: string, text: string, form?: string): Page => ({ slug, title: getTitle(slug, text), text, form });

/** All pages of text, in the order of the side navigation. */
export function readContents(): PageGroup[] {
  const api = buildApiReference();
  const pages: Page[] = [
    ...readGuides(),
    ...readDocuments(),
    page('states', buildStates()),
    page('error-codes', buildErrorCodes()),
    page('e-invoice-rules', buildEInvoiceRules()),
    ...api.map(({ slug, text }) => page(slug, text)),
    page('check-proof', proofText, proofForm),
  ];
  const all = {
    ...groups,
    Operating: ['operating', 'security'],
    Reference: ['contract', 'states', 'error-codes', 'e-invoice-rules', 'check-proof'],
    [apiGroup]: api.map(({ slug }) => slug),
  };
  return Object.entries(all).map(([title, slugs]) => ({
    title,
    pages: slugs.map((slug) => pages.find((each) => each.slug === slug) ?? fail(slug)),
  }));
}

function fail(slug: string): never {
  throw new Error(`A group names the page ${slug}, which nothing builds`);
}
