/** Forms: flattened from a JSON schema into simple fields, and checked when filled in. */
import { z } from 'zod';
import type { FieldValue, FormField, QuestionOption } from './prompts.ts';

const Titled = z.object({
  const: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
});

const Items = z.object({
  enum: z.array(z.string()).nullish(),
  anyOf: z.array(Titled).nullish(),
  oneOf: z.array(Titled).nullish(),
});

const Property = z.object({
  type: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  format: z.string().nullish(),
  enum: z.array(z.union([z.string(), z.number(), z.boolean()])).nullish(),
  enumNames: z.array(z.string()).nullish(),
  oneOf: z.array(Titled).nullish().catch(undefined),
  items: Items.nullish().catch(undefined),
  default: z
    .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
    .nullish()
    .catch(undefined),
});

const Schema = z.object({
  title: z.string().nullish(),
  description: z.string().nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
  required: z.array(z.string()).nullish().catch(undefined),
});

/** @returns the fields, in the schema's order; undefined where it is no schema of an object. */
export function fieldsOf(schema: unknown): readonly FormField[] | undefined {
  const parsed = Schema.safeParse(schema);
  if (!parsed.success) return undefined;
  const required = new Set(parsed.data.required ?? []);
  return Object.entries(parsed.data.properties ?? {}).map(([name, raw]) => {
    const property = Property.safeParse(raw);
    return fieldOf(name, property.success ? property.data : {}, required.has(name));
  });
}

function fieldOf(name: string, property: z.output<typeof Property>, required: boolean): FormField {
  const type = typeOf(property);
  const options = optionsOf(property);
  return {
    name,
    label: property.title ?? name,
    type,
    required,
    ...(property.description && { description: property.description }),
    ...(property.default !== undefined &&
      property.default !== null && { default: property.default }),
    ...(options.length > 0 && { options }),
    ...(property.format && { format: property.format }),
  };
}

function typeOf(property: z.output<typeof Property>): FormField['type'] {
  if (property.type === 'array') return optionsOf(property).length > 0 ? 'choices' : 'text';
  if (optionsOf(property).length > 0) return 'choice';
  switch (property.type) {
    case 'number':
    case 'integer':
    case 'boolean':
      return property.type;
    default:
      return 'text';
  }
}

function optionsOf(property: z.output<typeof Property>): readonly QuestionOption[] {
  const titled = property.oneOf ?? property.items?.anyOf ?? property.items?.oneOf;
  if (titled) {
    return titled.map((option) => ({
      value: option.const,
      label: option.title ?? option.const,
      ...(option.description && { description: option.description }),
    }));
  }
  const plain = property.enum ?? property.items?.enum ?? [];
  return plain.map((value, at) => ({
    value: String(value),
    label: property.enumNames?.[at] ?? String(value),
  }));
}

export interface CheckedForm {
  readonly values: Readonly<Record<string, FieldValue>>;
  /** What is wrong, by field; undefined where nothing is. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** Brings what the user gave into the types that the fields ask for. */
export function checkForm(
  fields: readonly FormField[],
  given: Readonly<Record<string, FieldValue>>,
): CheckedForm {
  const values: Record<string, FieldValue> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const value = given[field.name];
    const empty =
      value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    if (empty) {
      if (field.required) errors[field.name] = 'is needed';
      continue;
    }
    const checked = check(field, value);
    if ('error' in checked) errors[field.name] = checked.error;
    else values[field.name] = checked.value;
  }
  return Object.keys(errors).length > 0 ? { values, errors } : { values };
}

type Checked = { readonly value: FieldValue } | { readonly error: string };

function check(field: FormField, value: FieldValue): Checked {
  switch (field.type) {
    case 'number':
    case 'integer': {
      const number = typeof value === 'string' ? Number(value.trim()) : value;
      if (typeof number !== 'number' || !Number.isFinite(number))
        return { error: 'must be a number' };
      if (field.type === 'integer' && !Number.isInteger(number)) {
        return { error: 'must be a whole number' };
      }
      return { value: number };
    }
    case 'boolean':
      if (typeof value === 'boolean') return { value };
      if (value === 'true' || value === 'false') return { value: value === 'true' };
      return { error: 'must be true or false' };
    case 'choice':
      return isOption(field, value)
        ? { value: String(value) }
        : { error: 'must be one of the choices' };
    case 'choices': {
      const list = Array.isArray(value) ? value : [String(value)];
      return list.every((item) => isOption(field, item))
        ? { value: list }
        : { error: 'must be some of the choices' };
    }
    case 'text':
      return typeof value === 'string' ? { value } : { value: String(value) };
  }
}

function isOption(field: FormField, value: FieldValue): boolean {
  return field.options?.some((option) => option.value === String(value)) ?? false;
}
