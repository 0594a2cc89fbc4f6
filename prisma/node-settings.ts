import type { Pool } from 'pg';

// Times and dates are sent as text. Kontor reads them as UTC and in the form of ISO 8601. Citus' workers don't get the
// settings of our sessions, so the settings of their servers count.

/** A server of the database: PostgreSQL itself, Citus' coordinator, or one of its workers. */
interface Node {
  name: string;
  timeZone: string;
  dateStyle: string;
}

const ownSettings = `select 'The database' as name, current_setting('TimeZone') as "timeZone",
  current_setting('DateStyle') as "dateStyle"`;
const isCitus = `select where to_regproc('run_command_on_workers') is not null`;
const workersSettings = `
  select 'The worker ' || nodename || ':' || nodeport as name, result::json ->> 0 as "timeZone", result::json ->> 1 as "dateStyle"
  from run_command_on_workers($$select json_build_array(current_setting('TimeZone'), current_setting('DateStyle'))$$)
  where success`;

const utc = /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu)$/i;

/**
 * What is wrong with the settings of the database's servers, in one line; undefined if nothing is. Workers that don't answer
 * are left out.
 */
export async function settingsFault(pool: Pool): Promise<string | undefined> {
  const { rows: nodes } = await pool.query<Node>(ownSettings);
  if ((await pool.query(isCitus)).rowCount) nodes.push(...(await pool.query<Node>(workersSettings)).rows);
  for (const { name, timeZone, dateStyle } of nodes) {
    if (!utc.test(timeZone)) return `${name} has the time zone ${timeZone}. Set timezone = 'UTC' in its configuration.`;
    if (!dateStyle.startsWith('ISO'))
      return `${name} writes dates as ${dateStyle}. Set datestyle = 'ISO, YMD' in its configuration.`;
  }
  return undefined;
}
