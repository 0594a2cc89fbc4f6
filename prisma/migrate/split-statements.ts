/**
 * The statements of a script: the texts between semicolons. A semicolon in quotes or in a comment ends none. Citus sends the
 * whole text of a command to its workers, so each statement has to be a command of its own.
 */
export function splitStatements(script: string): string[] {
  const parts = script.match(/\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|./gs) ?? [];
  const statements = [''];
  for (const part of parts) {
    if (part === ';') statements.push('');
    else if (!/^(?:--|\/\*)/.test(part)) statements[statements.length - 1] += part;
  }
  return statements.filter((statement) => statement.trim() !== '');
}
