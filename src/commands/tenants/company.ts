import { access, constants, readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { getNamedType, isEnumType, isInputObjectType, type GraphQLInputType } from 'graphql';
import { parseJson } from '../../../rest-shim/exact-json.ts';
import { compileDecoder, restValue, toRestPath } from '../../../rest-shim/naming.ts';
import { toSnakeCase } from '../../../rest-shim/snake-case.ts';
import { isObject } from '../../../schema/tenant-archive/format.ts';
import { UploadedFile } from '../../../schema/graphql/input/uploaded-file.ts';
import { Problems, ValidationError } from '../../../schema/errors/errors.ts';
import { compileDocument } from '../../../schema/graphql/execution/compile-document.ts';
import type { Database } from '../../database/database.ts';
import type { Domain } from '../../domain.ts';
import { RefusedError } from '../../identity/index.ts';
import { print, printJson, printRow } from '../output.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { operatorDomain } from '../operator.ts';

// A profile's file has the fields of the GraphQL input in REST's names. `get --json` prints what `set` reads.

/** It is a file of its own. The profile's file can only delete it, by null. */
const logoField = 'logo';

type Profile = Record<string, unknown>;

function buildInput({ schema }: Domain) {
  const input = schema.getType('UpdateCompanyInput');
  if (!isInputObjectType(input)) throw new Error('There is no UpdateCompanyInput');
  return input;
}

/** Runs a document that answers the profile as `result`, with all fields of its input. */
async function ask(database: Database, tenantId: string, head: string, input?: unknown): Promise<Profile | null> {
  const { domain, context } = await operatorDomain(database, tenantId);
  const problems = new Problems();
  const variables = input === undefined ? {} : { input: compileDecoder(buildInput(domain))(input, problems, '') };
  try {
    problems.throwIfAny();
    const fields = Object.values(buildInput(domain).getFields()).filter(({ name }) => name !== logoField);
    const source = `${head} { ${fields.map(({ name }) => name).join(' ')} } }`;
    const row = await compileDocument<Profile | null>(domain.schema, source)(variables, context);
    return row && Object.fromEntries(fields.map(({ name, type }) => [toSnakeCase(name), shown(type, row[name])]));
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const lines = Object.entries(error.errors).map(([path, messages]) => `${toRestPath(path)}: ${messages.join(' ')}`);
    throw new CommandFailure(exitCodes.refused, 'The profile is not valid. Nothing was changed.', lines);
  }
}

/** A value in REST's form. GraphQL answers decimals as strings; a VAT rate has so few digits that a number holds it. */
function shown(inputType: GraphQLInputType, value: unknown): unknown {
  const type = getNamedType(inputType);
  if (value === null) return null;
  if (type.name === 'Decimal') return Number(value);
  const enumValue = isEnumType(type) ? type.getValue(String(value)) : undefined;
  return enumValue ? restValue(enumValue) : value;
}

async function readProfile(file: string): Promise<Profile> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new RefusedError(`${file} can't be read: ${error.message}`);
  });
  let profile: unknown;
  try {
    profile = parseJson(text);
  } catch {
    throw new RefusedError(`${file} is not JSON`);
  }
  if (!isObject(profile)) throw new RefusedError(`${file} must have a JSON object`);
  return profile;
}

async function fileAt(path: string): Promise<UploadedFile> {
  await access(path, constants.R_OK).catch((error: Error) => {
    throw new RefusedError(`${path} can't be read: ${error.message}`);
  });
  const file = new UploadedFile(path);
  file.problem = undefined;
  return file;
}

export function addCompanyCommands(program: Command): void {
  const company = program.command('company').description('the company profile: what documents say of the seller');
  asJson(company.command('set').description("change a tenant's company profile; null clears a field"))
    .requiredOption('--tenant <id>')
    .option('--file <file>', 'JSON: {"legal_name": "…", "iban": "…"}; fields that are left out stay')
    .option('--logo <file>', 'a PNG or an SVG of at most 1 MiB')
    .option('--no-logo', 'delete the logo; issued invoices keep theirs')
    .action(async ({ tenant, file, logo, json }: { tenant: string; file?: string; logo?: string | false } & Json) => {
      if (file === undefined && logo === undefined) throw new RefusedError('Give --file, --logo, or --no-logo');
      const profile = file === undefined ? {} : await readProfile(file);
      if (profile[logoField] != null) throw new RefusedError('The logo is given by --logo');
      const input = {
        ...profile,
        ...(logo !== undefined && { [logoField]: logo === false ? null : await fileAt(logo) }),
      };
      const set = 'mutation ($input: UpdateCompanyInput!) { result: updateCompany(input: $input)';
      const saved = await withDatabase((database) => ask(database, tenant, set, input));
      if (json) printJson(saved);
      else print(`The profile of ${String(saved?.['legal_name'])} is saved.`);
    });
  asJson(company.command('get').description("show a tenant's company profile"))
    .requiredOption('--tenant <id>')
    .action(async ({ tenant, json }: { tenant: string } & Json) => {
      const profile = await withDatabase((database) => ask(database, tenant, 'query { result: company'));
      if (json) return printJson(profile);
      if (!profile) return print('There is no company profile yet.');
      for (const [name, value] of Object.entries(profile)) if (value !== null) printRow(name, String(value));
    });
}
