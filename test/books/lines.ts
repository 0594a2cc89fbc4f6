/** The records of a file of books, without the audit log, which also has what an import did. */
export const booksIn = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !/^\{"(?:format|record":"(?:audit_entry|end))"/.test(line));

/** The records of a file's audit log. */
export const auditLogIn = (text: string): { content: string; hash: string | null }[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"record":"audit_entry"'))
    .map((line) => JSON.parse(line) as { content: string; hash: string | null });
