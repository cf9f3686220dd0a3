/** Forms: flattened from a JSON schema into simple fields. */
import { z } from 'zod';
import type { FieldLimits, FormField, QuestionOption } from './prompts.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const maybeText = z.string().nullish().catch(undefined);
const maybeNumber = z.number().nullish().catch(undefined);

const Titled = z.object({ const: scalar, title: maybeText, description: maybeText });
const titled = z.array(Titled).nullish().catch(undefined);
const plain = z.array(scalar).nullish().catch(undefined);

const Items = z.object({ enum: plain, anyOf: titled, oneOf: titled });

/** What is not understood of a property is left out, and the rest of it counts. */
const Property = z.object({
  type: z
    .union([z.string(), z.array(z.string()).transform((types) => types.find((t) => t !== 'null'))])
    .nullish()
    .catch(undefined),
  title: maybeText,
  description: maybeText,
  format: maybeText,
  enum: z
    .array(z.union([scalar, z.null()]))
    .nullish()
    .catch(undefined),
  enumNames: z.array(z.string()).nullish().catch(undefined),
  const: scalar.nullish().catch(undefined),
  oneOf: titled,
  anyOf: titled,
  items: Items.nullish().catch(undefined),
  minimum: maybeNumber,
  maximum: maybeNumber,
  exclusiveMinimum: maybeNumber,
  exclusiveMaximum: maybeNumber,
  minLength: maybeNumber,
  maxLength: maybeNumber,
  pattern: maybeText,
  minItems: maybeNumber,
  maxItems: maybeNumber,
  default: z
    .union([scalar, z.array(scalar)])
    .nullish()
    .catch(undefined),
});
type Property = z.output<typeof Property>;

const Schema = z.object({
  properties: z.record(z.string(), z.unknown()).nullish(),
  required: z.array(z.string()).nullish().catch(undefined),
});

/** @returns the fields, in the schema's order; undefined where it is no schema of an object. */
export function fieldsOf(schema: unknown): readonly FormField[] | undefined {
  const parsed = Schema.safeParse(schema);
  if (!parsed.success) return undefined;
  const required = new Set(parsed.data.required ?? []);
  return Object.entries(parsed.data.properties ?? {}).map(([name, raw]) =>
    fieldOf(name, propertyOf(raw), required.has(name)),
  );
}

/** Some write a text that may be missing as a choice of two schemas, one of them null. */
function propertyOf(raw: unknown): Property {
  const Union = z.looseObject({ anyOf: z.array(z.looseObject({ type: z.string() })) });
  const union = Union.safeParse(raw);
  const only = union.success ? union.data.anyOf.filter(({ type }) => type !== 'null') : [];
  const property = Property.safeParse(only.length === 1 ? { ...union.data, ...only[0] } : raw);
  return property.success ? property.data : Property.parse({});
}

function fieldOf(name: string, property: Property, required: boolean): FormField {
  const options = optionsOf(property);
  const type = typeOf(property, options.length > 0);
  const values = options.map(({ raw }) => raw);
  const limits = limitsOf(property, type, values);
  return {
    name,
    label: property.title ?? name,
    type,
    required,
    ...(property.description && { description: property.description }),
    ...defaultOf(property, type),
    ...(options.length > 0 && { options: options.map(({ raw, ...option }) => option) }),
    ...(property.format && { format: property.format }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function defaultOf(property: Property, type: FormField['type']): Pick<FormField, 'default'> {
  const { default: given } = property;
  if (given === undefined || given === null) return {};
  if (Array.isArray(given)) return { default: given.map(String) };
  return { default: type === 'choice' ? String(given) : given };
}

function limitsOf(
  property: Property,
  type: FormField['type'],
  values: NonNullable<FieldLimits['values']>,
): FieldLimits {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = property;
  const { minLength, maxLength, minItems, maxItems, pattern } = property;
  const isList = type === 'choices';
  const [min, max] = isList ? [minItems, maxItems] : [minLength, maxLength];
  const isNumber = type === 'number' || type === 'integer';
  const isObject = property.type === 'object' || (property.type === 'array' && type === 'text');
  return {
    ...(isNumber && typeof minimum === 'number' && { minimum }),
    ...(isNumber && typeof maximum === 'number' && { maximum }),
    ...(isNumber && typeof above === 'number' && { above }),
    ...(isNumber && typeof below === 'number' && { below }),
    ...(!isNumber && typeof min === 'number' && { shortest: min }),
    ...(!isNumber && typeof max === 'number' && { longest: max }),
    ...(type === 'text' && pattern && { pattern }),
    ...(isObject && { json: true }),
    ...(values.some((value) => typeof value !== 'string') && { values }),
  };
}

function typeOf(property: Property, hasOptions: boolean): FormField['type'] {
  if (property.type === 'array') return hasOptions ? 'choices' : 'text';
  if (hasOptions) return 'choice';
  switch (property.type) {
    case 'number':
    case 'integer':
    case 'boolean':
      return property.type;
    default:
      return 'text';
  }
}

function optionsOf(
  property: Property,
): readonly (QuestionOption & { readonly raw: string | number | boolean })[] {
  const { items } = property;
  const named = property.oneOf ?? property.anyOf ?? items?.anyOf ?? items?.oneOf;
  if (named) {
    return named.map((option) => ({
      raw: option.const,
      value: String(option.const),
      label: option.title ?? String(option.const),
      ...(option.description && { description: option.description }),
    }));
  }
  const one = property.const === undefined || property.const === null ? [] : [property.const];
  const values = property.enum ?? items?.enum ?? one;
  return values.flatMap((raw, at) =>
    raw === null
      ? []
      : [{ raw, value: String(raw), label: property.enumNames?.[at] ?? String(raw) }],
  );
}
