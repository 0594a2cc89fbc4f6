/** A parameter of a problem: its type, what it says, and whether some problems of the code have none. */
type Parameter = readonly [type: keyof Values, meaning: string, presence?: 'optional'];

interface Values {
  number: number;
  text: string;
  texts: readonly string[];
}

interface Explained {
  /** A sentence for the page of codes. */
  explanation: string;
  params?: Readonly<Record<string, Parameter>>;
}

/**
 * Codes of the problems of a field, for programs: each code stands for one thing that a program could do about the
 * problem. Part of the API: a code and its parameters stay, and new codes may come (DECISIONS.md#d41-error-codes).
 */
export const problemCodes = {
  required: { explanation: 'The field is missing, or empty, and must have a value.' },
  not_nullable: { explanation: 'The field may be left out, but not be null.' },
  unknown_field: { explanation: 'There is no such field or parameter here.' },
  wrong_type: {
    explanation: 'The value is of another JSON type.',
    params: { expected: ['text', '`string`, `id`, `integer`, `boolean`, `list`, or `object`'] },
  },
  invalid_format: {
    explanation: 'The text has not the form that it must have.',
    params: {
      format: [
        'text',
        '`uuid`, `date`, `date-time`, `decimal`, `email`, `iban`, `bic`, `vat-number`, or `color`',
        'optional',
      ],
    },
  },
  unknown_value: {
    explanation: 'The value is none of those that the field takes.',
    params: { values: ['texts', 'those that it takes', 'optional'] },
  },
  too_short: { explanation: 'The text is too short.', params: { min: ['number', 'the fewest characters'] } },
  too_long: { explanation: 'The text is too long.', params: { max: ['number', 'the most characters'] } },
  wrong_count: {
    explanation: 'The list has too few or too many items.',
    params: { min: ['number', 'the fewest'], max: ['number', 'the most'] },
  },
  too_many: {
    explanation: 'The request has, or concerns, more than may be handled at once.',
    params: { max: ['number', 'the most'] },
  },
  nested_too_deeply: { explanation: 'The JSON has too many levels.' },
  out_of_range: {
    explanation: 'The number is too small or too large.',
    params: { min: ['number', 'the smallest', 'optional'], max: ['number', 'the largest', 'optional'] },
  },
  zero: { explanation: 'The number must not be zero.' },
  wrong_sign: {
    explanation: 'The number must be positive, or negative.',
    params: { expected: ['text', '`positive` or `negative`'] },
  },
  too_many_decimals: {
    explanation: 'The number has too many decimals, for its field or its currency.',
    params: { max: ['number', 'the most decimals'] },
  },
  too_many_digits: {
    explanation: 'The number has too many digits in all.',
    params: { max: ['number', 'the most digits'] },
  },
  total_out_of_range: { explanation: 'The lines add up to a total that is negative, or too large.' },
  exceeds_left: {
    explanation: 'The amount or quantity is more than what is due, open, or left.',
    params: { left: ['text', 'that, as a decimal number; absent if the token may not read it', 'optional'] },
  },
  nothing_left: { explanation: 'Nothing is left to be paid, refunded, credited, or billed.' },
  day_out_of_range: {
    explanation: 'The day is too early or too late.',
    params: { min: ['text', 'the first day'], max: ['text', 'the last day'] },
  },
  in_the_past: { explanation: 'The time must be in the future.' },
  in_the_future: { explanation: 'The day must not be later than today in the time zone of the tenant.' },
  wrong_order: { explanation: 'The end lies before the beginning, or a day before one that it must follow.' },
  inconsistent: { explanation: 'The value contradicts another field.' },
  duplicate: { explanation: 'The same stands in the request already, and may be there once.' },
  not_found: { explanation: 'What the field refers to does not exist, or is not of the right kind.' },
  ambiguous: { explanation: 'Several have this name. Name the one by its id.' },
  in_use: {
    explanation: 'Others refer to it, so that it can not be deleted or changed.',
    params: { by: ['text', 'what they are, as in paths: `invoices`, `time-entries`'] },
  },
  forbidden: { explanation: 'The caller may not do this.' },
  taken: { explanation: 'It exists already.' },
  not_a_draft: { explanation: 'Only a draft can be changed, deleted, issued, or booked.' },
  wrong_state: { explanation: 'The resource, or what it refers to, is in a state that does not allow this.' },
  locked: {
    explanation: 'The day lies in a period that is locked. See `GET /period-locks`.',
    params: {
      series: ['text', 'the series of the lock: `sales`, `purchases`, `bank`, or `all`'],
      locked_until: ['text', 'the last locked day'],
      kind: ['text', '`soft` or `final`: only a soft lock can be moved back'],
    },
  },
  changed_meanwhile: { explanation: 'Somebody has changed the resource since the client has read it.' },
  wrong_currency: { explanation: 'The amounts are in different currencies.' },
  e_invoice_rule: {
    explanation: 'The invoice breaks a rule of its e-invoice format.',
    params: { rule: ['text', 'the official name of the rule, such as `BR-DE-15`'] },
  },
  invalid_cursor: { explanation: 'The cursor is not one of this list or feed. Read it from its beginning.' },
  answer_too_large: { explanation: 'The answer would be too large. Ask for a shorter page.' },
  limit_reached: {
    explanation: 'The tenant or user has as many as it may have.',
    params: { max: ['number', 'the most'] },
  },
  too_soon: { explanation: 'It was done a short time ago.', params: { from: ['text', 'when it can be done again'] } },
  busy: { explanation: 'Another request does the same at the moment. Try again when it has ended.' },
  invalid_file: { explanation: 'The file is missing or incomplete, or its content can not be used.' },
  file_too_large: { explanation: 'The file is too large.', params: { max: ['number', 'the most bytes'] } },
  address_refused: { explanation: 'No webhook is sent to an address like this.' },
  key_reused: { explanation: 'The idempotency key is that of another request.' },
  wrong_password: { explanation: 'The password is not right.' },
  common_password: { explanation: 'The password is one of the most common ones.' },
} as const satisfies Record<string, Explained>;

export type ProblemCode = keyof typeof problemCodes;

type ParamsOf<Declared> = {
  [Name in keyof Declared as Declared[Name] extends Optional ? never : Name]: ValueOf<Declared[Name]>;
} & { [Name in keyof Declared as Declared[Name] extends Optional ? Name : never]?: ValueOf<Declared[Name]> };
type Optional = readonly [string, string, 'optional'];
type ValueOf<P> = P extends readonly [infer Type extends keyof Values, ...unknown[]] ? Values[Type] : never;

/** A problem: its code, a sentence for people, and the parameters that the code has. */
export type Problem = {
  [Code in ProblemCode]: (typeof problemCodes)[Code] extends { params: infer Declared }
    ? object extends ParamsOf<Declared>
      ? readonly [code: Code, message: string, params?: ParamsOf<Declared>]
      : readonly [code: Code, message: string, params: ParamsOf<Declared>]
    : readonly [code: Code, message: string];
}[ProblemCode];

/** A problem as clients get it. */
export interface ProblemDetail {
  field: string;
  code: ProblemCode;
  message: string;
  params: Readonly<Record<string, unknown>>;
}
