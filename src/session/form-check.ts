/** Checks what the user has filled in, and brings it into the types that the agent asked for. */
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import type { FieldValue, FormField, FormValue } from './prompts.ts';

export interface CheckedForm {
  readonly values: Readonly<Record<string, FormValue>>;
  /** What is wrong, by field; undefined where nothing is. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** Brings what the user gave into the types that the fields ask for. */
export function checkForm(
  fields: readonly FormField[],
  given: Readonly<Record<string, FieldValue>>,
): CheckedForm {
  const values = new Map<string, FormValue>();
  const errors = new Map<string, string>();
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    const empty =
      value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    if (empty) {
      if (field.required) errors.set(field.name, 'is needed');
      continue;
    }
    const checked = check(field, value);
    if ('error' in checked) errors.set(field.name, checked.error);
    else values.set(field.name, checked.value);
  }
  const made = Object.fromEntries(values);
  return errors.size > 0 ? { values: made, errors: Object.fromEntries(errors) } : { values: made };
}

type Checked = { readonly value: FormValue } | { readonly error: string };

function check(field: FormField, value: FieldValue): Checked {
  switch (field.type) {
    case 'number':
    case 'integer':
      return checkNumber(field, typeof value === 'string' ? Number(value.trim()) : value);
    case 'boolean':
      if (typeof value === 'boolean') return { value };
      if (value === 'true' || value === 'false') return { value: value === 'true' };
      return { error: 'must be true or false' };
    case 'choice':
      return isOption(field, value)
        ? { value: asGiven(field, String(value)) }
        : { error: 'must be one of the choices' };
    case 'choices': {
      const list = Array.isArray(value) ? value : [String(value)];
      if (!list.every((item) => isOption(field, item))) {
        return { error: 'must be some of the choices' };
      }
      const error = lengthError(field, list.length, 'choices');
      return error ? { error } : { value: list.map((item) => asGiven(field, item)) };
    }
    case 'text':
      return checkText(field, typeof value === 'string' ? value : String(value));
  }
}

function checkNumber({ type, limits = {} }: FormField, value: FieldValue): Checked {
  const { minimum, maximum, above, below } = limits;
  if (typeof value !== 'number' || !Number.isFinite(value)) return { error: 'must be a number' };
  if (type === 'integer' && !Number.isInteger(value)) return { error: 'must be a whole number' };
  if (minimum !== undefined && value < minimum) return { error: `must be ${minimum} or more` };
  if (maximum !== undefined && value > maximum) return { error: `must be ${maximum} or less` };
  if (above !== undefined && value <= above) return { error: `must be more than ${above}` };
  if (below !== undefined && value >= below) return { error: `must be less than ${below}` };
  return { value };
}

const FORMATS: Readonly<Record<string, readonly [z.ZodType, string]>> = {
  email: [z.email(), 'must be an email address'],
  uri: [z.url(), 'must be an address such as https://example.com'],
  date: [z.iso.date(), 'must be a date such as 2026-12-31'],
  'date-time': [z.iso.datetime({ offset: true }), 'must be such as 2026-12-31T23:59:00Z'],
};

function checkText(field: FormField, value: string): Checked {
  const { limits = {}, format } = field;
  if (limits.json) return checkJson(value);
  // Characters as a person counts them.
  const error = lengthError(field, [...value].length, 'characters');
  if (error) return { error };
  const [form, wrong] = (format !== undefined && FORMATS[format]) || [];
  if (form && wrong && !form.safeParse(value).success) return { error: wrong };
  if (limits.pattern !== undefined && !fits(value, limits.pattern)) {
    return { error: `must be of the form ${limits.pattern}` };
  }
  return { value };
}

function lengthError(
  { limits: { shortest, longest } = {} }: FormField,
  length: number,
  what: string,
): string | undefined {
  if (shortest !== undefined && length < shortest) return `needs ${shortest} ${what} or more`;
  if (longest !== undefined && length > longest) return `takes ${longest} ${what} at most`;
  return undefined;
}

/** A pattern may be such that it would keep a thread busy for ever. */
const PATTERN_MS = 100;

function fits(value: string, pattern: string): boolean {
  try {
    const test = "new RegExp(pattern, 'u').test(value)";
    return runInNewContext(test, { pattern, value }, { timeout: PATTERN_MS }) === true;
  } catch {
    // No pattern that could be checked here: the agent will.
    return true;
  }
}

function checkJson(value: string): Checked {
  try {
    const parsed = z.json().parse(JSON.parse(value));
    return typeof parsed === 'object' && parsed !== null
      ? { value: parsed }
      : { error: 'must be an object or a list in JSON' };
  } catch {
    return { error: 'must be an object or a list in JSON' };
  }
}

function isOption(field: FormField, value: unknown): boolean {
  return field.options?.some((option) => option.value === String(value)) ?? false;
}

/** A choice among numbers is a number. */
function asGiven({ limits }: FormField, value: string): string | number | boolean {
  return limits?.values?.find((raw) => String(raw) === value) ?? value;
}
